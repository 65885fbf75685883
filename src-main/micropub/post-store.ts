import type { Post, PostKind } from '../contract/posts.ts';

/** What a post is made of. */
export type PostContent = Pick<Post, 'type' | 'properties' | 'commands' | 'status' | 'visibility'>;

/** An app that may not see every post. */
export interface LimitedReader {
  /** See Bearer.app. */
  readonly app: string;
  /** In ms. */
  readonly now: number;
}

export interface PostFilter {
  readonly kind?: PostKind;
  readonly status?: Post['status'];
  readonly visibility?: Post['visibility'];
  readonly category?: string;
  /** Case-insensitive substring of name, content or category. */
  readonly text?: string;
  /** In ms: only those that were published at that moment or before. */
  readonly publishedBy?: number;
  /** In ms: only those that are published after that moment. */
  readonly publishedAfter?: number;
  /** Only posts that this app may see without the scope update. */
  readonly readableBy?: LimitedReader;
  /** A file's path, `/media/...`: only posts that mention it. */
  readonly uses?: string;
  /** Deleted ones: left out where absent. */
  readonly deleted?: boolean;
}

export interface PostPage {
  readonly items: Post[];
  /** Opaque: where the next older page begins; absent where there is none. */
  readonly after?: string;
  /** Opaque: what is newer than this page; present where items is not empty. */
  readonly before?: string;
}

/** The posts on disk. What it acknowledges is durable. Paths are those of Post.path. */
export interface PostStore {
  /**
   * Makes a post at a path that no other post has or had. `slug`: the client's wish, cleaned by slug.ts. `createdBy`:
   * the app that creates it.
   */
  create(
    content: PostContent,
    options: { slug?: string; now: number; createdBy?: string | undefined },
  ): Promise<Post>;
  get(path: string): Promise<Post | undefined>;
  /** Where a post that moved is now. */
  movedTo(path: string): Promise<string | undefined>;
  /** Changes a post at once or not at all; `edit` may throw. A new slug moves it and leaves a redirect. */
  change(
    path: string,
    edit: (content: PostContent) => PostContent,
    options: { slug?: string; now: number },
  ): Promise<Post>;
  /** Deletes (a tombstone stays) or restores. Doing it twice is doing it once. */
  setDeleted(path: string, deleted: boolean, now: number): Promise<Post>;
  /** Newest published first. */
  list(options: {
    limit: number;
    offset?: number;
    after?: string;
    before?: string;
    filter?: PostFilter;
  }): Promise<PostPage>;
  /** Every category of the posts that the reader may see, most used first; of all posts without one. */
  categories(reader?: LimitedReader): Promise<string[]>;
  /** Ends work in the background. */
  close(): Promise<void>;
}
