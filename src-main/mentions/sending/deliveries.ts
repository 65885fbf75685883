import { type Static, Type } from 'typebox';
import { Delivery } from '../../contract/posts.ts';
import { closed, Moment, orNull } from '../../contract/shapes.ts';
import { jsonIn } from '../../storage/json-value.ts';
import type { Transaction } from '../../storage/records/group-commit.ts';
import {
  asChecked,
  cellsOf,
  insertInto,
  isWrittenTime,
  readRow,
  recordTable,
  type Row,
} from '../../storage/records/record-table.ts';
import { webAddress } from '../clean-facts.ts';
import type { Records } from '../../storage/records/records.ts';
import { isValid } from '../../storage/schema-check.ts';

/** A post's page that is to be notified, and why it may have to wait. */
export interface Planned {
  readonly path: string;
  readonly entry: Entry;
}

/** Runs a query, in a transaction or outside. */
export type Query = Pick<Transaction, 'rows'>;

export const asQuery = (records: Pick<Records, 'rows'>): Query => ({
  rows: (sql, ...cells) => records.rows((row) => row, sql, ...cells),
});

/** Returns the pages that the post at a path notified or is about to notify. */
export const entriesOf = ({ rows }: Query, path: string): Entry[] =>
  rows('SELECT * FROM deliveries WHERE path = ? ORDER BY rowid', path).map(entryIn);

export function entryOf({ rows }: Query, path: string, target: string): Entry | undefined {
  const [row] = rows('SELECT * FROM deliveries WHERE path = ? AND target = ?', path, target);
  return row && entryIn(row);
}

/** Changes the entry of a page, which keeps its place among the pages of its post. */
export function updateEntry({ run }: Transaction, path: string, entry: Entry): void {
  const row = deliveryRowOf(path, entry);
  const columns = Object.keys(row);
  run(
    `UPDATE deliveries SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE path = ? AND target = ?`,
    ...Object.values(row),
    path,
    entry.target,
  );
}

/** Replaces the pages of a post. */
export function replaceEntries({ run }: Transaction, path: string, entries: readonly Entry[]): void {
  run('DELETE FROM deliveries WHERE path = ?', path);
  for (const entry of entries)
    run(insertInto(deliveryTable), ...cellsOf(deliveryTable, { ...deliveryRowOf(path, entry) }));
}

/** Returns the former paths of the post at a path, newest first. */
export function formerPathsOf({ rows }: Query, path: string): readonly string[] {
  const [row] = rows('SELECT * FROM delivery_paths WHERE path = ?', path);
  return row ? readRow(formerPathTable, row) : [];
}

export function setFormerPaths({ run }: Transaction, path: string, former: readonly string[]): void {
  if (former.length === 0) run('DELETE FROM delivery_paths WHERE path = ?', path);
  else run(insertInto(formerPathTable), path, JSON.stringify(former));
}

/**
 * Returns pages that are to be notified although the queue has no work for them, because they come from a backup.
 * `limit`: the maximum number of pages.
 */
export const unqueuedIn = ({ rows }: Query, kind: string, limit: number): Planned[] =>
  rows(
    `SELECT * FROM deliveries WHERE state = 'waiting' AND NOT EXISTS (
       SELECT 1 FROM work WHERE kind = ? AND key = deliveries.path || ' ' || deliveries.target) LIMIT ?`,
    kind,
    limit,
  ).map((row) => ({ path: String(row['path']), entry: entryIn(row) }));

/** Returns the pages that could not be notified since a time, newest first. `limit`: the maximum number of pages. */
export const failedSince = ({ rows }: Query, since: string, limit: number): Planned[] =>
  rows(
    `SELECT * FROM deliveries WHERE state = 'failed' AND at > ? ORDER BY at DESC LIMIT ?`,
    since,
    limit,
  ).map((row) => ({ path: String(row['path']), entry: entryIn(row) }));

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
  readonly notified: boolean;
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
    target: Type.String(),
    state: Delivery.properties.state,
    words: Type.String(),
    at: Moment,
    linked: Flag,
    told: Flag,
    told_from: MaybeText,
    not_before: orNull(Moment),
    for_responses: Flag,
    more_responses: Flag,
    status_page: MaybeText,
    copy: MaybeText,
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
    CREATE INDEX IF NOT EXISTS deliveries_waiting ON deliveries (state) WHERE state = 'waiting';
    CREATE INDEX IF NOT EXISTS deliveries_failed ON deliveries (at) WHERE state = 'failed'`,
  format: 1,
  // The owner follows these as links.
  cleaned: ({ told_from, status_page, copy, ...row }) => ({
    ...row,
    told_from: webAddress(told_from) ?? null,
    status_page: webAddress(status_page) ?? null,
    copy: webAddress(copy) ?? null,
  }),
});

/**
 * The former paths of posts that sent webmentions, newest first, as JSON. A page that was notified with the post's URL
 * at a former path is notified of later changes with the same URL.
 */
const formerPathTable = recordTable({
  name: 'delivery_paths',
  row: closed({ path: Type.String(), former: Type.String() }),
  read: ({ former }) => pathsIn(former),
  create: `CREATE TABLE IF NOT EXISTS delivery_paths (path TEXT PRIMARY KEY, former TEXT NOT NULL) STRICT`,
  format: 1,
  cleaned: asChecked,
});

/** All tables of the sender. */
export const sendTables = [deliveryTable, formerPathTable];

type DeliveryRow = Static<typeof deliveryTable.row>;

const Paths = Type.Array(Type.String());

/** Returns the former paths in a row; undefined if they can't be read. */
function pathsIn(former: string): readonly string[] | undefined {
  const paths = jsonIn(former);
  return isValid(Paths, paths) ? paths : undefined;
}

function entryIn(found: Row): Entry {
  const row = readRow(deliveryTable, found);
  const { target, state, words, at, linked, told, told_from, not_before, status_page, copy } = row;
  return {
    target,
    state,
    words,
    at,
    linked: linked === 1,
    notified: told === 1,
    ...(told_from !== null && { from: told_from }),
    ...(not_before !== null && { notBefore: not_before }),
    ...(row.for_responses === 1 && { forResponses: true }),
    ...(row.more_responses === 1 && { moreResponses: true }),
    ...(status_page !== null && { statusPage: status_page }),
    ...(copy !== null && { copy }),
  };
}

function deliveryRowOf(path: string, entry: Entry): DeliveryRow {
  const { target, state, words, at, linked, notified, from, notBefore, statusPage, copy } = entry;
  return {
    path,
    target,
    state,
    words,
    at,
    linked: linked ? 1 : 0,
    told: notified ? 1 : 0,
    told_from: from ?? null,
    not_before: notBefore ?? null,
    for_responses: entry.forResponses ? 1 : 0,
    more_responses: entry.moreResponses ? 1 : 0,
    status_page: statusPage ?? null,
    copy: copy ?? null,
  };
}
