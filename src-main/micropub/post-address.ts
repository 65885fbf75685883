import type { Post } from '../contract/posts.ts';
import type { PostStore } from './post-store.ts';
import { invalid } from './safe-json.ts';

/** Returns the public address of a post. `base`: the origin, without a trailing slash. */
export function postUrl(base: string, { path }: Pick<Post, 'path'>): string {
  return `${base}${path}`;
}

/** Returns the path of a URL on this server, or undefined for any other URL. A fragment is ignored. */
function pathOf(base: string, url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname, search } = new URL(url);
  return origin === new URL(base).origin && search === '' ? pathname : undefined;
}

/**
 * Returns the post at a URL. The post may be deleted, or have moved to another URL.
 * @throws invalid_request if there is no such post (MP-46, MP-65)
 */
export async function findPost(posts: PostStore, base: string, url: string): Promise<Post> {
  const path = pathOf(base, url);
  const post = path === undefined ? undefined : ((await posts.get(path)) ?? (await moved(posts, path)));
  if (!post) throw postNotFound();
  return post;
}

export function postNotFound() {
  return invalid('The post with the requested URL was not found.');
}

async function moved(posts: PostStore, path: string): Promise<Post | undefined> {
  const now = await posts.movedTo(path);
  return now === undefined ? undefined : posts.get(now);
}
