import type { Post } from '../contract/posts.ts';
import type { MentionAuthor, MentionType } from '../contract/webmentions.ts';

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

/** What somebody elsewhere said of a page. All of it but `id` and `received` is a stranger's text. */
export interface SiteResponse {
  readonly id: string;
  readonly type: MentionType;
  /** The page that says it. */
  readonly source: string;
  /** The address that the source gives itself. */
  readonly url?: string | undefined;
  readonly author?: MentionAuthor | undefined;
  /** As the source says. */
  readonly published?: string | undefined;
  /** ISO 8601. */
  readonly received: string;
  readonly name?: string | undefined;
  readonly content?: { readonly html?: string | undefined; readonly value: string } | undefined;
  /** The answer to an invitation: `yes`, `no`, `maybe`, `interested`. */
  readonly rsvp?: string | undefined;
  /** The properties of which only a part is kept. */
  readonly shortened?: readonly string[] | undefined;
}

/** What the site reads of the responses to its posts. */
export interface ResponseReader {
  /** What may be shown of the page at an address: what is approved and not private, in any order. */
  of(url: string): Promise<readonly SiteResponse[]>;
  /** The path of this server's copy of a stranger's picture; undefined where there is none, or none yet. */
  picture(url: string): Promise<string | undefined>;
}
