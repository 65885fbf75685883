import type { Post } from '../contract/posts.ts';
import type { PostReader } from './reader.ts';
import { isListed, isReadable, isTombstone, listedBy } from './visibility.ts';

/** What a visitor finds at the path of a post; undefined where there is nothing. */
export type FoundPost =
  | { readonly kind: 'post'; readonly post: Post }
  | { readonly kind: 'gone' }
  /** `post`: what is there now; absent where that was deleted. */
  | { readonly kind: 'moved'; readonly path: string; readonly post?: Post };

export interface PostSight {
  readonly posts: PostReader;
  /** In ms: what is published later is not there yet. */
  readonly now: () => number;
}

/** The only addresses that the reader is asked for: none climbs out of where posts are. */
const postPath = /^\/posts\/\d{4}\/\d\d\/(?!\.)[^/\\\0]+$/;

/** Looks up a path, with its percent-encoding undone, as the public may see it. */
export async function foundPost({ posts, now }: PostSight, path: string): Promise<FoundPost | undefined> {
  if (!postPath.test(path)) return undefined;
  const post = await posts.get(path);
  if (post && isReadable(post, now())) return { kind: 'post', post };
  if (post) return isTombstone(post) ? { kind: 'gone' } : undefined;
  const moved = await posts.movedTo(path);
  const there = moved === undefined ? undefined : await posts.get(moved);
  // The new address of a draft, a private post or one that is still to come is nobody's to know.
  if (moved === undefined || !there) return undefined;
  if (isReadable(there, now())) return { kind: 'moved', path: moved, post: there };
  return isTombstone(there) ? { kind: 'moved', path: moved } : undefined;
}

/**
 * True for the address of a page of the site that the public may read: the front page, a post (or where it was before
 * it moved), a category that has posts. Feeds, files and endpoints are no pages. Only the path is looked at.
 */
export async function isPublicPage(sight: PostSight, { pathname }: URL): Promise<boolean> {
  if (pathname === '/') return true;
  const path = decoded(pathname);
  if (path?.startsWith('/posts/')) {
    const found = await foundPost(sight, path);
    return found?.kind === 'post' || (found?.kind === 'moved' && found.post !== undefined);
  }
  const category = path?.startsWith('/categories/') ? path.slice('/categories/'.length) : '';
  if (category === '') return false;
  const { items } = await sight.posts.list({ limit: 1, filter: { ...listedBy(sight.now()), category } });
  return items.some((post) => isListed(post, sight.now()));
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
