/**
 * The URL rules of IndieAuth (section 3) for profile URLs and client identifiers.
 * The WHATWG parser mends what the specification forbids (dot segments, odd spellings of addresses, tabs),
 * so those rules look at the text as it came in, the rest at the parsed URL.
 */

const loopbackNames = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** True for a host, as URL.hostname gives it, that IndieAuth and RFC 8252 treat as this very computer. */
export function isLoopbackHost(hostname: string): boolean {
  return loopbackNames.has(hostname.toLowerCase());
}

interface RawParts {
  readonly host: string;
  readonly port: string | undefined;
  readonly path: string;
}

/** Takes an http(s) URL apart as text; null where the text is not plainly one. */
function rawParts(text: string): RawParts | null {
  const match = /^https?:\/\/([^/?#\\@]+)((?:\/[^?#]*)?)(\?[^#]*)?$/i.exec(text);
  const [, authority, path] = match ?? [];
  if (authority === undefined || path === undefined || hasForbiddenCharacter(text)) return null;
  const parts = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(authority);
  if (parts?.[1] === undefined) return null;
  return { host: parts[1].toLowerCase(), port: parts[2], path };
}

function hasForbiddenCharacter(text: string): boolean {
  return /[\p{Cc}\p{Cf}\s\\<>"]/u.test(text); // Cf: invisible ones, and those that turn what is shown around
}

function hasDotSegment(path: string): boolean {
  return path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}

function parsed(text: string): { url: URL; raw: RawParts } | null {
  const raw = rawParts(text);
  if (!raw || hasDotSegment(raw.path) || !URL.canParse(text)) return null;
  return { url: new URL(text), raw };
}

function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname); // so the parser writes every IPv4 address
}

/**
 * Reads a profile URL (IndieAuth 3.2): http or https, a domain name, no port, fragment, user or dot segments.
 * `allowLoopback` (development and tests) also admits a loopback host with a port. Null where it is not one.
 */
export function parseProfileUrl(text: string, { allowLoopback = false } = {}): URL | null {
  const found = parsed(text);
  if (!found) return null;
  const { url, raw } = found;
  if (allowLoopback && isLoopbackHost(url.hostname) && raw.host === url.hostname) return url;
  if (raw.port !== undefined || isAddress(url.hostname)) return null;
  return url;
}

/**
 * Reads a client identifier (IndieAuth 3.3): as a profile URL, but a port is allowed, and of the
 * addresses 127.0.0.1 and [::1] in just that spelling. Null where it is not one.
 */
export function parseClientId(text: string): URL | null {
  const found = parsed(text);
  if (!found) return null;
  const { url, raw } = found;
  if (isAddress(url.hostname) && !(isLoopbackHost(url.hostname) && raw.host === url.hostname)) return null;
  return url;
}

/** The form in which two URLs are compared (IndieAuth 3.4): lower-case host, `/` for no path. */
export function canonical(text: string): string {
  return URL.canParse(text) ? new URL(text).href : text;
}

/** True where two URLs are the same by IndieAuth's canonicalization. */
export function sameUrl(a: string, b: string): boolean {
  return canonical(a) === canonical(b);
}
