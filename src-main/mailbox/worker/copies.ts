import { mostCopiesBytes, type Copy, type StoredStamp } from '../../platform/mailbox-protocol.ts';

/**
 * The maximum size of one part of a body, in bytes. A row can hold at most 2 MB, so a longer body is split into parts,
 * one per row.
 */
const partBytes = 1_000_000;

/** The data of a copy except its body. `gone`: the page was deleted, and there is no body. */
type About = Pick<Copy, 'status' | 'headers' | 'noteAt'> | { readonly status: 'gone' };
export type StoredCopy = Copy | { readonly status: 'gone' };

/** The number of copies, and the total size of their bodies in bytes. */
export interface CopyTotals {
  readonly copies: number;
  readonly copyBytes: number;
}

interface Row extends Record<string, SqlStorageValue> {
  hash: string;
  about: string;
  body: ArrayBuffer;
}

export function findCopy(sql: SqlStorage, address: string): StoredCopy | undefined {
  const rows = sql
    .exec<Row>('SELECT hash, about, body FROM copies WHERE address = ? ORDER BY part', address)
    .toArray();
  const [first] = rows;
  if (first === undefined) return undefined;
  const about = JSON.parse(first.about) as About;
  if (about.status === 'gone') return about;
  const body = new Uint8Array(rows.reduce((sum, row) => sum + row.body.byteLength, 0));
  let at = 0;
  for (const row of rows) {
    body.set(new Uint8Array(row.body), at);
    at += row.body.byteLength;
  }
  return { ...about, address, hash: first.hash, body };
}

/**
 * Stores copies and replaces those with the same addresses. Returns the new totals, or undefined if all copies
 * together would be too large.
 */
export function storeCopies(
  sql: SqlStorage,
  copies: readonly Copy[],
  totals: CopyTotals,
): CopyTotals | undefined {
  let now = totals;
  for (const { address, hash, body, status, headers, noteAt } of copies) {
    now = withoutCopy(sql, address, now);
    write(sql, address, hash, { status, headers, noteAt }, body);
    now = { copies: now.copies + 1, copyBytes: now.copyBytes + body.length };
  }
  return now.copyBytes > mostCopiesBytes ? undefined : now;
}

/** Removes copies. If `gone` is true, records that their pages were deleted. Returns the new totals. */
export function removeCopies(
  sql: SqlStorage,
  addresses: readonly string[],
  gone: boolean,
  totals: CopyTotals,
): CopyTotals {
  let now = totals;
  for (const address of addresses) {
    // Skip pages that are already recorded as deleted. The server reports all deleted posts again from time to time,
    // and Cloudflare counts each row that is written.
    if (gone && isGone(sql, address)) continue;
    now = withoutCopy(sql, address, now);
    if (gone) write(sql, address, '', { status: 'gone' }, new Uint8Array());
  }
  return now;
}

const isGone = (sql: SqlStorage, address: string) =>
  sql.exec("SELECT 1 FROM copies WHERE address = ? AND hash = ''", address).toArray().length > 0;

/**
 * Lists up to `limit` copies whose addresses come after `after`, sorted by address. Leaves out the records of deleted
 * pages.
 */
export function listCopies(sql: SqlStorage, after: string, limit: number): StoredStamp[] {
  return sql
    .exec<{ address: string; hash: string; bytes: number }>(
      `SELECT address, hash, sum(length(body)) AS bytes FROM copies
       WHERE address > ? AND hash <> '' GROUP BY address ORDER BY address LIMIT ?`,
      ...[after, limit],
    )
    .toArray();
}

function write(sql: SqlStorage, address: string, hash: string, about: About, body: Uint8Array): void {
  const parts = Math.max(1, Math.ceil(body.length / partBytes));
  for (let part = 0; part < parts; part += 1) {
    const piece = body.slice(part * partBytes, (part + 1) * partBytes);
    sql.exec(
      'INSERT INTO copies VALUES (?, ?, ?, ?, ?)',
      ...[address, part, hash, part === 0 ? JSON.stringify(about) : '', piece.buffer],
    );
  }
}

function withoutCopy(sql: SqlStorage, address: string, { copies, copyBytes }: CopyTotals): CopyTotals {
  const removed = sql
    .exec<{ hash: string; bytes: number }>(
      'DELETE FROM copies WHERE address = ? RETURNING hash, length(body) AS bytes',
      address,
    )
    .toArray();
  const was = removed.some(({ hash }) => hash !== '');
  const bytes = removed.reduce((sum, row) => sum + row.bytes, 0);
  return { copies: copies - (was ? 1 : 0), copyBytes: copyBytes - bytes };
}
