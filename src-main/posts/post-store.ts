import type { Post, PostChange, PostHome, PostKind } from '../contract/posts.ts';
import type { UnsavedEdits } from '../contract/writing.ts';
import type { Pace } from '../platform/cost-budget.ts';
import type { Transaction } from '../storage/records/group-commit.ts';

/** The parts of a post that its author chooses. */
export type PostContent = Pick<
  Post,
  'type' | 'properties' | 'commands' | 'status' | 'visibility' | 'markdown' | 'ownDate'
>;

/**
 * Chooses a post's location on the owner's own site. Returns undefined if the post is only on the built-in site.
 * `isFree` returns whether the given URL was never the URL of another post.
 */
export type ChooseHome = (
  post: Post,
  isFree: (url: string) => boolean,
) => Promise<Pick<PostHome, 'url' | 'file'> | undefined>;

/**
 * A requested slug. If another post has or had the slug, the change fails if `isExact` is true; otherwise, a number is
 * added.
 */
export interface WishedSlug {
  readonly slug?: string | undefined;
  readonly isExact?: boolean | undefined;
}

/**
 * Saves more in the transaction of a change. `path`: of the post before the change. `before`: the post before the
 * change; absent for a new post. Called again if the transaction has to be made again.
 */
export type Within = (
  transaction: Transaction,
  change: { readonly path: string; readonly before?: Post },
) => void;

/** An app that can see only some posts. */
export interface LimitedReader {
  /** The app's name; see Bearer.app. */
  readonly app: string;
  /** The current time in ms. */
  readonly now: number;
}

export interface PostFilter {
  readonly kind?: PostKind | undefined;
  readonly status?: Post['status'] | undefined;
  readonly visibility?: Post['visibility'] | undefined;
  readonly category?: string | undefined;
  /** The year or the month of the post's path, such as `2026` or `2026/11`. */
  readonly year?: string | undefined;
  readonly month?: string | undefined;
  /** Text that the name, the content or a category must contain, regardless of case. */
  readonly text?: string | undefined;
  /** Only posts published at or before this time, in ms. */
  readonly publishedBy?: number | undefined;
  /** Only posts published after this time, in ms. */
  readonly publishedAfter?: number | undefined;
  /** Only posts that this app can see. Apps with the scope `update` can see all posts. */
  readonly readableBy?: LimitedReader | undefined;
  /** Only posts that use the uploaded file at this path (`/media/...`). */
  readonly uses?: string | undefined;
  /** Only deleted posts if true; only posts that are not deleted if false or absent. */
  readonly deleted?: boolean | undefined;
}

/** The kinds of lists for which the index counts the posts. */
export type ListKind = 'category' | 'kind' | 'month';

/** The number of posts in a list. `name`: the category, the kind, or the month of the posts' paths (`2026/11`). */
export interface ListSize {
  readonly name: string;
  readonly count: number;
}

/** A search of the posts that everybody may see at `now` (ms). */
export interface PostSearch {
  /** The strings that a post must contain, regardless of case. */
  readonly texts: readonly string[];
  readonly limit: number;
  readonly after?: string | undefined;
  readonly now: number;
  readonly pace: Pace;
}

export interface PostPage {
  readonly items: Post[];
  /** An opaque cursor for the page with the next older posts; absent if there are no older posts. */
  readonly after?: string;
  /** An opaque cursor for the page with the next newer posts; present unless `items` is empty. */
  readonly before?: string;
}

/** The posts beside a post in a list. */
interface PostNeighbours {
  readonly older: Post | undefined;
  readonly newer: Post | undefined;
}

/** The lists of posts. */
export interface PostLists {
  /**
   * Returns a page of posts, most recently published first. `isBegun`: whether to return only what lists show of very
   * long posts (see begunPost).
   */
  list(options: {
    limit: number;
    offset?: number | undefined;
    after?: string | undefined;
    before?: string | undefined;
    filter?: PostFilter;
    isBegun?: boolean | undefined;
  }): Promise<PostPage>;
  /**
   * Returns every category of the posts that the reader may see, most used first. Without a reader, includes all posts.
   */
  categories(reader?: LimitedReader): Promise<string[]>;
  /**
   * Returns how many posts each list shows to everybody at the time `now` (ms). Omits empty lists. The result is in no
   * particular order. `name`: returns only the list with this name.
   */
  sizes(list: ListKind, now: number, name?: string): Promise<ListSize[]>;
  /**
   * Returns a page of the public posts that contain all search strings, most recently published first, and only what
   * lists show of very long ones.
   * @throws PorchlightError `invalid_request` for an invalid cursor, and errors from `pace`
   */
  search(search: PostSearch): Promise<Pick<PostPage, 'items' | 'after'>>;
  /**
   * Returns the time (ms) at which the next scheduled post becomes public and appears in lists, or undefined if no
   * post is scheduled.
   */
  nextPublication(now: number): Promise<number | undefined>;
  /**
   * Returns the posts that are beside a post in the list of public posts at the time `now` (ms), and only what lists show
   * of very long ones; none if the post at `path` isn't in the list.
   */
  neighbours(path: string, now: number): Promise<PostNeighbours>;
  /**
   * Divides the list of public posts at the time `now` (ms) into parts of `count` posts. Returns the cursor at which
   * each part begins, except for the first part.
   */
  cursorsEvery(count: number, now: number): Promise<string[]>;
}

