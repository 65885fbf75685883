import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { Id, Maybe, Moment, Nothing, closed } from './shapes.ts';

/** What a mention is to the page it mentions (Response Type Algorithm of post type discovery). */
export const MentionType = Type.Union([
  Type.Literal('reply'),
  Type.Literal('like'),
  Type.Literal('repost'),
  Type.Literal('bookmark'),
  Type.Literal('rsvp'),
  Type.Literal('mention'),
]);
export type MentionType = Static<typeof MentionType>;

/**
 * `approved`: shown. `held`: waits for the owner. `hidden`: the owner does not want it shown. `deleted`: by the owner;
 * it stays so when the source sends again. `removed`: its source took the link away or is gone, or the aggregator it was
 * imported from has it no more.
 */
export const MentionStatus = Type.Union([
  Type.Literal('approved'),
  Type.Literal('held'),
  Type.Literal('hidden'),
  Type.Literal('deleted'),
  Type.Literal('removed'),
]);
export type MentionStatus = Static<typeof MentionStatus>;

/**
 * Why a mention that this server received was shown or held. `own`: it comes from the owner's own site. `open`: new
 * mentions are shown right away. `known`: the owner trusts its site or approved a mention from it. `stranger`: neither,
 * so it waits. `closed`: every new mention waits.
 */
export const Admission = Type.Union([
  Type.Literal('own'),
  Type.Literal('open'),
  Type.Literal('known'),
  Type.Literal('stranger'),
  Type.Literal('closed'),
]);
export type Admission = Static<typeof Admission>;

const Text = Type.String();
const Texts = Type.Array(Type.String());

export const MentionAuthor = closed({ name: Text, url: Text, photo: Text });
export type MentionAuthor = Static<typeof MentionAuthor>;

/** A mention as the project's API answers it (all dates ISO 8601), with what the owner may know besides. */
export const MentionRecord = closed({
  id: Id,
  source: Text,
  /** As the source links it, fragment included. */
  target: Text,
  type: MentionType,
  received: Moment,
  /** When its source was last read. */
  parsed: Moment,
  published: Type.Optional(Text),
  url: Type.Optional(Text),
  name: Type.Optional(Text),
  author: Type.Optional(MentionAuthor),
  /** `html` is sanitized; `value` is the text. */
  content: Type.Optional(closed({ html: Type.Optional(Text), value: Text })),
  rsvp: Type.Optional(Text),
  syndication: Type.Optional(Texts),
  photo: Type.Optional(Texts),
  video: Type.Optional(Texts),
  audio: Type.Optional(Texts),
  /** The properties of which this server keeps only a part, or nothing: the source says more than it takes in. */
  shortened: Type.Optional(Texts),
  'in-reply-to': Type.Optional(Text),
  'like-of': Type.Optional(Text),
  'repost-of': Type.Optional(Text),
  'bookmark-of': Type.Optional(Text),
  'mention-of': Type.Optional(Text),
  'wm-id': Type.Optional(Type.Integer()),
  /** Imported as private: never shown to the public. */
  private: Type.Optional(Type.Boolean()),
  status: MentionStatus,
  /** True for a mention from one of the owner's own sites. Only the owner's window is told. */
  own: Type.Optional(Type.Literal(true)),
  /** Why a new mention was shown or held; absent once the owner decided. Only the owner's window is told. */
  admission: Type.Optional(Admission),
  /** Of removed ones. `source`: this server read that it was taken back. `aggregator`: it only is listed there no more. */
  removedBy: Type.Optional(Type.Union([Type.Literal('source'), Type.Literal('aggregator')])),
});
export type MentionRecord = Static<typeof MentionRecord>;

/**
 * How a source read to people when it was last read, in plain text: its title, and what it says or stands around the
 * link. `shortened`: the mention was too long for all of that.
 */
export const SourceSnapshot = closed({
  title: Type.Optional(Text),
  text: Text,
  shortened: Type.Optional(Type.Literal(true)),
});
export type SourceSnapshot = Static<typeof SourceSnapshot>;

/**
 * What happened to a mention. All but `received`, `imported`, `updated`, `removed` (by its source) and `dropped` (by the
 * aggregator) was the owner's doing.
 */
export const MentionEvent = closed({
  at: Moment,
  what: Type.Union([
    Type.Literal('received'),
    Type.Literal('imported'),
    Type.Literal('updated'),
    Type.Literal('approved'),
    Type.Literal('held'),
    Type.Literal('hidden'),
    Type.Literal('deleted'),
    Type.Literal('restored'),
    Type.Literal('removed'),
    Type.Literal('dropped'),
  ]),
});
export type MentionEvent = Static<typeof MentionEvent>;

/** A page that was mentioned, and how often, by type (approved ones) and by what became of them. */
export const MentionedPage = closed({
  target: Text,
  types: Type.Partial(Type.Record(MentionType, Type.Integer())),
  statuses: Type.Partial(Type.Record(MentionStatus, Type.Integer())),
  newest: Moment,
});
export type MentionedPage = Static<typeof MentionedPage>;

