import { Type, type Static } from 'typebox';
import { Delivery } from '../../contract/deliveries.ts';
import { closed, Moment, orNull } from '../../contract/shapes.ts';
import { isWrittenTime, recordTable } from '../../storage/records/record-table.ts';

const Flag = Type.Union([Type.Literal(0), Type.Literal(1)]);
const MaybeText = orNull(Type.String());

/**
 * A page that was notified of a post, or is about to be notified. When and how often that is tried is in the queue (see
 * sending.ts).
 */
export interface Entry extends Pick<Delivery, 'target' | 'state' | 'words' | 'at' | 'copy'> {
  /** Whether the post links to the page now. If not, the page is notified that the link was removed. */
  readonly linked: boolean;
  /** Whether the page may have been notified of the post. If so, it must also be notified when the link is removed. */
  readonly told: boolean;
  /**
   * The source URL with which the page was notified, if that URL is on the owner's own site. Absent if the source was
   * the post's URL on this server, or if the page was never notified.
   */
  readonly from?: string;
  /** The page isn't notified before this time, because of the post's publication or of a burst of responses. */
  readonly notBefore?: string;
  /** Set if the other page was already notified of the post, and is only to be told about new responses. */
  readonly forResponses?: true;
  /** Set if responses appeared while the page was being notified, perhaps after its server had read the post. */
  readonly moreResponses?: true;
  /** The URL at which the other site reports progress (the Location of a 201). */
  readonly statusPage?: string;
}

const isUrl = (text: string | null): boolean => text === null || URL.canParse(text);

/** The pages that the posts notified or are about to notify, in the order of each post's links. See Entry. */
export const deliveryTable = recordTable({
  name: 'deliveries',
  row: closed({
    path: Type.String(),
    ...{ target: Type.String(), state: Delivery.properties.state, words: Type.String(), at: Moment },
    ...{ linked: Flag, told: Flag, told_from: MaybeText, not_before: orNull(Moment) },
    ...{ for_responses: Flag, more_responses: Flag, status_page: MaybeText, copy: MaybeText },
  }),
  isSound: ({ path, target, told_from, at, not_before }) =>
    path.startsWith('/') &&
    /^https?:/.test(target) &&
    isUrl(target) &&
    isUrl(told_from) &&
    isWrittenTime(at) &&
    (not_before === null || isWrittenTime(not_before)),
  create: `CREATE TABLE IF NOT EXISTS deliveries (
      path TEXT NOT NULL, target TEXT NOT NULL, state TEXT NOT NULL, words TEXT NOT NULL, at TEXT NOT NULL,
      linked INTEGER NOT NULL, told INTEGER NOT NULL, told_from TEXT, not_before TEXT, for_responses INTEGER NOT NULL,
      more_responses INTEGER NOT NULL, status_page TEXT, copy TEXT, UNIQUE (path, target)
    ) STRICT;
    CREATE INDEX IF NOT EXISTS deliveries_waiting ON deliveries (state) WHERE state = 'waiting'`,
  format: 1,
});

/**
 * The former paths of posts that sent webmentions, newest first, as JSON. A page that was notified with the post's URL
 * at a former path is notified of later changes with the same URL.
 */
export const formerPathTable = recordTable({
  name: 'delivery_paths',
  row: closed({ path: Type.String(), former: Type.String() }),
  isSound: ({ former }) => pathsIn(former) !== undefined,
  create: `CREATE TABLE IF NOT EXISTS delivery_paths (path TEXT PRIMARY KEY, former TEXT NOT NULL) STRICT`,
  format: 1,
});

/** All tables of the sender. */
export const sendTables = [deliveryTable, formerPathTable];

export type DeliveryRow = Static<typeof deliveryTable.row>;

/** Returns the former paths in a row; undefined if they can't be read. */
export function pathsIn(former: string): readonly string[] | undefined {
  try {
    const paths: unknown = JSON.parse(former);
    const areTexts = Array.isArray(paths) && paths.every((path) => typeof path === 'string');
    return areTexts ? paths : undefined;
  } catch {
    return undefined;
  }
}

export function entryIn(row: DeliveryRow): Entry {
  const { target, state, words, at, linked, told, told_from, not_before, status_page, copy } = row;
  return {
    ...{ target, state, words, at, linked: linked === 1, told: told === 1 },
    ...(told_from !== null && { from: told_from }),
    ...(not_before !== null && { notBefore: not_before }),
    ...(row.for_responses === 1 && { forResponses: true }),
    ...(row.more_responses === 1 && { moreResponses: true }),
    ...(status_page !== null && { statusPage: status_page }),
    ...(copy !== null && { copy }),
  };
}

export function deliveryRowOf(path: string, entry: Entry): DeliveryRow {
  const { target, state, words, at, linked, told, from, notBefore, statusPage, copy } = entry;
  return {
    ...{ path, target, state, words, at, linked: linked ? 1 : 0, told: told ? 1 : 0 },
    ...{ told_from: from ?? null, not_before: notBefore ?? null },
    for_responses: entry.forResponses ? 1 : 0,
    more_responses: entry.moreResponses ? 1 : 0,
    ...{ status_page: statusPage ?? null, copy: copy ?? null },
  };
}
