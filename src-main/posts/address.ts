import type { Post } from '../contract/posts.ts';
import { hostOf } from '../platform/site-name.ts';
import type { AdoptedPost, AdoptedPosts, PostStore } from './post-store.ts';
import { invalidRequest } from '../http/errors.ts';

/**
 * Returns a post's own URL: on the owner's own site if the post is published there, otherwise on the built-in site.
 * `base`: the public origin, without a trailing slash.
 */
export function postUrl(base: string, { path, home }: Pick<Post, 'path' | 'home'>): string {
  return home?.url ?? builtInUrl(base, path);
}

/** Returns the URL of a post's page on the built-in site. `path`: in the form of `Post.path`. */
export const builtInUrl = (base: string, path: string) => `${base}${path}`;

/**
 * Returns all URLs under which readers may know a post: its own URL, the URL of its page on the built-in site, and its
 * former URLs on the owner's own site.
 */
export function postUrls(base: string, post: Pick<Post, 'path' | 'home'>): string[] {
  return [...new Set([postUrl(base, post), builtInUrl(base, post.path), ...(post.home?.former ?? [])])];
}

/**
 * Returns whether a post's page has been seen live at the post's own URL. Always returns true if the post is only on
 * the built-in site.
 */
export const isLiveAtHome = ({ home }: Pick<Post, 'home'>) => home === undefined || home.liveAt !== null;

/** Finds posts by path, and by their URLs on the owner's own site. */
export interface PostFinder {
  get(path: string): Promise<Post | undefined>;
  movedTo(path: string): Promise<string | undefined>;
  atHome(url: string): Promise<string | undefined>;
}

/**
 * Returns the post with a URL on the built-in site or on the owner's own site; undefined if there is none. The post may
 * have been deleted, or have moved to another URL. Ignores a fragment in the URL. A URL that only leads to the post's
 * page, such as one with a query, isn't a URL of the post; see postOnPage.
 */
export async function postAtUrl(posts: PostFinder, base: string, url: string): Promise<Post | undefined> {
  if (!URL.canParse(url, base)) return undefined;
  const { origin, pathname, search, href, hash } = new URL(url, base);
  const isBuiltIn = origin === new URL(base).origin && search === '';
  const built = isBuiltIn ? await builtInPost(posts, pathname) : undefined;
  return built ?? postAt(posts, await posts.atHome(hash === '' ? href : href.slice(0, -hash.length)));
}

/**
 * Returns the post on the page at a URL, however the URL is spelled (see addressOfPage); undefined if there is none. The
 * post may have been deleted, or have moved to another URL.
 */
export async function postOnPage(posts: PostFinder, base: string, url: string): Promise<Post | undefined> {
  const address = addressOfPage(base, url);
  return (await builtInPost(posts, address)) ?? postAt(posts, await posts.atHome(address));
}

const builtInPost = async (posts: PostFinder, path: string): Promise<Post | undefined> =>
  (await posts.get(path)) ?? postAt(posts, await posts.movedTo(path));

async function postAt(posts: PostFinder, path: string | undefined): Promise<Post | undefined> {
  return path === undefined ? undefined : posts.get(path);
}

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
  /**
   * Returns the title of the post with a page id, or the beginning of its text, also if the post was deleted; undefined if
   * there is no such post, or if it has neither.
   */
  readonly titleOf: (page: string) => string | undefined;
}

/**
 * Returns the post at a URL, even if it is deleted or has moved from that URL.
 * @throws invalid_request if there is no such post (MP-46, MP-65)
 */
export async function findPost(posts: PostStore, base: string, url: string): Promise<Post> {
  const post = await storedPost(posts, base, url);
  if (!post) throw postNotFound();
  return post;
}

async function storedPost(posts: PostStore, base: string, url: string): Promise<Post | undefined> {
  return URL.canParse(url) ? postAtUrl(posts, base, url) : undefined;
}

/**
 * Returns the adopted post (see AdoptedPost) at a URL. Returns undefined if there is none, or if one of Porchlight's
 * own posts has the URL.
 */
export async function findAdopted(
  { adopted, posts, base }: { adopted: AdoptedPosts | undefined; posts: PostStore; base: string },
  url: string,
): Promise<AdoptedPost | undefined> {
  if (adopted === undefined || (await storedPost(posts, base, url))) return undefined;
  return adopted.at(url);
}

export function postIsDeleted() {
  return invalidRequest('This post is deleted. Restore it before you change it.');
}

export function postNotFound() {
  return invalidRequest('The post with the requested URL was not found.');
}