export const ProcessCounts = closed({
  processed: Type.Integer(),
  approved: Type.Integer(),
  updated: Type.Integer(),
  removed: Type.Integer(),
  failed: Type.Integer(),
  waiting: Type.Integer(),
});
export type ProcessCounts = Static<typeof ProcessCounts>;

/** What the owner does with mentions. `restored`: back to what they were before they were deleted or removed. */
export const Decision = Type.Union([
  Type.Literal('approved'),
  Type.Literal('held'),
  Type.Literal('hidden'),
  Type.Literal('deleted'),
  Type.Literal('restored'),
]);
export type Decision = Static<typeof Decision>;

const Address = Type.String({ minLength: 1, maxLength: 4096 });
const ById = closed({ id: Id });
const Domain = Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:\\[\\]-]+$' });

export const webmentionMethods = {
  /** Newest received first. `query`: part of source, author, name or text. `cursor`: the nextCursor of the page before. */
  'webmentions.list': method(
    closed({
      target: Type.Optional(Type.String({ maxLength: 4096 })),
      source: Type.Optional(Type.String({ maxLength: 4096 })),
      host: Type.Optional(Type.String({ maxLength: 253 })),
      type: Type.Optional(MentionType),
      status: Type.Optional(MentionStatus),
      query: Type.Optional(Type.String({ maxLength: 500 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
      cursor: Type.Optional(Type.String({ maxLength: 1000 })),
    }),
    closed({ items: Type.Array(MentionRecord), nextCursor: Type.Optional(Type.String()) }),
  ),
  /** One mention, what happened to it (oldest first), and how its source read: null where this server never read it itself. */
  'webmentions.get': method(
    ById,
    closed({
      mention: MentionRecord,
      snapshot: Type.Union([SourceSnapshot, Type.Null()]),
      history: Type.Array(MentionEvent),
    }),
  ),
  'webmentions.pages': method(Nothing, Type.Array(MentionedPage)),
  /** Approved mentions by month and type, oldest first. The owner's own are not counted. */
  'webmentions.counts': method(
    Nothing,
    Type.Array(closed({ month: Text, types: Type.Partial(Type.Record(MentionType, Type.Integer())) })),
  ),
  /** The pages with the most approved mentions, of one year or of all. The owner's own are not counted. */
  'webmentions.topPages': method(
    closed({ year: Type.Optional(Type.String({ pattern: '^\\d{4}$' })) }),
    Type.Array(closed({ target: Text, mentions: Type.Integer() })),
  ),
  /**
   * Does the same with many mentions. `refused`: how many could not be changed, because they are gone or their source
   * withdrew them. `undo`: what `webmentions.undo` takes; null where nothing changed.
   */
  'webmentions.decide': method(
    closed({ ids: Type.Array(Id, { minItems: 1, maxItems: 200 }), decision: Decision }),
    closed({
      changed: Type.Array(MentionRecord),
      refused: Type.Integer(),
      undo: Type.Union([Id, Type.Null()]),
    }),
  ),
  /**
   * Puts the mentions of one `webmentions.decide` back exactly as they were, except those that changed again since.
   * Throws `not_found` for a decision made before the last start, or long ago.
   */
  'webmentions.undo': method(ById, closed({ changed: Type.Array(MentionRecord) })),
  /** Refused (`removed_by_source`) for a mention whose source took it back, as this server read itself. */
  'webmentions.setStatus': method(
    closed({
      id: Id,
      status: Type.Union([Type.Literal('approved'), Type.Literal('held'), Type.Literal('hidden')]),
    }),
    MentionRecord,
  ),
  'webmentions.delete': method(ById, MentionRecord),
  'webmentions.restore': method(ById, MentionRecord),
  /** A small picture that a mention shows (an author's, say), as a data URL; null where there is none. */
  'webmentions.picture': method(closed({ url: Address }), closed({ dataUrl: Maybe(1_000_000) })),
  'webmentions.process': method(Nothing, ProcessCounts),
  'webmentions.blockDomain': method(closed({ domain: Domain }), Type.Array(Type.String())),
  'webmentions.unblockDomain': method(closed({ domain: Domain }), Type.Array(Type.String())),
  'webmentions.blockedDomains': method(Nothing, Type.Array(Type.String())),
  /** Where `exportTo` would be told to save, unless the owner wants it elsewhere. */
  'webmentions.exportPlace': method(Nothing, closed({ path: Type.String() })),
  /** Saves every mention, whatever became of it, as one JF2 file on the server's computer. `path`: absolute, `.jf2` or `.json`. */
  'webmentions.exportTo': method(
    closed({ path: Address }),
    closed({ path: Type.String(), mentions: Type.Integer() }),
  ),
};
