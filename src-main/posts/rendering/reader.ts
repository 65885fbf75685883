import type { Post, PostKind } from '../../contract/posts.ts';
import type { MentionRecord } from '../../contract/webmentions.ts';
import type { PictureKind } from '../../media/fetch-once.ts';
import type { Pace } from '../../platform/cost-budget.ts';

/** A filter for the posts of a list. Absent fields match all posts. Deleted posts never match. */
export interface ReadFilter {
  readonly status?: Post['status'];
  readonly visibility?: Post['visibility'];
  readonly category?: string;
  readonly kind?: PostKind;
  /** The year or the month in a post's path, such as `2026` or `2026/11`. */
  readonly year?: string;
  readonly month?: string;
  /** A time in ms; matches only posts published at or before this time. */
  readonly publishedBy?: number;
  /** A time in ms; matches only posts published after this time. */
  readonly publishedAfter?: number;
}

/** Returns the filter for lists and feeds at `now` (ms): only public, listed posts that aren't scheduled for later. */
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

/** The number of posts in a list. `name`: the category, the kind, or the month in the posts' paths (`2026/11`). */
export interface ListSize {
  readonly name: string;
  readonly count: number;
}

/** The site's read access to posts. Paths have the form of `Post.path`. */
export interface PostReader {
  get(path: string): Promise<Post | undefined>;
  /** Returns the current path of a post that moved. */
  movedTo(path: string): Promise<string | undefined>;
  /** Returns posts, most recently published first. `isBegun`: see PostLists.list. */
  list(options: {
    limit: number;
    after?: string;
    before?: string;
    filter?: ReadFilter;
    isBegun?: boolean;
  }): Promise<ReadPage>;
  /**
   * Returns the sizes of the public lists at `now` (ms), in any order, without empty lists. `name`: returns only the
   * list with this name.
   */
  sizes(list: 'category' | 'kind' | 'month', now: number, name?: string): Promise<readonly ListSize[]>;
  /** Returns the public posts that contain all of the search terms, most recently published first. `now`: in ms. */
  search(search: {
    texts: readonly string[];
    limit: number;
    after?: string | undefined;
    now: number;
    pace: Pace;
  }): Promise<Pick<ReadPage, 'items' | 'after'>>;
  /** Returns when the next scheduled post will appear in lists, in ms; undefined if no such post is scheduled. */
  nextPublication(now: number): Promise<number | undefined>;
  /** Returns the posts beside a post in the list at `now` (ms); none if the post isn't in the list. */
  neighbours(
    path: string,
    now: number,
  ): Promise<{ readonly older: Post | undefined; readonly newer: Post | undefined }>;
  /** Divides the list at `now` (ms) into parts of `count` posts. Returns the cursor of each part except the first. */
  cursorsEvery(count: number, now: number): Promise<readonly string[]>;
}

/** A file on this server that pages can show. */
export interface ShownMedia {
  /** The path below the public origin. */
  readonly path: string;
  /** The media type of the content. */
  readonly type: string;
  readonly bytes: number;
  /** The displayed size in pixels; null if unknown. */
  readonly width: number | null;
  readonly height: number | null;
  /** The smaller versions of a picture, from the narrowest to the widest. Absent if there are none (yet). */
  readonly versions?: readonly ShownVersion[];
  /** The path of the version for share previews. */
  readonly preview?: string | undefined;
  /** Whether it is the first picture on the page, which the visitor sees at once. */
  readonly isFirst?: boolean;
}

/** A smaller version of a picture. */
export interface ShownVersion {
  /** The path below the public origin. */
  readonly path: string;
  /** The width in pixels. */
  readonly width: number;
}

/** The site's read access to media files. */
export interface MediaReader {
  /** Returns the file at a URL in a post, or this server's copy of that file; undefined if there is neither. */
  shown(url: string): Promise<ShownMedia | undefined>;
}

/** A response to a page from another site. All fields except `id` and `received` are untrusted text from that site. */
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
  | 'photo'
  | 'photoAlt'
  | 'video'
  | 'audio'
  | 'shortened'
>;

/** The site's read access to responses to its posts. */
export interface ResponseReader {
  /** Returns the approved responses to a post, without private ones, in any order. */
  of(post: Post): Promise<readonly SiteResponse[]>;
  /**
   * Returns the path of this server's copy of a stranger's picture; undefined if there is no copy yet. `kind`: `avatar` if
   * absent.
   */
  picture(url: string, kind?: PictureKind): Promise<string | undefined>;
}
