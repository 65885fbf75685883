import { Type, type Static } from 'typebox';
import { MentionType } from './mention-types.ts';
import { Address, choice, closed, Id, Maybe, method, Moment, Nothing, orNull } from './shapes.ts';

/**
 * `approved`: the mention is shown. `held`: it awaits the owner's decision. `hidden`: the owner hid it. `deleted`: the
 * owner deleted it, and it stays deleted even if the source sends it again. `removed`: the source no longer exists or
 * no longer has the link, or the mention came from an aggregator that no longer lists it.
 */
export const MentionStatus = choice('approved', 'held', 'hidden', 'deleted', 'removed');
export type MentionStatus = Static<typeof MentionStatus>;

/**
 * The reason why this server showed or held a mention that it received. `own`: the mention comes from the owner's own
 * site. `open`: every new mention is shown immediately. `known`: the owner trusts the mention's site, or approved an
 * mention by the same author from that site. `stranger`: the owner doesn't trust the site and has approved nothing of the
 * author from it, so the mention is held. `closed`: every new mention is held.
 */
export const Admission = choice('own', 'open', 'known', 'stranger', 'closed');
export type Admission = Static<typeof Admission>;

const Text = Type.String();
const Texts = Type.Array(Type.String());

export const MentionAuthor = closed({ name: Text, url: Text, photo: Text });
export type MentionAuthor = Static<typeof MentionAuthor>;

/** A mention as Porchlight's API returns it, with additional fields for the owner. All dates are in ISO 8601. */
export const MentionRecord = closed({
  id: Id,
  source: Text,
  /** The mentioned URL exactly as the source links to it, including the fragment. */
  target: Text,
  /**
   * The title of the mentioned post, or the beginning of its text; absent if the page is no post. Sent only to the owner's
   * window.
   */
  targetTitle: Type.Optional(Text),
  type: MentionType,
  received: Moment,
  /** When this server last read the source. */
  parsed: Moment,
  published: Type.Optional(Text),
  url: Type.Optional(Text),
  name: Type.Optional(Text),
  author: Type.Optional(MentionAuthor),
  /** `html` is sanitized. `value` is plain text. */
  content: Type.Optional(closed({ html: Type.Optional(Text), value: Text })),
  rsvp: Type.Optional(Text),
  syndication: Type.Optional(Texts),
  photo: Type.Optional(Texts),
  /** The alt text of the first photo. */
  photoAlt: Type.Optional(Text),
  video: Type.Optional(Texts),
  audio: Type.Optional(Texts),
  /** The names of the properties that were too long to store in full. Each of them is shortened or left out. */
  shortened: Type.Optional(Texts),
  'in-reply-to': Type.Optional(Text),
  'like-of': Type.Optional(Text),
  'repost-of': Type.Optional(Text),
  'bookmark-of': Type.Optional(Text),
  'mention-of': Type.Optional(Text),
  'wm-id': Type.Optional(Type.Integer()),
  /** True for a mention that was imported as private. Such a mention is never shown to the public. */
  private: Type.Optional(Type.Boolean()),
  status: MentionStatus,
  /** True for a mention from one of the owner's own sites. Sent only to the owner's window. */
  own: Type.Optional(Type.Literal(true)),
  /**
   * True for a comment that was imported from an archive. Its source is the comment's former URL. Sent only to the
   * owner's window.
   */
  comment: Type.Optional(Type.Literal(true)),
  /**
   * True for a mention that is hidden because its author or a site of it is blocked. Sent only to the owner's window.
   */
  blocked: Type.Optional(Type.Literal(true)),
  /**
   * The reason why a new mention was shown or held; absent once the owner has decided. Sent only to the owner's window.
   */
  admission: Type.Optional(Admission),
  /**
   * The reason why a mention has the status `removed`. `source`: this server read the source and found that the mention
   * was withdrawn. `aggregator`: the aggregator no longer lists the mention.
   */
  removedBy: Type.Optional(choice('source', 'aggregator')),
});
export type MentionRecord = Static<typeof MentionRecord>;

/**
 * The visible text of the source when this server last read it, in plain text: `title` is the title of the source;
 * `text` is the mention's content, or the text around the link. `shortened`: the text was too long to store in full.
 */
export const SourceSnapshot = closed({
  title: Type.Optional(Text),
  text: Text,
  shortened: Type.Optional(Type.Literal(true)),
});
export type SourceSnapshot = Static<typeof SourceSnapshot>;

/**
 * An event in the history of a mention. `received`, `imported`, `updated`, `removed` (by the mention's source) and
 * `dropped` (by the aggregator) happen without any action by the owner. All other events are the owner's actions.
 */
export const MentionEvent = closed({
  at: Moment,
  what: choice(
    'received',
    'imported',
    'updated',
    'approved',
    'held',
    'hidden',
    'deleted',
    'restored',
    'removed',
    'dropped',
  ),
});
export type MentionEvent = Static<typeof MentionEvent>;

/**
 * A mentioned page. `title`: see `targetTitle` of MentionRecord. `types`: the number of approved mentions by type.
 * `statuses`: the number of all mentions by status.
 */
