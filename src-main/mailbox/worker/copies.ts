import {
  type Copy,
  mostCopiesBytes,
  mostCopyBytes,
  type StoredStamp,
} from '../../platform/mailbox-protocol.ts';

/**
 * The maximum size of one part of a body, in bytes. A row can hold at most 2 MB, so a longer body is split into parts,
 * one per row.
 */
const partBytes = 1_000_000;

/** The data of a copy except its body. `gone`: the page was deleted, and there is no body. */
type About = Pick<Copy, 'status' | 'headers' | 'noteAt'> | { readonly status: 'gone' };
type StoredCopy = Copy | { readonly status: 'gone' };

/** The number of copies, and the total size of their bodies in bytes. */
interface CopyTotals {
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
      after,
      limit,
    )
    .toArray();
}

function write(sql: SqlStorage, address: string, hash: string, about: About, body: Uint8Array): void {
  const parts = Math.max(1, Math.ceil(body.length / partBytes));
  for (let part = 0; part < parts; part += 1) {
    const piece = body.slice(part * partBytes, (part + 1) * partBytes);
    const written = part === 0 ? JSON.stringify(about) : '';
    sql.exec('INSERT INTO copies VALUES (?, ?, ?, ?, ?)', address, part, hash, written, piece.buffer);
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

/** The parts of a visitor's GET or HEAD request that are needed to respond with a copy. */
export interface CopyRequest {
  readonly address: string;
  /** The query to add to the location of a redirect; absent for none. */
  readonly query?: string;
  readonly head: boolean;
  readonly ifNoneMatch: string | null;
}

export interface CopyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** Matches query parameters that only track where a visitor comes from. The page is the same without them. */
const ignored = /^(utm_[^=]*|fbclid|gclid|mc_cid|mc_eid)(=|$)/;

/** Returns the address under which a URL's copy is stored. Percent-encoding is in upper case, as servers write it. */
export function addressOfCopy({ pathname, search }: URL): string {
  const query = search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !ignored.test(part))
    .join('&');
  const address = query === '' ? pathname : `${pathname}?${query}`;
  return address.replace(/%[0-9a-f]{2}/gi, (escaped) => escaped.toUpperCase());
}

/** Builds a response from a copy. `since`: when the server was last awake, in ms since 1970. */
export function copyAnswer(copy: Copy, { head, ifNoneMatch, query }: CopyRequest, since: number): CopyAnswer {
  const note = copy.noteAt === null ? undefined : new TextEncoder().encode(noteOf(since));
  const etag = etagOf(copy, since);
  const headers: Record<string, string> = {
    ...copy.headers,
    etag,
    // The browser must ask for a newer version on each visit. Otherwise, when the server is awake again, visitors would
    // still see the note that the page is a copy.
    ...(note !== undefined && { 'cache-control': 'no-cache' }),
  };
  const { location } = headers;
  if (location !== undefined && query !== undefined) headers['location'] = location + query;
  delete headers['content-length'];
  if (copy.status === 200 && matches(ifNoneMatch, etag)) return { status: 304, headers, body: null };
  const length = copy.body.length + (note?.length ?? 0);
  if (head)
    return { status: copy.status, headers: { ...headers, 'content-length': String(length) }, body: null };
  const body = new Uint8Array(length);
  const at = copy.noteAt ?? copy.body.length;
  body.set(copy.body.subarray(0, at));
  body.set(note ?? [], at);
  body.set(copy.body.subarray(at), at + (note?.length ?? 0));
  return { status: copy.status, headers, body };
}

/**
 * Returns the ETag of a response made from a copy. It differs from the server's ETag, and changes when the note at the
 * top of the page changes.
 */
const etagOf = ({ hash, noteAt }: Copy, since: number): string =>
  `W/"copy-${hash.slice(0, 32)}${noteAt === null ? '' : `-${since.toString(36)}`}"`;

/**
 * Returns whether an If-None-Match header matches an ETag: a weak comparison with each ETag in the header (RFC 9110,
 * 13.1.2).
 */
function matches(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const bare = etag.replace(/^W\//, '');
  return Array.from(ifNoneMatch.matchAll(/"[^"]*"/g), ([tag]) => tag).includes(bare);
}

/**
 * Returns the HTML note that tells readers that a page is a copy. The time has the same format as on the site's pages
 * (posts/rendering/moment.ts).
 */
function noteOf(since: number): string {
  const moment = new Date(since).toISOString();
  const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(since);
  const time = `<time datetime="${moment}">${date}, ${moment.slice(11, 16)} UTC</time>`;
  return `<div class="copy-note" role="note">This is a copy from ${time}. The server is asleep.</div>`;
}

const longestCopyAddress = 4096;
const longestHash = 200;
const newline = 10;

/** Parses the body of a `store` call (see `joinCopies`). Returns undefined if the body is malformed. */
export function splitCopies(body: Uint8Array): readonly Copy[] | undefined {
  const end = body.indexOf(newline);
  const about = end < 0 ? undefined : jsonInBytes(body.subarray(0, end));
  if (!Array.isArray(about)) return undefined;
  const copies: Copy[] = [];
  let at = end + 1;
  for (const each of about as unknown[]) {
    const bytes = fieldOf(each, 'bytes');
    if (!isCount(bytes, mostCopyBytes) || at + bytes > body.length) return undefined;
    const copy = copyIn(each, body.subarray(at, at + bytes));
    if (copy === undefined) return undefined;
    copies.push(copy);
    at += bytes;
  }
  return at === body.length ? copies : undefined;
}

export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('/') && value.length <= longestCopyAddress;
}

/** Returns whether a value is an integer from 0 to `most`. */
export function isCount(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

/** Parses JSON in UTF-8. Returns undefined if the bytes aren't valid JSON. */
export function jsonInBytes(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function copyIn(value: unknown, body: Uint8Array): Copy | undefined {
  const address = fieldOf(value, 'address');
  const hash = fieldOf(value, 'hash');
  const status = fieldOf(value, 'status');
  const noteAt = fieldOf(value, 'noteAt');
  const headers = headersIn(fieldOf(value, 'headers'));
  if (!isAddress(address) || typeof hash !== 'string' || hash === '' || hash.length > longestHash)
    return undefined;
  if (headers === undefined || (status !== 200 && !(status === 301 && 'location' in headers)))
    return undefined;
  if (noteAt !== null && !isCount(noteAt, body.length)) return undefined;
  return { address, hash, status, headers, noteAt, body };
}

function headersIn(value: unknown): Record<string, string> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  try {
    const entries = Object.entries(value).filter(([, text]) => typeof text === 'string');
    if (entries.length !== Object.keys(value).length) return undefined;
    return Object.fromEntries(new Headers(entries as [string, string][]));
  } catch {
    return undefined;
  }
}
