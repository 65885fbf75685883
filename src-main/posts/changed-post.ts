import type { Post, PostChange } from '../contract/posts.ts';

/** Describes a change to a post. The feature that changes the post passes this description to the other features. */
export interface ChangedPost {
  readonly post: Post;
  readonly change: PostChange['change'];
  /** The post before the change; absent for a new post. */
  readonly before?: Post | undefined;
  /** The post's current URL. */
  readonly url: string;
}
