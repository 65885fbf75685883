import type { Post, PostChange } from '../contract/posts.ts';

/** A change to a post, which the feature that makes it reports to the other features. */
export interface ChangedPost {
  readonly post: Post;
  readonly change: PostChange['change'];
  /** The post before the change; absent for a new post. */
  readonly before?: Post | undefined;
  /** The post's current URL. */
  readonly url: string;
}
