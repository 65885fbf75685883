import type { Post } from '../contract/posts.ts';
import { addressOfPage } from './page-address.ts';

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