export const MentionedPage = closed({
  target: Text,
  title: Type.Optional(Text),
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

/**
 * The owner's possible decisions about a mention. `restored`: the mention returns to the status that it had before it
 * was deleted or removed.
 */
export const Decision = choice('approved', 'held', 'hidden', 'deleted', 'restored');
export type Decision = Static<typeof Decision>;

const ById = closed({ id: Id });
const Domain = Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:\\[\\]-]+$' });

export const webmentionMethods = {
  /**
   * Lists mentions, most recently received first. `query`: part of the source, author, name or text. `without`: leaves out
   * the mentions with this status.
   */
  'webmentions.list': method(
    closed({
      target: Type.Optional(Type.String({ maxLength: 4096 })),
      source: Type.Optional(Type.String({ maxLength: 4096 })),
      host: Type.Optional(Type.String({ maxLength: 253 })),
      type: Type.Optional(MentionType),
      status: Type.Optional(MentionStatus),
      without: Type.Optional(MentionStatus),
      query: Type.Optional(Type.String({ maxLength: 500 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
      cursor: Type.Optional(Type.String({ maxLength: 1000 })),
    }),
    closed({ items: Type.Array(MentionRecord), nextCursor: Type.Optional(Type.String()) }),
  ),
  /**
   * Returns a mention, its history (oldest first), and a snapshot of its source. `snapshot` is null if this server
   * never read the source.
   */
  'webmentions.get': method(
    ById,
    closed({
      mention: MentionRecord,
      snapshot: orNull(SourceSnapshot),
      history: Type.Array(MentionEvent),
    }),
  ),
  'webmentions.pages': method(Nothing, Type.Array(MentionedPage)),
  /** Counts approved mentions by month and type, oldest month first. The owner's own mentions are not counted. */
  'webmentions.counts': method(
    Nothing,
    Type.Array(closed({ month: Text, types: Type.Partial(Type.Record(MentionType, Type.Integer())) })),
  ),
  /**
   * Lists the pages with the most approved mentions, in one year or in total. The owner's own mentions are not counted.
   */
  'webmentions.topPages': method(
    closed({ year: Type.Optional(Type.String({ pattern: '^\\d{4}$' })) }),
    Type.Array(closed({ target: Text, title: Type.Optional(Text), mentions: Type.Integer() })),
  ),
  /**
   * Applies one decision to many mentions. `refused`: the number of mentions that could not be changed, because they no
   * longer exist or their source withdrew them. `undo`: the ID for `webmentions.undo`; null if nothing changed.
   */
  'webmentions.decide': method(
    closed({ ids: Type.Array(Id, { minItems: 1, maxItems: 200 }), decision: Decision }),
    closed({
      changed: Type.Array(MentionRecord),
      refused: Type.Integer(),
      undo: orNull(Id),
    }),
  ),
  /**
   * Undoes a call of `webmentions.decide`: restores the earlier state of the mentions that the call changed. Skips
   * mentions that have changed again after that call.
   * @throws `not_found` if the call was already undone, if Porchlight was restarted after the call, or if too many
   * other decisions followed it.
   */
  'webmentions.undo': method(ById, closed({ changed: Type.Array(MentionRecord) })),
  /**
   * Sets a mention's status.
   * @throws `removed_by_source` if this server read the source and found that the mention was withdrawn; `blocked` if
   * its author or its site is blocked.
   */
  'webmentions.setStatus': method(
    closed({
      id: Id,
      status: choice('approved', 'held', 'hidden'),
    }),
    MentionRecord,
  ),
  /**
   * Shows all mentions again that were shown before a repair of the database held them, and dismisses the problems that
   * hold mentions. `released`: the number of these mentions.
   */
  'webmentions.releaseHeld': method(Nothing, closed({ released: Type.Integer() })),
  'webmentions.delete': method(ById, MentionRecord),
  'webmentions.restore': method(ById, MentionRecord),
  /** Returns a small picture from a mention (such as the author's photo) as a data URL; null if there is none. */
  'webmentions.picture': method(
    closed({ url: Address, kind: Type.Optional(choice('avatar', 'photo')) }),
    closed({ dataUrl: Maybe(1_000_000) }),
  ),
  'webmentions.process': method(Nothing, ProcessCounts),
  /**
   * Blocks a site: its mentions, and those whose authors' addresses are on it. Hides the mentions that are here until the
   * site is unblocked. Returns all blocked sites.
   */
  'webmentions.blockDomain': method(closed({ domain: Domain }), Type.Array(Type.String())),
  'webmentions.unblockDomain': method(closed({ domain: Domain }), Type.Array(Type.String())),
  'webmentions.blockedDomains': method(Nothing, Type.Array(Type.String())),
  /**
   * Blocks a person: the mentions by this author, through whatever source. Hides those that are here until the person is
   * unblocked. `author`: the person's address. Returns the addresses of all blocked people.
   */
  'webmentions.blockPerson': method(closed({ author: Address }), Type.Array(Type.String())),
  'webmentions.unblockPerson': method(closed({ author: Address }), Type.Array(Type.String())),
  'webmentions.blockedPeople': method(Nothing, Type.Array(Type.String())),
  /** Returns the path that the window suggests for `webmentions.exportTo`. */
  'webmentions.exportPlace': method(Nothing, closed({ path: Type.String() })),
  /** Saves every mention as one JF2 file on the server's computer. `path`: absolute, ending in `.jf2` or `.json`. */
  'webmentions.exportTo': method(
    closed({ path: Address }),
    closed({ path: Type.String(), mentions: Type.Integer() }),
  ),
};
