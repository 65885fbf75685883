import type { Post } from '../contract/posts.ts';
import { pageAddress } from './page-address.ts';

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
 * Returns the post at a URL on the built-in site or on the owner's own site; undefined if there is none. The URL may be
 * spelled in any way that leads to the post's page (see pageAddress). The post may have been deleted, or have moved to
 * another URL.
 */
export async function postAtUrl(posts: PostFinder, base: string, url: string): Promise<Post | undefined> {
  if (!URL.canParse(url, base)) return undefined;
  const address = pageAddress(base, new URL(url, base).href);
  const built = (await posts.get(address)) ?? (await postAt(posts, await posts.movedTo(address)));
  return built ?? postAt(posts, await posts.atHome(address));
}

async function postAt(posts: PostFinder, path: string | undefined): Promise<Post | undefined> {
  return path === undefined ? undefined : posts.get(path);
}
