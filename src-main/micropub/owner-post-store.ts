import type { Post } from '../contract/posts.ts';
import type { EarlierPost, Edits } from './post-document.ts';
import type { PostContent, PostStore } from './post-store.ts';

/** What only the owner may see and change: earlier versions of posts, and edits that are not saved to them. */
export interface OwnerPostStore extends PostStore {
  /** Returns the earlier versions of a post, newest first, each with the change that replaced it. */
  history(path: string): Promise<readonly EarlierPost[]>;
  /**
   * Gives a post the content of an earlier version. `check` may throw.
   * @throws PorchlightError `not_found` if the post has no such version
   */
  restoreVersion(
    path: string,
    id: string,
    options: { now: number; check: (before: Post) => void },
  ): Promise<Post>;
  /**
   * Replaces a deleted post with a new one at the same path. Returns undefined, and changes nothing, if the post isn't
   * deleted.
   */
  renew(path: string, content: PostContent, now: number): Promise<Post | undefined>;
  /**
   * Gives a public post a place on the owner's own site if it has none. Returns the post. It is no change by the author.
   */
  giveHome(path: string): Promise<Post>;
  /** Returns the paths of the posts for which a file was written on the owner's own site. */
  usersOf(file: string): Promise<string[]>;
  /** Returns how many public posts have no place on the owner's own site. */
  homeless(): Promise<number>;
  /** Returns the edits that the owner has not saved to a post. */
  edits(path: string): Promise<Edits | null>;
  /**
   * Keeps edits of a post on disk, without changing the post; null discards them. `check` receives the edits that the call
   * replaces, and may throw.
   */
  keepEdits(path: string, edits: Edits | null, check?: (kept: Edits | null) => void): Promise<void>;
}
