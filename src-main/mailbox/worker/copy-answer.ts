import type { Copy } from '../../platform/mailbox-protocol.ts';

/** The parts of a visitor's GET or HEAD request that are needed to respond with a copy. */
export interface Look {
  readonly address: string;
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
export function copyAnswer(copy: Copy, { head, ifNoneMatch }: Look, since: number): CopyAnswer {
  const note = copy.noteAt === null ? undefined : new TextEncoder().encode(noteOf(since));
  const etag = etagOf(copy, since);
  const headers: Record<string, string> = {
    ...copy.headers,
    etag,
    // The browser must ask for a newer version on each visit. Otherwise, when the server is awake again, visitors would
    // still see the note that the page is a copy.
    ...(note !== undefined && { 'cache-control': 'no-cache' }),
  };
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
