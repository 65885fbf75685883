import type { Post } from '../contract/posts.ts';
import { postAtUrl } from './address.ts';
import type { AdoptedPost, AdoptedPosts } from './adopted-post.ts';
import type { PostStore } from './post-store.ts';
import { invalid } from './micropub/safe-json.ts';

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
  return invalid('This post is deleted. Restore it before you change it.');
}

export function postNotFound() {
  return invalid('The post with the requested URL was not found.');
}
