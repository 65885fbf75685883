/**
 * The URL rules of IndieAuth (section 3) for profile URLs and client identifiers. The WHATWG parser silently corrects
 * dot segments, unusual spellings of IP addresses, and tabs. So the rules against these three check the original text.
 * All other rules check the parsed URL.
 */

const loopbackNames = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Returns whether a host (in the form of URL.hostname) is this computer itself, according to IndieAuth and RFC 8252.
 */
export function isLoopbackHost(hostname: string): boolean {
  return loopbackNames.has(hostname.toLowerCase());
}

interface RawParts {
  readonly host: string;
  readonly port: string | undefined;
  readonly path: string;
}

/** Splits the text of an http(s) URL into its parts. Returns null if the text is not an http(s) URL. */
function rawParts(text: string): RawParts | null {
  const match = /^https?:\/\/([^/?#\\@]+)((?:\/[^?#]*)?)(\?[^#]*)?$/i.exec(text);
  const [, authority, path] = match ?? [];
  if (authority === undefined || path === undefined || hasForbiddenCharacter(text)) return null;
  const parts = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(authority);
  if (parts?.[1] === undefined) return null;
  return { host: parts[1].toLowerCase(), port: parts[2], path };
}

function hasForbiddenCharacter(text: string): boolean {
  return /[\p{Cc}\p{Cf}\s\\<>"]/u.test(text); // \p{Cf} matches invisible characters and direction marks
}

function hasDotSegment(path: string): boolean {
  return path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}

function parsed(text: string): { url: URL; raw: RawParts } | null {
  const raw = rawParts(text);
  if (!raw || hasDotSegment(raw.path) || !URL.canParse(text)) return null;
  return { url: new URL(text), raw };
}

/** Returns whether a URL's host is an IP address. `hostname`: of a URL, which has every IPv4 address as four numbers. */
export function isIpAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname);
}

/**
 * Parses a profile URL (IndieAuth 3.2): http or https, with a domain name and without a port, fragment, user or dot
 * segments. Returns null if the text is not a valid profile URL. `allowLoopback`: for development and tests, also
 * allows a loopback host with a port.
 */
export function parseProfileUrl(text: string, { allowLoopback = false } = {}): URL | null {
  const found = parsed(text);
  if (!found) return null;
  const { url, raw } = found;
  if (allowLoopback && isLoopbackHost(url.hostname) && raw.host === url.hostname) return url;
  if (raw.port !== undefined || isIpAddress(url.hostname)) return null;
  return url;
}

/**
 * Parses a client identifier (IndieAuth 3.3). Unlike a profile URL, it may have a port, and its host may be 127.0.0.1
 * or [::1], in exactly these spellings. Returns null if the text is not a valid client identifier.
 */
export function parseClientId(text: string): URL | null {
  const found = parsed(text);
  if (!found) return null;
  const { url, raw } = found;
  if (isIpAddress(url.hostname) && !(isLoopbackHost(url.hostname) && raw.host === url.hostname)) return null;
  return url;
}

/**
 * Returns a URL in the form used for comparison: with a lower-case host, and with `/` for an empty path (IndieAuth
 * 3.4).
 */
export function canonical(text: string): string {
  return URL.canParse(text) ? new URL(text).href : text;
}

/** Returns whether two URLs are equal after IndieAuth's canonicalization. */
export function sameUrl(a: string, b: string): boolean {
  return canonical(a) === canonical(b);
}
