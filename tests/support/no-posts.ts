import type { PostFinder } from '../../src-main/post/address.ts';

/** No posts: each is on this server, at the path that the sender is given. */
export const noPosts: PostFinder = {
  get: () => Promise.resolve(undefined),
  movedTo: () => Promise.resolve(undefined),
  atHome: () => Promise.resolve(undefined),
};

/** Each page has only the URL that it is asked for by. */
export const onlyUrl = (url: string): Promise<string[]> => Promise.resolve([url]);
