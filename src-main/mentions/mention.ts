import { Type, type Static } from 'typebox';
import {
  Admission,
  MentionEvent,
  MentionRecord,
  MentionStatus,
  MentionType,
  SourceSnapshot,
} from '../contract/webmentions.ts';
import { closed } from '../contract/shapes.ts';

export type { MentionAuthor, MentionEvent } from '../contract/webmentions.ts';

/** What a source says, as far as it matters to the page it links: read, classified and sanitized. */
const { published, url, name, author, content, rsvp, syndication, photo, video, audio, shortened, ...rest } =
  MentionRecord.properties;

/** The property by which a source points at its target; `mention-of` where it merely links it. */
export const ResponseProperty = Type.Union([
  Type.Literal('in-reply-to'),
  Type.Literal('like-of'),
  Type.Literal('repost-of'),
  Type.Literal('bookmark-of'),
  Type.Literal('rsvp'),
  Type.Literal('mention-of'),
]);
export type ResponseProperty = Static<typeof ResponseProperty>;

/** What reading a source gave (PROTOCOLS 9). Absent where the source does not say. */
export const SourceFacts = closed({
  type: MentionType,
  property: ResponseProperty,
  published,
  url,
  name,
  author,
  content,
  rsvp,
  syndication,
  photo,
  video,
  audio,
  shortened,
});
export type SourceFacts = Static<typeof SourceFacts>;

/** A mention in the document of its target page. */
export const Mention = closed({
  id: rest.id,
  /** The number by which readers of webmention.io's formats know it: of one sequence, above all imported ones. */
  wmId: Type.Integer(),
  source: rest.source,
  target: rest.target,
  received: rest.received,
  parsed: rest.parsed,
  facts: SourceFacts,
  status: MentionStatus,
  /** What it was before it was deleted or removed: what restoring brings back. */
  statusBefore: Type.Optional(MentionStatus),
  /** True where the owner chose the status: nothing but the owner changes it then. */
  chosen: Type.Boolean(),
  /** Why it was shown or held when it came. Absent for imported ones and those from before this was noted. */
  admission: Type.Optional(Admission),
  /** When this server last looked at the source and found it gone, or without the link; absent where it links. */
  takenBack: Type.Optional(rest.parsed),
  private: Type.Optional(Type.Boolean()),
  /** For the owner, who wants to know what it was like even when the page is gone. */
  snapshot: Type.Optional(SourceSnapshot),
  /** As webmention.io told it, both formats, every field, where they are not too long; only of imported ones. */
  imported: Type.Optional(
    closed({
      jf2: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      json: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      /** A record was too long to be kept. */
      shortened: Type.Optional(Type.Literal(true)),
    }),
  ),
  history: Type.Array(MentionEvent),
});
export type Mention = Static<typeof Mention>;

/** The page that a target address names: the address without its fragment. */
export function pageOfTarget(target: string): string {
  const at = target.indexOf('#');
  return at === -1 ? target : target.slice(0, at);
}

/** A mention as the project's API and the window get it. */
export function recordOf(mention: Mention): MentionRecord {
  const { facts, wmId, private: isPrivate } = mention;
  const { type, property, ...said } = facts;
  const { id, source, target, received, parsed, status, imported } = mention;
  return {
    id,
    source,
    target,
    type,
    received,
    parsed,
    ...said,
    ...(property !== 'rsvp' && { [property]: target }),
    ...(property === 'rsvp' && { 'in-reply-to': target }),
    ...(imported && { 'wm-id': wmId }),
    ...(isPrivate !== undefined && { private: isPrivate }),
    status,
    ...(status === 'removed' && { removedBy: isTakenBack(mention) ? 'source' : 'aggregator' }),
  };
}

/** True where this server found itself that its source took it back; an aggregator that dropped it knows less. */
export function isTakenBack({ takenBack, imported }: Mention): boolean {
  return takenBack !== undefined || imported === undefined;
}

/** True where everybody may see it. */
export function isShown({ status, private: isPrivate }: Mention): boolean {
  return status === 'approved' && isPrivate !== true;
}
