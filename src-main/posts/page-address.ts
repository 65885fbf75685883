import { hostOf } from '../platform/site-name.ts';

/** Query parameters that don't change the page. Sites and apps add them to measure where visitors come from. */
const tracking = /^(?:utm_[^=]*|fbclid|gclid|replytocom)(?:=|$)/i;

/**
 * Returns the address of the page at a URL. All URLs with the same address lead to the same page. The address of a page
 * of the built-in site is a path such as `/posts/2026/11/tea`. All other addresses are normalized URLs. `base`: the
 * public origin of this server. An address is returned unchanged, and so is text that isn't a URL, except that fragments
 * are always removed.
 *
 * The rule needs no stored data, so it doesn't know that a post has moved; see PageFinder.
 */
export function addressOfPage(base: string, text: string): string {
  const url = webUrl(text);
  if (url === undefined) return text.replace(/#.*/s, '');
  return isOnSite(base, url) ? builtInPath(url.pathname) : normalizedUrl(url);
}

function webUrl(text: string): URL | undefined {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}

/** The host of the base that was asked for last. There is only one at a time, and many URLs are compared with it. */
let site = { base: '', host: '' };

function isOnSite(base: string, url: URL): boolean {
  if (site.base !== base) site = { base, host: URL.canParse(base) ? hostOf(new URL(base)) : '' };
  return site.host !== '' && hostOf(url) === site.host;
}

/** The names under which feeds are usually found, and the name of the same feed on the built-in site. */
const usualFeeds: Readonly<Record<string, string>> = {
  feed: 'feed.rss',
  rss: 'feed.rss',
  'rss.xml': 'feed.rss',
  'index.xml': 'feed.rss',
  'atom.xml': 'feed.atom',
  'feed.xml': 'feed.atom',
};

/**
 * Returns the one spelling of a path on the built-in site: without a trailing slash, with the site's own name of a
 * feed, and with only the escapes that are needed. The lists of years and months end with a slash. Returns a path for
 * every path, whether or not there is a page. `pathname`: percent-encoded.
 */
export function oneSpelling(pathname: string): string {
  const path = escaped(pathname).replace(/(?<=[^/])\/$/, '');
  if (/^\/posts\/\d{4}(?:\/\d\d)?$/.test(path)) return `${path}/`;
  const [, list, name = ''] = /^(\/|\/(?:categories|kinds)\/[^/]+\/)([^/]+)$/.exec(path) ?? [];
  return list !== undefined && Object.hasOwn(usualFeeds, name) ? `${list}${usualFeeds[name]}` : path;
}

/** Returns the path of a page of the built-in site. A feed belongs to the page of its list. */
function builtInPath(pathname: string): string {
  const path = oneSpelling(pathname).replace(/(?<=[^/])\/$/, '');
  const [, list] = /^(|\/(?:categories|kinds)\/[^/]+)\/feed\.(?:atom|rss|json)$/.exec(path) ?? [];
  return list === undefined ? path : list || '/';
}

/** Returns a path with the escapes that `encodeURIComponent` makes. A part that isn't valid UTF-8 stays unchanged. */
function escaped(pathname: string): string {
  if (/^[\w./-]*$/.test(pathname)) return pathname;
  const parts = pathname.split('/').map((part) => {
    try {
      return encodeURIComponent(decodeURIComponent(part));
    } catch {
      return part;
    }
  });
  return parts.join('/');
}

/**
 * Returns the normalized form of a web address on any site (RFC 3986, 6.2): a lower-case scheme and host, no default
 * port, at least `/` as the path, no escapes of unreserved characters, no tracking parameters and no fragment.
 */
export function normalizedUrl(url: URL): string {
  const { protocol, pathname, search } = url;
  const parameters = search.slice(1).split('&');
  const query = parameters.filter((one) => one !== '' && !tracking.test(one)).join('&');
  return `${protocol}//${hostOf(url)}${plainEscapes(pathname)}${query === '' ? '' : `?${plainEscapes(query)}`}`;
}

const plainEscapes = (text: string): string =>
  text.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });

/** Returns the same address with http instead of https, or https instead of http. */
export const withOtherScheme = (address: string): string =>
  address.startsWith('https:') ? `http:${address.slice(6)}` : address.replace(/^http:/, 'https:');

/** Knows the posts and their URLs. Its answers come from the index, without waiting. */
export interface PageFinder {
  /**
   * Returns the id of the page at an address (see addressOfPage). The id of a post's page is the post's current path,
   * whether the address is a current or a former URL of the post. For any other page, the id is the address itself.
   */
  readonly pageAt: (address: string) => string;
  /** Returns the current URL on the owner's own site of the post with a page id; undefined if it has none. */
  readonly homeUrl: (page: string) => string | undefined;
}