/** The posts. A change is on disk once its promise resolves. Paths have the form of Post.path. */
export interface PostStore extends PostLists {
  /** Returns how many files have been read, while a folder is read for the first time; undefined otherwise. */
  progress(): { readonly done: number; readonly total: number } | undefined;
  /**
   * Creates a post at a path that no other post has or had. `slug`: the slug that the client requests, which is
   * cleaned. `createdBy`: the app that creates the post. `isHomeless`: if true, the post gets no location on the
   * owner's own site.
   * @throws PorchlightError `slug_taken` (409), and errors from `within`
   */
  create(
    content: PostContent,
    options: WishedSlug & {
      now: number;
      createdBy?: string | undefined;
      isHomeless?: boolean | undefined;
      within?: Within | undefined;
    },
  ): Promise<Post>;
  get(path: string): Promise<Post | undefined>;
  /** Returns the current path of a post that has moved from `path`; undefined if there is no such post. */
  movedTo(path: string): Promise<string | undefined>;
  /**
   * Returns the path of the post that has or had a URL on the owner's own site, however the URL is spelled; undefined
   * if there is none.
   */
  atHome(url: string): Promise<string | undefined>;
  /** Returns the id of the page at an address; see PageFinder.pageAt. */
  pageAt(address: string): string;
  /** Returns the current URL on the owner's own site of the post at a path; undefined if it has none. */
  homeUrl(path: string): string | undefined;
  /** Returns the title of the post at a path; see PageFinder.titleOf. */
  titleOf(path: string): string | undefined;
  /**
   * Changes the data about a post's location on the owner's own site. Leaves the post's content, update time and
   * earlier versions unchanged.
   */
  setHome(
    path: string,
    edit: (home: PostHome | undefined, post: Post) => PostHome | undefined,
  ): Promise<Post>;
  /**
   * Changes a post atomically, and stores the replaced content as an earlier version. `edit` returns the new content
   * and can throw. `kept`: the owner's unsaved edits to the post, which are discarded if the owner makes this change. A
   * new slug, or publishing a draft, can move the post, which leaves a redirect at its old path. `by`: the name of the
   * app that makes the change; absent for the owner. `isOwn`: whether Porchlight makes the change itself, as a part of
   * publishing the post. Such a change is made to the earlier versions too, so that
   * restoring one of them doesn't undo it. It creates no version, leaves the unsaved edits unchanged, and `within` isn't
   * called.
   * @throws PorchlightError `slug_taken` (409)
   */
  change(
    path: string,
    edit: (content: PostContent, before: Post, kept: UnsavedEdits | null) => PostContent,
    options: WishedSlug & {
      now: number;
      by?: string | undefined;
      isOwn?: boolean | undefined;
      within?: Within | undefined;
    },
  ): Promise<Post>;
  /** Marks a post as deleted, or restores a deleted post. Nothing is erased. */
  setDeleted(path: string, deleted: boolean, now: number, within?: Within): Promise<Post>;
}

/** Describes a change to a post. The feature that changes the post passes this description to the other features. */
export interface ChangedPost {
  readonly post: Post;
  readonly change: PostChange['change'];
  /** The post before the change; absent for a new post. */
  readonly before?: Post | undefined;
  /** The post's current URL. */
  readonly url: string;
}

/** An adopted post, which was in the folder of the owner's site before Porchlight began to publish there. */
export interface AdoptedPost extends Pick<
  Post,
  'type' | 'properties' | 'status' | 'visibility' | 'createdAt' | 'markdown'
> {
  /** The post's own URL, on the owner's site. */
  readonly url: string;
  /** The post's file, relative to the folder. */
  readonly file: string;
}

/** A change that an app made to the file of an adopted post. */
export interface ChangedAdopted {
  readonly post: AdoptedPost;
  readonly before: AdoptedPost;
}

/** The parts of an adopted post that an app can change. */
export type AdoptedContent = Pick<AdoptedPost, 'properties' | 'status'>;

/** Reads and changes adopted posts, which were in the owner's folder before Porchlight began to publish there. */
export interface AdoptedPosts {
  /**
   * Returns the adopted post at a URL, read from its current file. Returns undefined if there is no such post, or while
   * the adoption of older posts is turned off.
   */
  at(url: string): Promise<AdoptedPost | undefined>;
  /**
   * Changes an adopted post in its own file. Returns the changed post, or undefined if there is no such post. `edit`:
   * receives the current post from the file, and returns the new content.
   * @throws PorchlightError `invalid_request` if the change cannot be written to the file
   */
  change(url: string, edit: (post: AdoptedPost) => AdoptedContent): Promise<AdoptedPost | undefined>;
}
