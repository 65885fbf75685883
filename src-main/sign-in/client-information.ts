import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { addressLeadsHere, bareHost, hostIsLoopback } from '../platform/address.ts';
import { isIpAddress, isLoopbackHost, parseClientId, sameUrl } from '../platform/web-address.ts';
import { isRecord, jsonIn } from '../storage/json-value.ts';
import { isValid } from '../storage/schema-check.ts';

/** The information that a client publishes about itself, as far as Porchlight could read it. */
export interface ClientInformation {
  readonly id: string;
  readonly name: string;
  /** The URL of the client's logo, which is not fetched yet. */
  readonly logoUri: string | null;
  readonly redirects: RegisteredRedirects;
  /** Warnings about this client for the owner. */
  readonly warnings: readonly string[];
  /** Whether what the client has published could not be read now, so its redirect URIs are unknown. */
  readonly isUnread?: true;
}

/**
 * Returns the information about a client that its client_id alone provides. `warning`: why nothing else is known.
 * `isUnread`: see ClientInformation.
 */
export function clientFromIdOnly(
  clientId: string,
  warning: string,
  more: Pick<ClientInformation, 'isUnread'> = {},
): ClientInformation {
  return {
    ...more,
    id: clientId,
    name: new URL(clientId).host,
    logoUri: null,
    redirects: { uris: [], exclusive: false },
    warnings: [warning],
  };
}

const clientDocument = Type.Object({
  client_id: Type.String(),
  client_name: Type.Optional(Type.String()),
  client_uri: Type.Optional(Type.String()),
  logo_uri: Type.Optional(Type.String()),
  redirect_uris: Type.Optional(Type.Array(Type.String())),
  token_endpoint_auth_method: Type.Optional(Type.String()),
  token_endpoint_auth_methods_supported: Type.Optional(Type.Array(Type.String())),
});

function refuseClient(message: string): never {
  throw new PorchlightError('invalid_client', message);
}

/**
 * Reads a client's JSON document (IndieAuth 4.2.1, Client ID Metadata Document).
 * @throws PorchlightError `invalid_client` if the document is invalid or breaks a rule.
 */
export function clientFromDocument(clientId: string, text: string): ClientInformation {
  const document = parseObject(text);
  if (!isValid(clientDocument, document))
    refuseClient('The app’s description is not a client metadata document.');
  if (!isSameId(document.client_id, clientId))
    refuseClient('The client_id in the app’s description belongs to another app.');
  if ('client_secret' in document || 'client_secret_expires_at' in document) {
    refuseClient('The app’s description contains a client secret, which must not be public.');
  }
  const method = document.token_endpoint_auth_method ?? 'none';
  // A client that prefers a key but can do without one is a public client (IA-46).
  const isPublic = method === 'none' || document.token_endpoint_auth_methods_supported?.includes('none');
  if (isPublic !== true) {
    const shown = displayName(method.slice(0, 60)) ?? '';
    refuseClient(`The app uses the authentication method “${shown}”, which this server does not support.`);
  }
  const { client_uri: clientUri, logo_uri: logoUri } = document;
  return {
    id: clientId,
    name: displayName(document.client_name) ?? new URL(clientId).host,
    logoUri: logoUri !== undefined && /^https?:/i.test(logoUri) && URL.canParse(logoUri) ? logoUri : null,
    redirects: { uris: document.redirect_uris ?? [], exclusive: document.redirect_uris !== undefined },
    warnings: clientUri === undefined ? [] : siteWarnings(clientUri, clientId),
  };
}

function parseObject(text: string): Record<string, unknown> {
  const value = jsonIn(text);
  return isRecord(value) ? value : refuseClient('The app’s description is not a JSON object.');
}

/** Returns whether two client ids match, ignoring an empty path and the case of scheme and host (IndieAuth 3.4). */
function isSameId(a: string, b: string): boolean {
  return a === b || (parseClientId(a) !== null && withPath(a) === withPath(b));
}

function withPath(id: string): string {
  const [, origin = '', rest = ''] = /^([^/]*\/\/[^/?]*)(.*)$/s.exec(id) ?? [];
  return `${origin.toLowerCase()}${rest.startsWith('/') ? '' : '/'}${rest}`;
}

/**
 * Returns the warning about a client_uri on another host than the client_id. Porchlight doesn't use the client_uri
 * otherwise, so one that is no prefix of the client_id is ignored (IA-43).
 */
function siteWarnings(clientUri: string, clientId: string): string[] {
  const { host } = new URL(clientId);
  const named = URL.canParse(clientUri) ? new URL(clientUri).host : '';
  if (named === host) return [];
  return [`This app names another site as its home than ${host}, where its description is.`];
}

/** Returns a stranger's name as one line of at most 80 visible characters; undefined if nothing is left. */
export function displayName(text: string | undefined): string | undefined {
  const name = (text ?? '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return name === '' ? undefined : Array.from(name).slice(0, 80).join('');
}

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
 * `addressesOf`: returns the IP addresses of a name; none if that is unknown.
 */
export async function goesToProgram(
  redirectUri: string,
  addressesOf: (host: string) => Promise<readonly string[]>,
): Promise<boolean> {
  const url = new URL(redirectUri);
  if (!isWeb(url) || hostIsLoopback(url.hostname)) return true;
  const host = bareHost(url.hostname);
  const addresses = isIpAddress(url.hostname) ? [host] : await addressesOf(host);
  return addresses.some(addressLeadsHere);
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
