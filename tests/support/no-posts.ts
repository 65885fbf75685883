import type { CrossPosting } from '../../src-main/mentions/sending/copies.ts';
import type { PostFinder } from '../../src-main/posts/address.ts';

/** No posts: each is on this server, at the path that the sender is given. */
export const noPosts: PostFinder = {
  get: () => Promise.resolve(undefined),
  movedTo: () => Promise.resolve(undefined),
  atHome: () => Promise.resolve(undefined),
};

/** No cross-posting services. */
export const noServices: CrossPosting = {
  targets: () => [],
  isOwn: () => false,
  store: () => Promise.resolve(),
};

/** Every page is public, so everybody may learn its URLs. */
export const allPublic = (): Promise<boolean> => Promise.resolve(true);
