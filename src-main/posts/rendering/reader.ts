import type { Post } from '../../contract/posts.ts';
import type { MentionRecord } from '../../contract/webmentions.ts';
import type { PictureKind } from '../../media/fetch-once.ts';
import type { PostFilter, PostLists, PostStore } from '../post-store.ts';

/** Returns the filter for lists and feeds at `now` (ms): only public, listed posts that aren't scheduled for later. */
export const listedBy = (now: number) =>
  ({ status: 'published', visibility: 'public', publishedBy: now }) satisfies PostFilter;

/** The site's read access to posts. */
export type PostReader = Omit<PostLists, 'categories'> & Pick<PostStore, 'get' | 'movedTo'>;

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
