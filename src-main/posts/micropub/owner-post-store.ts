import type { Post } from '../../contract/posts.ts';
import type { EarlierContent, EarlierPost, Edits } from '../post-document.ts';
import type { PostContent, PostStore, Within } from '../post-store.ts';

/** A post store with the data that only the owner can see: earlier versions of posts, and unsaved edits. */
export interface OwnerPostStore extends PostStore {
  /** Returns the earlier versions of a post, newest first. Each states when it was replaced and by whom. */
  history(path: string): Promise<readonly EarlierPost[]>;
  /**
   * Replaces a post's content with that of an earlier version. `check` can throw to prevent the change.
   * @throws PorchlightError `not_found` if the post has no such version
   */
  restoreVersion(
    path: string,
    id: string,
    options: { now: number; check: (before: Post) => void; within?: Within | undefined },
  ): Promise<Post>;
  /** Replaces a deleted post with a new post at the same path. Returns undefined if the post isn't deleted. */
  renew(
    path: string,
    content: PostContent,
    now: number,
    earlier?: EarlierContent,
    within?: Within,
  ): Promise<Post | undefined>;
  /**
   * Creates a post that another Porchlight had, with no location on the owner's own site. It gets the path that it had
   * there; if another post has or had that path, its slug gets a number. `now`: when the post was created, in ms.
   */
  bringIn(
    content: PostContent,
    options: {
      path: string;
      now: number;
      earlier: EarlierContent;
      within?: Within | undefined;
    },
  ): Promise<Post>;
  /** Makes former paths lead to the post at `path`, unless a post has or had them. */
  addFormerPaths(path: string, former: readonly string[]): Promise<void>;
  /**
   * Assigns a URL and a file on the owner's own site to a public post that isn't on that site yet. Leaves the post's
   * content, update time and earlier versions unchanged.
   */
  giveHome(path: string): Promise<Post>;
  /** Returns the paths of the posts for which `file` was written to the owner's own site. */
  usersOf(file: string): Promise<string[]>;
  /** Returns the uploaded files (`/media/...`) of the posts on the owner's own site, each with the path of its post. */
  mediaOfHomes(): Promise<{ readonly path: string; readonly media: string }[]>;
  /** Returns how many public posts have no location on the owner's own site. */
  homeless(): Promise<number>;
  /** Returns the paths of the posts whose publishing to the owner's own site may be unfinished. */
  behind(): Promise<string[]>;
  /**
   * Returns the paths of the posts that left an old page behind on the owner's own site. These are deleted posts, and
   * posts that moved to another URL there. Newest posts first.
   */
  leftPages(): Promise<string[]>;
  /** Returns the paths from which posts have moved, in no particular order. */
  formerPaths(): Promise<string[]>;
  /** Returns the origins of all URLs that posts have or had on the owner's own site, in no particular order. */
  homeOrigins(): Promise<string[]>;
  /**
   * Returns up to `most` posts of which something newer may be missing after a repair. Nobody sees them until the owner
   * decides. `copy`: the post as it was; `movedTo`: the path to which a former path of a post led. One of them is null.
   */
  damaged(
    most: number,
  ): Promise<{ readonly path: string; readonly copy: Post | null; readonly movedTo: string | null }[]>;
  /**
   * Shows a post again, as it was, of which something newer may be missing. Does nothing for other posts. Returns the
   * post to which the path leads.
   */
  restoreCopy(path: string): Promise<Post | undefined>;
  /** Returns the owner's unsaved edits to a post, or null if there are none. */
  edits(path: string): Promise<Edits | null>;
  /**
   * Stores the owner's unsaved edits to a post on disk, without changing the post. If `edits` is null, discards them.
   * `check` gets the edits that would be replaced, and can throw to keep them.
   */
  keepEdits(path: string, edits: Edits | null, check?: (kept: Edits | null) => void): Promise<void>;
}
