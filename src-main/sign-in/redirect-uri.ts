import { hostIsLoopback } from '../platform/address.ts';
import { isLoopbackHost, sameUrl } from '../platform/web-address.ts';

/** The redirect URIs that a client has published. */
export interface RegisteredRedirects {
  /** The published redirect URIs, as absolute URLs. */
  readonly uris: readonly string[];
  /**
   * Whether the URIs come from a JSON document. If so, all other URIs are refused, even on the client's own origin
   * (D-11).
   */
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

/**
 * Returns a message about the first error in the syntax of a redirect URI; null if the URI is valid (RFC 6749, 3.1.2).
 */
export function redirectUriFault(text: string): string | null {
  if (/[\p{Cc}\p{Cf}\s]/u.test(text) || !URL.canParse(text)) {
    return 'The redirect_uri is not a URL.';
  }
  const url = new URL(text);
  if (neverSchemes.has(url.protocol)) return `A redirect_uri cannot be a ${url.protocol} address.`;
  // Browsers may resolve a URL such as https:app.example/callback as a relative URL, which would lead to this server.
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
 * Returns whether a response to `redirectUri` goes to a program on the computer where the browser runs: over loopback, or
 * by a scheme of the program's own (RFC 8252, 7.1 and 7.3). Any program there can take the place of the right one.
 */
export function goesToProgram(redirectUri: string): boolean {
  const url = new URL(redirectUri);
  return !isWeb(url) || hostIsLoopback(url.hostname);
}

/**
 * Returns whether a response may be sent to `redirectUri`. Accepts a URI that the client has published (RFC 9700,
 * 4.1.3). The port of a loopback URI may differ from the published port (RFC 8252, 7.3). Unless `registered.exclusive`
 * is true, also accepts any URI on the client's own origin (IndieAuth 10.1).
 */
export function redirectAllowed(
  redirectUri: string,
  clientId: string,
  registered: RegisteredRedirects,
): boolean {
  if (registered.uris.some((uri) => uri === redirectUri || sameLoopback(uri, redirectUri))) return true;
  return !registered.exclusive && sameOrigin(redirectUri, clientId);
}

/** Returns whether two URLs have the same scheme, host and port. */
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

/**
 * Returns whether the redirect URIs of an authorization request and a token request are equal after normalization
 * (IA-37).
 */
export function sameRedirect(a: string, b: string): boolean {
  return a === b || sameUrl(a, b);
}

/**
 * Returns the URL that takes a response back to the app: the redirect URI with its own query, and then the parameters
 * (RFC 6749, 3.1.2). The parameters are percent-encoded, so any `state` arrives unchanged.
 */
export function redirectTo(redirectUri: string, parameters: Record<string, string | undefined>): string {
  const query = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const joint = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&';
  // The Location header may contain only ASCII, so percent-encode all other characters of the redirect URI.
  return `${redirectUri.replace(/[^\x21-\x7e]+/g, encodeURIComponent)}${joint}${query}`;
}
