import { Type, type Static } from 'typebox';
import { MentionType, mentionTypes, ResponseProperty } from '../contract/mention-types.ts';
import {
  Admission,
  MentionEvent,
  MentionRecord,
  MentionStatus,
  SourceSnapshot,
} from '../contract/webmentions.ts';
import { choice, closed } from '../contract/shapes.ts';
import { hostOf } from '../platform/site-name.ts';
import { normalizedUrl } from '../posts/address.ts';
import type { Source } from '../storage/caches.ts';

export type { MentionAuthor, MentionEvent } from '../contract/webmentions.ts';

/**
 * The schemas of the facts about a source, which are part of a mention's record. `rest`: the schemas of the record's
 * other fields.
 */
const {
  published,
  url,
  name,
  author,
  content,
  rsvp,
  syndication,
  photo,
  photoAlt,
  video,
  audio,
  shortened,
  ...rest
} = MentionRecord.properties;

/** The result of reading a source (PROTOCOLS 9). Fields that the source does not provide are absent. */
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
  photoAlt,
  video,
  audio,
  shortened,
});
export type SourceFacts = Static<typeof SourceFacts>;

/** A stored mention. */
export const Mention = closed({
  id: rest.id,
  /**
   * The number that identifies the mention in webmention.io's formats (`wm-id`). A received mention gets a higher
   * number than any used so far.
   */
  wmId: Type.Integer(),
  source: rest.source,
  /** The URL at which the source was last read, after redirects. Absent if there were no redirects. */
  readAt: Type.Optional(Type.String()),
  target: rest.target,
  received: rest.received,
  parsed: rest.parsed,
  facts: SourceFacts,
  status: MentionStatus,
  /** The status before the mention was deleted or removed. Restoring the mention brings this status back. */
  statusBefore: Type.Optional(MentionStatus),
  /**
   * The status that a mention gets back when its author and its sites are unblocked. Present only if the mention is
   * hidden because they are blocked, also while it is deleted or removed.
   */
  blocked: Type.Optional(choice('approved', 'held')),
  /**
   * Set while a repair of the database holds the mention, which was shown before. The owner shows all of these again with
   * one click.
   */
  wasShown: Type.Optional(Type.Literal(true)),
  /**
   * Whether the owner chose the status. If so, the source and the aggregator can't change it; they can only remove the
   * mention.
   */
  chosen: Type.Boolean(),
  /**
   * Why the mention was shown or held for approval on arrival. Absent for imported mentions, and for mentions from
   * versions without this field.
   */
  admission: Type.Optional(Admission),
  /**
   * When this server found that the source was deleted or no longer links to the target. Absent while the source links
   * to the target.
   */
  takenBack: Type.Optional(rest.parsed),
  private: Type.Optional(Type.Boolean()),
  /**
   * Set for a comment from the archive of another program. Its source is the comment's former URL, which may be on the
   * owner's site and is never read. Approving it makes nobody known.
   */
  comment: Type.Optional(Type.Literal(true)),
  /** A copy of the source's text, which the owner can read even after the page is deleted. */
  snapshot: Type.Optional(SourceSnapshot),
  /**
   * The complete records of an imported mention in webmention.io's two formats (JF2 and JSON). A record that is too
   * long is left out.
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

/** The data to store about a source that was verified or imported. */
export interface NewMention {
  readonly source: string;
  /** The URL at which the source was read, if it redirects. */
  readonly readAt?: string;
  readonly target: string;
  readonly facts: SourceFacts;
  /**
   * The status for a new mention. An existing mention keeps its status. A removed mention gets its previous status
   * back.
   */
  readonly status: MentionStatus;
  /** The reason why a new mention gets `status`. */
  readonly admission?: Admission;
  readonly received?: string;
  readonly parsed: string;
  readonly wmId?: number;
  readonly private?: boolean;
  /** See Mention. */
  readonly comment?: true | undefined;
  readonly imported?: Mention['imported'];
  readonly snapshot?: SourceSnapshot;
  /** The id for a new mention, so that an import can record it first. If absent, the store chooses one. */
  readonly id?: string;
  /** What an export of the owner's own says about the mention. A new mention takes it over. */
  readonly earlier?: Partial<Pick<Mention, 'statusBefore' | 'chosen' | 'takenBack' | 'history'>>;
}

/** Returns a target without its fragment. */
export function pageOfTarget(target: string): string {
  const at = target.indexOf('#');
  return at === -1 ? target : target.slice(0, at);
}

/**
 * Returns the name under which `Versions` counts changes to the mentions of a page. `page`: the id of the page. The
 * name is the same in upper and lower case, and with http or https.
 */
export function mentionsOf(page: string): Source {
  return `mentions ${page.toLowerCase().replace(/^https?:/, '')}`;
}

/**
 * Returns what identifies the source of a mention. All spellings of a source's URL have the same identity, and so has a
 * source that redirects to another one.
 */
export function sourceIdentity({ source, readAt = source }: Pick<Mention, 'source' | 'readAt'>): string {
  if (!URL.canParse(readAt)) return readAt;
  const url = new URL(readAt);
  return normalizedUrl(url).replace(/^https?:/, '') + url.hash;
}

/**
 * Returns the address that identifies a person: the normalized form of the author's URL, the same with http and https,
 * with and without a trailing slash or a fragment. Returns an empty string if the URL isn't a web address: then a
 * mention has no author's address.
 */
export function personAddress(url: string): string {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return '';
  const address = new URL(url);
  address.pathname = address.pathname.replace(/(?<!\/)\/+$/, '');
  return normalizedUrl(address).replace(/^http:/, 'https:');
}

/** Returns the address of a mention's author; see personAddress. */
export const authorOf = ({ facts }: Pick<Mention, 'facts'>): string => personAddress(facts.author?.url ?? '');

/**
 * Returns the URL of the page that says something about the target, as the source states it. A page that states no URL
 * of its own but only links to the owner's page would otherwise seem to be the owner's page: an implied URL is the URL
 * of the only link. Then returns the source. `url`: the stated URL.
 */
export function sourceUrl(
  url: string | undefined,
  { source, target }: Pick<Mention, 'source' | 'target'>,
): string {
  if (url === undefined || url === '') return source;
  return hostAt(url) === hostAt(target) && hostAt(source) !== hostAt(target) ? source : url;
}

/** Returns the host of a URL (see hostOf); an empty string for any other text. */
export const hostAt = (address: string): string => (URL.canParse(address) ? hostOf(new URL(address)) : '');

/** Returns the property under which a mention's record has the target. An RSVP links to the event as a reply does. */
export const linkProperty = (property: ResponseProperty) =>
  property === mentionTypes.rsvp.property ? mentionTypes.reply.property : property;

/**
 * Returns whether a removed mention was removed because this server found that the source withdrew it. An aggregator's
 * list that lacks the mention is weaker evidence.
 */
export function isTakenBack({ takenBack, imported }: Mention): boolean {
  return takenBack !== undefined || imported === undefined;
}

/** Returns whether a mention is public. */
export function isShown({ status, private: isPrivate }: Mention): boolean {
  return status === 'approved' && isPrivate !== true;
}
