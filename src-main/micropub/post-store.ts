import type { Post, PostHome, PostKind } from '../contract/posts.ts';
import type { UnsavedEdits } from '../contract/writing.ts';
import type { Pace } from '../platform/pace.ts';

/** The parts of a post that its author chooses. */
export type PostContent = Pick<
  Post,
  'type' | 'properties' | 'commands' | 'status' | 'visibility' | 'markdown'
>;

/**
 * Chooses where a post is on the owner's own site; undefined for a post that is only on the built-in site. `isFree`:
 * returns whether no other post has or had a URL.
 */
export type ChooseHome = (
  post: Post,
  isFree: (url: string) => boolean,
) => Promise<Pick<PostHome, 'url' | 'file'> | undefined>;

/** A slug for a post. `isExact`: if another post has or had it, the change fails instead of adding a number. */
interface WishedSlug {
  readonly slug?: string | undefined;
  readonly isExact?: boolean | undefined;
}

/** An app that may not see every post. */
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
  /** Case-insensitive substring of name, content or category. */
  readonly text?: string | undefined;
  /** In ms: only posts published at or before this time. */
  readonly publishedBy?: number | undefined;
  /** In ms: only posts published after this time. */
  readonly publishedAfter?: number | undefined;
  /** Only posts that this app may see without the scope `update`. */
  readonly readableBy?: LimitedReader | undefined;
  /** The path of an uploaded file, `/media/...`: only posts that mention this file. */
  readonly uses?: string | undefined;
  /** Only deleted posts if true; only posts that are not deleted if false or absent. */
  readonly deleted?: boolean | undefined;
}

/** The lists whose sizes the index counts. */
export type ListKind = 'category' | 'kind' | 'month';

/** How many posts a list has. `name`: the category, the kind, or the month of the posts' paths (`2026/11`). */
export interface ListSize {
  readonly name: string;
  readonly count: number;
}

/** A search in the posts that everybody may see at `now` (ms). */
export interface PostSearch {
  /** The texts that a post must contain, regardless of case. */
  readonly texts: readonly string[];
  readonly limit: number;
  readonly after?: string | undefined;
  readonly now: number;
  readonly pace: Pace;
}

export interface PostPage {
  readonly items: Post[];
  /** An opaque cursor for the page of next older posts; absent if there are none. */
  readonly after?: string;
  /** An opaque cursor for the page of next newer posts; present unless `items` is empty. */
  readonly before?: string;
}

/** The posts on disk. A change is on disk once its promise resolves. Paths have the form of Post.path. */
export interface PostStore {
  /**
   * Creates a post at a path that no other post has or had. `slug`: the slug that the client requests; it is cleaned
   * before use. `createdBy`: the app that creates the post. `isHomeless`: the post gets no place on the owner's own site. `placing`: called with the path before the post is written.
   * If another program has put a file there, it is called again with the next path.
   * @throws PorchlightError `slug_taken` (409), and what `placing` throws
   */
  create(
    content: PostContent,
    options: WishedSlug & {
      now: number;
      createdBy?: string | undefined;
      isHomeless?: boolean | undefined;
      placing?: ((path: string) => Promise<void>) | undefined;
    },
  ): Promise<Post>;
  get(path: string): Promise<Post | undefined>;
  /** Returns the current path of a post that has moved from `path`, or undefined if no post has. */
  movedTo(path: string): Promise<string | undefined>;
  /** Returns the path of the post that has or had a URL on the owner's own site; undefined if none has. */
  atHome(url: string): Promise<string | undefined>;
  /** Changes what is known about a post's place on the owner's own site. It is no change by the author. */
  setHome(
    path: string,
    edit: (home: PostHome | undefined, post: Post) => PostHome | undefined,
  ): Promise<Post>;
  /**
   * Changes a post atomically; `edit` may throw. `kept`: the owner's unsaved edits of the post. A new slug or the publication of a draft may move the post, which
   * leaves a redirect at its old path. Keeps the content that it replaces as an earlier version, and discards unsaved
   * edits if the owner makes the change. `by`: the name of the app that makes the change; absent for the
   * owner.
   * @throws PorchlightError `slug_taken` (409)
   */
  change(
    path: string,
    edit: (content: PostContent, before: Post, kept: UnsavedEdits | null) => PostContent,
    options: WishedSlug & { now: number; by?: string | undefined },
  ): Promise<Post>;
  /**
   * Deletes a post or restores a deleted one. Nothing is erased: the post is marked as deleted. Does nothing if the
   * post is already in the requested state.
   */
  setDeleted(path: string, deleted: boolean, now: number): Promise<Post>;
  /** Returns a page of posts, most recently published first. */
  list(options: {
    limit: number;
    offset?: number | undefined;
    after?: string | undefined;
    before?: string | undefined;
    filter?: PostFilter;
  }): Promise<PostPage>;
  /**
   * Returns every category of the posts that the reader may see, most used first. Without a reader, includes all posts.
   */
  categories(reader?: LimitedReader): Promise<string[]>;
  /** Returns the sizes of the lists that everybody may see at `now` (ms), in any order, without empty lists. */
  sizes(list: ListKind, now: number): Promise<ListSize[]>;
  /**
   * Returns a page of the public posts that contain all of the texts, most recently published first.
   * @throws PorchlightError `invalid_request` for an invalid cursor, and what `pace` throws
   */
  search(search: PostSearch): Promise<Pick<PostPage, 'items' | 'after'>>;
  /** Returns when the next post that lists will show is published, in ms; undefined if none is scheduled. */
  nextPublication(now: number): Promise<number | undefined>;
  /**
   * Divides the list of public posts at `now` (ms) into parts of `count` posts. Returns the cursor at which each part
   * but the first begins.
   */
  cursorsEvery(count: number, now: number): Promise<string[]>;
  /** Stops background work. */
  close(): Promise<void>;
}
