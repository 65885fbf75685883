import type { Post } from '../contract/posts.ts';
import { isLiveAtHome } from '../posts/address.ts';
import { percentDecoded } from '../posts/post-path.ts';
import { listedBy, type PostReader } from '../posts/rendering/reader.ts';
import { listAt } from '../posts/rendering/site-list.ts';
import { isListed, isReadable, isTombstone } from '../posts/visibility.ts';

/** The result for a visitor who requests the path of a post; undefined if there is nothing to show. */
export type FoundPost =
  | { readonly kind: 'post'; readonly post: Post }
  | { readonly kind: 'gone' }
  /**
   * `path`: the post's current path. `url`: the post's URL on the owner's own site, if the post is live there. `post`:
   * absent if the post was deleted.
   */
  | { readonly kind: 'moved'; readonly path: string; readonly url?: string; readonly post?: Post };

export interface PostSight {
  readonly posts: PostReader;
  /** Returns the current time in ms. Posts with a later publication date are not visible yet. */
  readonly now: () => number;
}

/** Only paths of this form are looked up. This keeps requests from reaching files outside the posts folder. */
const postPath = /^\/posts\/\d{4}\/\d\d\/(?!\.)[^/\\\0]+$/;

/** Decodes and looks up the percent-encoded path of a post. Returns only content that the public may see. */
export async function foundPost({ posts, now }: PostSight, path: string): Promise<FoundPost | undefined> {
  if (!postPath.test(path)) return undefined;
  const post = await posts.get(path);
  if (post && isReadable(post, now())) return isElsewhere(post) ? movedTo(post) : { kind: 'post', post };
  if (post) return isTombstone(post) ? { kind: 'gone' } : undefined;
  const moved = await posts.movedTo(path);
  const there = moved === undefined ? undefined : await posts.get(moved);
  // The public must not learn the new path of a draft, a private post or a scheduled post.
  if (moved === undefined || !there) return undefined;
  if (isReadable(there, now())) return movedTo(there);
  return isTombstone(there) ? { kind: 'moved', path: moved } : undefined;
}

/** Returns whether a post's page is live on the owner's own site. If it is, the page on this server redirects to it. */
export const isElsewhere = (post: Post): boolean => post.home !== undefined && isLiveAtHome(post);

function movedTo(post: Post): FoundPost {
  const { path, home } = post;
  return { kind: 'moved', path, post, ...(home && isElsewhere(post) && { url: home.url }) };
}

/** The paths of the pages that exist even without posts. */
const fixedPages = ['/', '/archive', '/categories', '/subscribe'];

/**
 * Returns whether a path is that of a public page of the site: a fixed page, a post (even under an earlier path), or a
 * list with posts. Searches, files and endpoints don't count as pages. `pathname`: as addressOfPage returns it.
 */
export async function isPublicPage(sight: PostSight, pathname: string): Promise<boolean> {
  if (fixedPages.includes(pathname)) return true;
  const list = listAt(pathname);
  if (list) {
    const filter = { ...listedBy(sight.now()), ...list.filter };
    const { items } = await sight.posts.list({ limit: 1, filter, isBegun: true });
    return items.some((post) => isListed(post, sight.now()));
  }
  const path = percentDecoded(pathname);
  const found = path === undefined ? undefined : await foundPost(sight, path);
  return found?.kind === 'post' || (found?.kind === 'moved' && found.post !== undefined);
}
