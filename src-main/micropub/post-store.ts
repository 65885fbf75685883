import type { Post, PostKind } from '../contract/posts.ts';

/** The parts of a post that its author decides. */
export type PostContent = Pick<Post, 'type' | 'properties' | 'commands' | 'status' | 'visibility'>;

/** An app that may not see every post. */
export interface LimitedReader {
  /** See Bearer.app. */
  readonly app: string;
  /** The current time in ms. */
  readonly now: number;
}

export interface PostFilter {
  readonly kind?: PostKind;
  readonly status?: Post['status'];
  readonly visibility?: Post['visibility'];
  readonly category?: string;
  /** Case-insensitive substring of name, content or category. */
  readonly text?: string;
  /** In ms: only posts published at or before this time. */
  readonly publishedBy?: number;
  /** In ms: only posts published after this time. */
  readonly publishedAfter?: number;
  /** Only posts that this app may see without the scope update. */
  readonly readableBy?: LimitedReader;
  /** The path of a file, `/media/...`: only posts that mention it. */
  readonly uses?: string;
  /** Only deleted posts if true; only others if false or absent. */
  readonly deleted?: boolean;
}

export interface PostPage {
  readonly items: Post[];
  /** An opaque cursor for the next older page; absent if there is none. */
  readonly after?: string;
  /** An opaque cursor for newer posts; present unless items is empty. */
  readonly before?: string;
}

/** The posts on disk. A change is durable once its promise resolves. Paths are those of Post.path. */
export interface PostStore {
  /**
   * Creates a post at a path that no other post has or had. `slug`: the client's request, cleaned by slug.ts.
   * `createdBy`: the app that creates it.
   */
  create(
    content: PostContent,
    options: { slug?: string; now: number; createdBy?: string | undefined },
  ): Promise<Post>;
  get(path: string): Promise<Post | undefined>;
  /** Returns the current path of a post that moved from `path`, or undefined if there is none. */
  movedTo(path: string): Promise<string | undefined>;
  /**
   * Changes a post atomically; `edit` may throw. A new slug, or the publication of a draft, may move the post; then a
   * redirect remains at its old path.
   */
  change(
    path: string,
    edit: (content: PostContent) => PostContent,
    options: { slug?: string; now: number },
  ): Promise<Post>;
  /** Deletes a post, leaving a tombstone, or restores it. Does nothing if the post is already in that state. */
  setDeleted(path: string, deleted: boolean, now: number): Promise<Post>;
  /** Returns a page of posts, most recently published first. */
  list(options: {
    limit: number;
    offset?: number;
    after?: string;
    before?: string;
    filter?: PostFilter;
  }): Promise<PostPage>;
  /**
   * Returns every category of the posts that the reader may see, most used first. Without a reader, covers all posts.
   */
  categories(reader?: LimitedReader): Promise<string[]>;
  /** Stops background work. */
  close(): Promise<void>;
}
