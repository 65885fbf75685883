import type { Transaction } from '../../storage/records/group-commit.ts';
import { cellsOf, insertInto } from '../../storage/records/record-table.ts';
import type { Records } from '../../storage/records/records.ts';
import {
  deliveryTable,
  entryIn,
  formerPathTable,
  pathsIn,
  deliveryRowOf,
  type DeliveryRow,
  type Entry,
} from './delivery-table.ts';

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
  (rows('SELECT * FROM deliveries WHERE path = ? ORDER BY rowid', path) as DeliveryRow[]).map(entryIn);

export function entryOf({ rows }: Query, path: string, target: string): Entry | undefined {
  const [row] = rows('SELECT * FROM deliveries WHERE path = ? AND target = ?', path, target) as DeliveryRow[];
  return row && entryIn(row);
}

/** Changes the entry of a page, which keeps its place among the pages of its post. */
export function updateEntry({ run }: Transaction, path: string, entry: Entry): void {
  const row = deliveryRowOf(path, entry);
  const columns = Object.keys(row);
  run(
    `UPDATE deliveries SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE path = ? AND target = ?`,
    ...[...Object.values(row), path, entry.target],
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
  const [row] = rows('SELECT former FROM delivery_paths WHERE path = ?', path);
  return pathsIn(String(row?.['former'] ?? '[]')) ?? [];
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
  (
    rows(
      `SELECT * FROM deliveries WHERE state = 'waiting' AND NOT EXISTS (
         SELECT 1 FROM work WHERE kind = ? AND key = deliveries.path || ' ' || deliveries.target) LIMIT ?`,
      ...[kind, limit],
    ) as DeliveryRow[]
  ).map((row) => ({ path: row.path, entry: entryIn(row) }));
