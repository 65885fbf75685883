import type { Post } from '../contract/posts.ts';
import { postAtUrl } from '../post/address.ts';
import type { PostStore } from './post-store.ts';
import { invalid } from './safe-json.ts';

/**
 * Returns the post at a URL. The post may be deleted, or have moved to another URL.
 * @throws invalid_request if there is no such post (MP-46, MP-65)
 */
export async function findPost(posts: PostStore, base: string, url: string): Promise<Post> {
  const post = URL.canParse(url) ? await postAtUrl(posts, base, url) : undefined;
  if (!post) throw postNotFound();
  return post;
}

export function postNotFound() {
  return invalid('The post with the requested URL was not found.');
}
