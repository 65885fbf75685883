import type * as storedPosts from '../../src-main/posts/stored-posts.ts';
import type { PostHome } from '../../src-main/contract/posts.ts';
import type { OwnerPostStore } from '../../src-main/posts/micropub/owner-post-store.ts';
import { postAtUrl } from '../../src-main/posts/address.ts';

let store: OwnerPostStore | undefined;

/** For vi.mock: a post store module that remembers the store of the service that was opened last. */
export async function rememberStore(
  original: () => Promise<typeof storedPosts>,
): Promise<typeof storedPosts> {
  const module = await original();
  return { ...module, createPostStore: (options) => (store = module.createPostStore(options)) };
}

/** Returns the URL on the owner's own site that `giveHome` gives a post. `url`: the post's URL on the built-in site. */
export const homeOf = (url: string) => `https://owner.example/notes${new URL(url).pathname}/`;

/**
 * Gives a post a URL of its own on the owner's site, as publishing to the owner's folder does. `url`: the post's URL on
 * the built-in site. Without a post there, it does nothing.
 */
export async function giveHome(url: string, over: Partial<PostHome> = {}): Promise<void> {
  if (store === undefined) throw new Error('No service was opened.');
  const post = await postAtUrl(store, new URL(url).origin, url);
  if (post === undefined) return;
  await store.setHome(post.path, (home) => ({
    url: homeOf(url),
    file: 'notes/post.md',
    former: [],
    written: {},
    liveAt: null,
    ...home,
    ...over,
  }));
}
