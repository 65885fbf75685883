import { isLoopbackHost, sameUrl } from './web-address.ts';

/** What a client published about where its answers may go. */
export interface RegisteredRedirects {
  /** Absolute URLs, as published. */
  readonly uris: readonly string[];
  /** True for a JSON document's `redirect_uris`: nothing else counts, the same origin neither (D-11). */
  readonly exclusive: boolean;
}

const neverSchemes = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'blob:',
  'about:',
  'ws:',
  'wss:',
  'ftp:',
  'filesystem:',
  'view-source:',
]);

/** What is wrong with the text of a redirect URI on its own, in words; null where nothing is (RFC 6749, 3.1.2). */
export function redirectUriFault(text: string): string | null {
  if (/[\p{Cc}\p{Cf}\s]/u.test(text) || !URL.canParse(text)) {
    return 'The redirect_uri is not a URL.';
  }
  const url = new URL(text);
  if (neverSchemes.has(url.protocol)) return `A redirect_uri cannot be a ${url.protocol} address.`;
  // Written otherwise, a browser may take it for a place on this very server: https:app.example/callback.
  if (isWeb(url) && !/^https?:\/\/[^/\\?#][^\\?#]*([?#]|$)/i.test(text))
    return 'The redirect_uri is not a plain web address.';
  if (text.includes('#')) return 'The redirect_uri has a fragment.';
  if (url.username !== '' || url.password !== '') return 'The redirect_uri contains a user name.';
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return 'The redirect_uri must use https.';
  return null;
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

/**
 * True where an answer may go to `redirectUri`: a published one to the letter (BCP 4.1.3; a loopback one at any
 * port, RFC 8252 7.3), or one of the client's own origin (IndieAuth 10.1).
 */
export function redirectAllowed(
  redirectUri: string,
  clientId: string,
  registered: RegisteredRedirects,
): boolean {
  if (registered.uris.some((uri) => uri === redirectUri || sameLoopback(uri, redirectUri))) return true;
  return !registered.exclusive && sameOrigin(redirectUri, clientId);
}

/** True where two addresses have scheme, host and port in common. */
export function sameOrigin(a: string, b: string): boolean {
  const [left, right] = [new URL(a), new URL(b)];
  return left.origin !== 'null' && left.origin === right.origin;
}

function sameLoopback(registered: string, asked: string): boolean {
  if (!URL.canParse(registered)) return false;
  const [left, right] = [new URL(registered), new URL(asked)];
  if (left.protocol !== 'http:' || right.protocol !== 'http:') return false;
  if (!isLoopbackHost(left.hostname) || !isLoopbackHost(right.hostname)) return false;
  left.port = right.port;
  return left.href === right.href;
}

/** True where two redirect URIs of one exchange are the same (IA-37: normalized for comparing only). */
export function sameRedirect(a: string, b: string): boolean {
  return a === b || sameUrl(a, b);
}

/**
 * The address that carries an answer back: what the redirect URI had in its query stays, the parameters come
 * after it (RFC 6749, 3.1.2). Percent-encoded, so that a state of any characters arrives as it was sent.
 */
export function redirectTo(redirectUri: string, parameters: Record<string, string | undefined>): string {
  const query = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const joint = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&';
  // A header holds ASCII only; what an app wrote beyond it means the same percent-encoded.
  return `${redirectUri.replace(/[^\x21-\x7e]+/g, encodeURIComponent)}${joint}${query}`;
}
