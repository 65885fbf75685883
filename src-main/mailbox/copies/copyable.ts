import { createHash } from 'node:crypto';
import { mostCopyBytes, type Copy } from '../../platform/mailbox-protocol.ts';
import type { SelfAnswer } from '../../http/ask-self.ts';

/**
 * The response headers that a copy keeps. The mailbox at Cloudflare makes its own ETag. Headers about a connection or
 * about a compressed body don't apply to a copy.
 */
const keptHeaders = [
  ...['access-control-allow-origin', 'access-control-expose-headers', 'cache-control', 'cdn-cache-control'],
  ...['content-disposition', 'content-security-policy', 'content-type', 'cross-origin-resource-policy'],
  ...['last-modified', 'link', 'location', 'referrer-policy', 'strict-transport-security'],
  ...['x-content-type-options', 'x-frame-options', 'x-permitted-cross-domain-policies'],
];

/** Returns the copy of a response; undefined if the response must not be copied. */
export function copyOf(address: string, answer: SelfAnswer): Copy | undefined {
  const { status, body } = answer;
  const isRedirect = status === 301 && answer.headers['location'] !== undefined;
  if ((status !== 200 && !isRedirect) || body.length > mostCopyBytes) return undefined;
  if (/\b(?:no-store|private)\b/i.test(answer.headers['cache-control'] ?? '')) return undefined;
  if (answer.headers['set-cookie'] !== undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const name of keptHeaders) {
    const value = answer.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  const noteAt = isHtml(answer) ? startOfBody(body) : null;
  const hash = createHash('sha256')
    .update(`${JSON.stringify([status, headers, noteAt])}\n`)
    .update(body)
    .digest('hex');
  return { address, hash, status, headers, noteAt, body };
}

/** Returns whether a response is an HTML page. */
export const isHtml = ({ status, headers }: Pick<SelfAnswer, 'status' | 'headers'>): boolean =>
  status === 200 && (headers['content-type'] ?? '').startsWith('text/html');

/**
 * Returns the byte position at which the content of a page's body begins. Searches only after the first `</head>`. The
 * owner's CSS in the head can't contain that tag, but it may contain `<body`.
 */
function startOfBody(page: Uint8Array): number | null {
  const bytes = Buffer.from(page.buffer, page.byteOffset, page.byteLength);
  const head = bytes.indexOf('</head>');
  const tag = head === -1 ? -1 : bytes.indexOf('<body', head);
  const end = tag === -1 ? -1 : bytes.indexOf('>', tag);
  return end === -1 ? null : end + 1;
}
