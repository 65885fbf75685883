import { Type, type Static } from 'typebox';
import {
  Admission,
  MentionEvent,
  MentionRecord,
  MentionStatus,
  MentionType,
  SourceSnapshot,
} from '../contract/webmentions.ts';
import { choice, closed } from '../contract/shapes.ts';
import type { Source } from '../storage/versions.ts';

export type { MentionAuthor, MentionEvent } from '../contract/webmentions.ts';

/**
 * The fields that a source states about itself, as far as they matter to the page it links to: parsed, classified and
 * sanitized.
 */
const { published, url, name, author, content, rsvp, syndication, photo, video, audio, shortened, ...rest } =
  MentionRecord.properties;

/** The property with which a source links to its target; `mention-of` for a plain link. */
export const ResponseProperty = choice(
  'in-reply-to',
  'like-of',
  'repost-of',
  'bookmark-of',
  'rsvp',
  'mention-of',
);
export type ResponseProperty = Static<typeof ResponseProperty>;

/** The result of reading a source (PROTOCOLS 9). Fields that the source does not state are absent. */
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

/** A stored mention. */
export const Mention = closed({
  id: rest.id,
  /**
   * The number that identifies the mention in webmention.io's formats. All mentions share one sequence: a received
   * mention gets a number above all those used so far.
   */
  wmId: Type.Integer(),
  source: rest.source,
  target: rest.target,
  received: rest.received,
  parsed: rest.parsed,
  facts: SourceFacts,
  status: MentionStatus,
  /** The status before the mention was deleted or removed. Restoring the mention brings this status back. */
  statusBefore: Type.Optional(MentionStatus),
  /**
   * True if the owner chose the status. Then only the owner can change it, but the source or the aggregator can still
   * remove the mention.
   */
  chosen: Type.Boolean(),
  /**
   * Why the mention was shown or held on arrival. Absent for imported mentions, and for those older than this field.
   */
  admission: Type.Optional(Admission),
  /**
   * When this server last checked the source and found that it was deleted or no longer links to the target. Absent
   * while the source links to it.
   */
  takenBack: Type.Optional(rest.parsed),
  private: Type.Optional(Type.Boolean()),
  /** A copy of the source for the owner, who may want to read it even after the page is deleted. */
  snapshot: Type.Optional(SourceSnapshot),
  /**
   * The records of the mention from webmention.io, in both formats and with every field. A record that is too long is
   * left out. Only imported mentions have this field.
   */
  imported: Type.Optional(
    closed({
      jf2: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      json: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      /** True if a record was too long to be stored. */
      shortened: Type.Optional(Type.Literal(true)),
    }),
  ),
  history: Type.Array(MentionEvent),
});
export type Mention = Static<typeof Mention>;

/** Returns the page that a target URL names: the URL without its fragment. */
export function pageOfTarget(target: string): string {
  const at = target.indexOf('#');
  return at === -1 ? target : target.slice(0, at);
}

/**
 * Returns the source of everything that shows the mentions of a page. All spellings of the page's URL have the same: with
 * http or https, in upper or lower case.
 */
export function mentionsOf(url: string): Source {
  const rest = pageOfTarget(url)
    .toLowerCase()
    .replace(/^https?:/, '');
  return `mentions ${rest}`;
}

/** Returns a mention as the project's API and the window receive it. */
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

/**
 * Returns, for a removed mention, whether this server itself found that the source withdrew the mention. An aggregator
 * that no longer lists a mention is weaker evidence.
 */
export function isTakenBack({ takenBack, imported }: Mention): boolean {
  return takenBack !== undefined || imported === undefined;
}

/** Returns whether everybody may see the mention. */
export function isShown({ status, private: isPrivate }: Mention): boolean {
  return status === 'approved' && isPrivate !== true;
}
