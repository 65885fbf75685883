import type { Post } from '../contract/posts.ts';

/** Which posts of a list are wanted; what is absent does not matter. Deleted ones are always left out. */
export interface ReadFilter {
  readonly status?: Post['status'];
  readonly visibility?: Post['visibility'];
  readonly category?: string;
}

export interface ReadPage {
  readonly items: readonly Post[];
  /** Opaque: where the next older page begins; absent where there is none. */
  readonly after?: string;
  /** Opaque: what is newer than this page. */
  readonly before?: string;
}

/** What the site reads of the posts. Paths are those of Post.path. */
export interface PostReader {
  get(path: string): Promise<Post | undefined>;
  /** Where a post that moved is now. */
  movedTo(path: string): Promise<string | undefined>;
  /** Newest published first. */
  list(options: { limit: number; after?: string; before?: string; filter?: ReadFilter }): Promise<ReadPage>;
}
