import type { Post } from '../contract/posts.ts';
import type { EarlierPost, Edits } from './post-document.ts';
import type { PostContent, PostStore } from './post-store.ts';

/** A post store with the data that only the owner may see and change: earlier versions of posts, and unsaved edits. */
export interface OwnerPostStore extends PostStore {
  /**
   * Returns the earlier versions of a post, newest first, each with the time and the author of the change that
   * replaced it.
   */
  history(path: string): Promise<readonly EarlierPost[]>;
  /**
   * Replaces a post's content with that of an earlier version. `check` can throw to prevent the change.
   * @throws PorchlightError `not_found` if the post has no such version
   */
  restoreVersion(
    path: string,
    id: string,
    options: { now: number; check: (before: Post) => void },
  ): Promise<Post>;
  /**
   * Replaces a deleted post with a new post at the same path. If the post isn't deleted, changes nothing and returns
   * undefined.
   */
  renew(path: string, content: PostContent, now: number): Promise<Post | undefined>;
  /**
   * Assigns a URL and a file on the owner's own site to a public post that has none. Returns the post. Doesn't change
   * the post's content or update time, and adds no earlier version.
   */
  giveHome(path: string): Promise<Post>;
  /** Returns the paths of the posts for which Porchlight wrote `file` on the owner's own site. */
  usersOf(file: string): Promise<string[]>;
  /**
   * Returns the uploaded files (`/media/...`) that posts on the owner's own site use, each with the path of its post.
   */
  mediaOfHomes(): Promise<{ readonly path: string; readonly media: string }[]>;
  /** Returns how many public posts have no location on the owner's own site. */
  homeless(): Promise<number>;
  /** Returns the paths of the posts whose files on the owner's own site are out of date. */
  behind(): Promise<string[]>;
  /**
   * Returns the paths of the posts that left a page behind on the owner's own site: posts that moved from one URL of
   * that site to another, and deleted posts that had a URL there. Newest posts first.
   */
  leftPages(): Promise<string[]>;
  /** Returns the paths from which posts have moved. The paths are in no particular order. */
  formerPaths(): Promise<string[]>;
  /**
   * Returns the origins of all current and former URLs of posts on the owner's own site. The origins are in no
   * particular order.
   */
  homeOrigins(): Promise<string[]>;
  /** Returns the owner's unsaved edits of a post, or null if there are none. */
  edits(path: string): Promise<Edits | null>;
  /**
   * Stores the owner's unsaved edits of a post on disk, without changing the post. If `edits` is null, discards them.
   * `check` receives the stored edits before they are replaced, and can throw to keep them.
   */
  keepEdits(path: string, edits: Edits | null, check?: (kept: Edits | null) => void): Promise<void>;
}
