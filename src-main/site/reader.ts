import type { Post, PostKind } from '../contract/posts.ts';
import type { MentionRecord } from '../contract/webmentions.ts';
import type { Pace } from '../platform/pace.ts';

/** Which posts of a list to return. Absent fields match all posts. Deleted posts are never returned. */
export interface ReadFilter {
  readonly status?: Post['status'];
  readonly visibility?: Post['visibility'];
  readonly category?: string;
  readonly kind?: PostKind;
  /** The year or the month of the post's path, such as `2026` or `2026/11`. */
  readonly year?: string;
  readonly month?: string;
  /** In ms; only posts published at or before this time. */
  readonly publishedBy?: number;
  /** In ms; only posts published after this time. */
  readonly publishedAfter?: number;
}

/**
 * Returns the filter for lists and feeds at `now` (ms): no drafts, no private or unlisted posts, and no posts scheduled
 * for later.
 */
export function listedBy(now: number): ReadFilter {
  return { status: 'published', visibility: 'public', publishedBy: now };
}

export interface ReadPage {
  readonly items: readonly Post[];
  /** An opaque cursor for the next older page; absent on the last page. */
  readonly after?: string;
  /** An opaque cursor for the next newer page. */
  readonly before?: string;
}

/** How many posts a list has. `name`: the category, the kind, or the month of the posts' paths (`2026/11`). */
export interface ListSize {
  readonly name: string;
  readonly count: number;
}

/** How the site reads posts. Paths are those of Post.path. */
export interface PostReader {
  get(path: string): Promise<Post | undefined>;
  /** Returns the current path of a post that moved. */
  movedTo(path: string): Promise<string | undefined>;
  /** Returns posts, most recently published first. */
  list(options: { limit: number; after?: string; before?: string; filter?: ReadFilter }): Promise<ReadPage>;
  /** Returns the sizes of the lists that everybody may see at `now` (ms), in any order, without empty lists. */
  sizes(list: 'category' | 'kind' | 'month', now: number): Promise<readonly ListSize[]>;
  /** Returns the public posts that contain all of the texts, most recently published first. `now` in ms. */
  search(search: {
    texts: readonly string[];
    limit: number;
    after?: string | undefined;
    now: number;
    pace: Pace;
  }): Promise<Pick<ReadPage, 'items' | 'after'>>;
  /** Returns when the next post that lists will show is published, in ms; undefined if none is scheduled. */
  nextPublication(now: number): Promise<number | undefined>;
  /** Divides the list at `now` (ms) into parts of `count` posts. Returns the cursor of each part but the first. */
  cursorsEvery(count: number, now: number): Promise<readonly string[]>;
}

/** A file of this server that a page may show. */
export interface ShownMedia {
  /** The path below the public origin. */
  readonly path: string;
  /** The media type of the content. */
  readonly type: string;
  readonly bytes: number;
  /** The size in pixels as shown, if known. */
  readonly width: number | null;
  readonly height: number | null;
}

/** How the site reads media. */
export interface MediaReader {
  /** Returns the file at a URL that a post names, or this server's copy of that file; undefined if there is neither. */
  shown(url: string): Promise<ShownMedia | undefined>;
}

/** A response to a page from another site. Everything except `id` and `received` is a stranger's text. */
export type SiteResponse = Pick<
  MentionRecord,
  | 'id'
  | 'type'
  | 'source'
  | 'url'
  | 'author'
  | 'published'
  | 'received'
  | 'name'
  | 'content'
  | 'rsvp'
  | 'shortened'
>;

/** How the site reads the responses to its posts. */
export interface ResponseReader {
  /** Returns the visible responses to a page: approved and not private, in any order. `urls`: all URLs of the page. */
  of(urls: readonly string[]): Promise<readonly SiteResponse[]>;
  /** Returns the path of this server's copy of a stranger's picture; undefined if there is none yet. */
  picture(url: string): Promise<string | undefined>;
}
