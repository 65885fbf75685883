import { mostCopyBytes, type Copy } from '../../platform/mailbox-protocol.ts';

const longestAddress = 4096;
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
  return typeof value === 'string' && value.startsWith('/') && value.length <= longestAddress;
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
