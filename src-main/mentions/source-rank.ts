import type { MentionStatus } from '../contract/webmentions.ts';
import { hostOf, siteOfHost } from '../platform/site-name.ts';
import { handleOf } from '../posts/links.ts';
import type { Row } from '../storage/records/record-table.ts';
import { mentionBytes } from './mention-limits.ts';
import { isShown, type Mention, sourceIdentity } from './mention.ts';

/** The columns that the choice of a source's mention and limits depend on. */
export const countedColumns =
  'seq, id, at, page, origin, rank, verified, imported, site, bytes, leads, person';
/** The first of several mentions from a source of a page represents the source. */
export const bestFirst = 'ORDER BY rank, verified DESC, at DESC, id DESC';

export interface CountedRow {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  /** Absent if the mention isn't filed. Then the other values say nothing. */
  readonly page: string | undefined;
  readonly origin: string;
  readonly rank: number;
  readonly verified: number;
  readonly isImported: boolean;
  readonly site: string;
  readonly bytes: number;
  readonly leads: boolean;
  readonly person: string | null;
}
export type FiledRow = CountedRow & { readonly page: string };

/** Returns the row of a mention, as far as the choice depends on it. */
export function rowToInsert(mention: Mention, seq: number, page: string): FiledRow {
  const { id, source, imported, received, parsed } = mention;
  return {
    seq,
    id,
    at: Date.parse(received),
    page,
    origin: sourceIdentity(mention),
    rank: rankForSource(mention),
    verified: Date.parse(parsed) || 0,
    isImported: imported !== undefined,
    site: siteOfSource(source),
    bytes: mentionBytes(mention),
    person: personIn(mention),
    leads: false,
  };
}

/** Returns whether a mention comes before another one in the order `bestFirst`. */
export function isBetter(a: CountedRow, b: CountedRow): boolean {
  const difference = a.rank - b.rank || b.verified - a.verified || b.at - a.at;
  return difference < 0 || (difference === 0 && a.id > b.id);
}

const personIn = (mention: Mention) =>
  isShown(mention) ? (handleOf(mention.facts.author?.url ?? '') ?? null) : null;

export const isFiled = (row: CountedRow): row is FiledRow => row.page !== undefined;

export const countedRow = (row: Row): CountedRow => ({
  seq: Number(row['seq']),
  id: String(row['id']),
  at: Number(row['at']),
  page: row['page'] ? String(row['page']) : undefined,
  origin: String(row['origin']),
  rank: Number(row['rank']),
  verified: Number(row['verified']),
  isImported: row['imported'] === 1,
  site: String(row['site']),
  bytes: Number(row['bytes']),
  leads: row['leads'] === 1,
  person: row['person'] === null ? null : String(row['person']),
});

/** Converts a row that was found by its page. */
export const filedRow = (row: Row): FiledRow => ({ ...countedRow(row), page: String(row['page']) });

/** Returns the site that a source belongs to. On each page, the mentions from one site share one size limit. */
export const siteOfSource = (source: string): string =>
  URL.canParse(source) ? siteOfHost(hostOf(new URL(source))) : source;

/**
 * The order in which the mentions from one source of a page represent that source. What the owner decided comes first.
 * So a source that the owner deleted or hid stays away, whichever spelling of the page it links to.
 */
const order: Readonly<Record<MentionStatus, number>> = {
  deleted: 0,
  hidden: 1,
  approved: 3,
  held: 4,
  removed: 5,
};
const heldByOwner = 2;

const hostIn = (url: string): string => (URL.canParse(url) ? hostOf(new URL(url)) : url);

/**
 * Returns the rank of a mention among the mentions from the same source on the same page. The mention with the lowest
 * rank represents the source: only that one is shown and counted. Of several with that rank, it is the one that was
 * verified last.
 *
 * A source that redirects to another host comes last, so that nobody can influence the mentions of another host by
 * redirecting to it.
 */
function rankForSource({ status, chosen, source, readAt = source }: Mention): number {
  const rank = status === 'held' && chosen ? heldByOwner : order[status];
  if (readAt === source) return 10 * rank;
  return (hostIn(readAt) === hostIn(source) ? 1 : 101) + 10 * rank;
}
