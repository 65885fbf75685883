import type { Post } from '../contract/posts.ts';

/** Which posts of a list are wanted; what is absent does not matter. Deleted ones are always left out. */
export interface ReadFilter {
  readonly status?: Post['status'];
  readonly visibility?: Post['visibility'];
  readonly category?: string;
  /** In ms: only what was published then or before. */
  readonly publishedBy?: number;
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

/** A file of this server that a page may show. */
export interface ShownMedia {
  /** Below the public origin. */
  readonly path: string;
  /** The media type that its content has. */
  readonly type: string;
  readonly bytes: number;
  /** Pixels as it is shown, where they are known. */
  readonly width: number | null;
  readonly height: number | null;
}

/** What the site reads of the media. */
export interface MediaReader {
  /** The file at an address that a post names, or this server's copy of what is there; undefined where there is none. */
  shown(url: string): Promise<ShownMedia | undefined>;
}
