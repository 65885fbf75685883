import { createHash } from 'node:crypto';
import type { MediaProperty } from '../contract/post-kinds.ts';
import type { SkippedPart } from '../contract/post-import.ts';
import type { Post } from '../contract/posts.ts';
import type { SitePage } from '../contract/site-settings.ts';
import type { NewMention } from '../mentions/mention.ts';
import { decoded } from '../posts/files/addresses.ts';
import type { EarlierContent } from '../posts/post-document.ts';
import type { PostContent } from '../posts/post-store.ts';
import type { FileInArchive } from './archive.ts';

/** A picture, video or audio file of a post: a file of the archive, or a URL. */
export interface FoundMedia {
  readonly source: FileInArchive | string;
  readonly alt: string;
  /** The property in which to store the file. `text`: the file belongs in the post's text, at its `mediaMark`. */
  readonly property: MediaProperty | 'text';
  /** The URL to use in the post's text if the file can't be imported. */
  readonly otherwise?: string;
  /** Set for a file in an export of Porchlight: its path (`/media/...`) and its name on the server of the export. */
  readonly kept?: { readonly path: string; readonly name: string };
}

/** A post that was found in an archive. */
export interface FoundPost {
  /** The post's identifier, which is the same in every archive that contains the post. */
  readonly key: string;
  /** The identifiers under which earlier imports may have recorded the post. */
  readonly formerKeys?: readonly string[];
  readonly text: string;
  readonly format: 'plain' | 'html' | 'markdown';
  readonly name?: string | undefined;
  readonly summary?: string | undefined;
  /**
   * The publication date in ISO 8601; absent if the archive gives no date. Only drafts may have no date. A date without
   * an offset is the owner's local time.
   */
  readonly published?: string | undefined;
  readonly categories: readonly string[];
  /** The last part of the post's URL; absent if that part is only a number. */
  readonly slug?: string | undefined;
  readonly status: Post['status'];
  readonly visibility: Post['visibility'];
  /** The URLs of the post on other sites. */
  readonly syndication: readonly string[];
  /**
   * The URLs of the pages that the post responds to, grouped by property, such as `in-reply-to`. What has no URL, such as
   * a book, has its name instead. Also contains `rsvp` and `read-status`.
   */
  readonly responses: Readonly<Record<string, readonly string[]>>;
  readonly media: readonly FoundMedia[];
  /** What the post loses, in words for the report, such as `the shortcode [contact-form]`. */
  readonly lost?: readonly string[] | undefined;
  /** The post's URL in the archive, by which its comments name it; absent if the archive has no comments. */
  readonly address?: string | undefined;
  /** Set for a post in an export of Porchlight. It has the post's content; `text` only identifies the post. */
  readonly exported?: ExportedPost;
}

/** What an export of Porchlight says about a post besides the parts that every archive has. */
export interface ExportedPost {
  /** The post's path on the server that made the export. */
  readonly path: string;
  /** The paths from which the post has moved. */
  readonly former: readonly string[];
  readonly createdAt: string;
  readonly content: PostContent;
  readonly earlier: EarlierContent;
}

/** A mention in an export of Porchlight, or a comment in another archive. */
export interface FoundMention {
  /** What anybody may say about a mention: its source, target and content. All of it is cleaned. */
  readonly mention: Omit<NewMention, 'status'>;
  /** For a comment: the address of its post (see FoundPost), which may get another URL here. */
  readonly post?: string | undefined;
  /** The path of the target if the target is on the site of the export. */
  readonly path?: string | undefined;
  /** What only the owner and the owner's server may say. It counts only if the export is the owner's own. */
  readonly own: Pick<NewMention, 'status'> & Partial<NewMention>;
}

/** A page of the owner's site in an export of Porchlight, and the files in its text. */
export interface FoundPage {
  readonly page: SitePage;
  readonly media: readonly FoundMedia[];
}

/** A part of an export that isn't a post. */
export type FoundExtra =
  | { readonly mention: FoundMention }
  | { readonly page: FoundPage }
  /** A file that may belong to no post. */
  | { readonly file: FoundMedia };

/** A result of reading an archive: a post, or a part that can't be imported. `count`: the number of such parts. */
export type Finding =
  | { readonly post: FoundPost }
  | { readonly extra: FoundExtra }
  | { readonly skipped: SkippedPart; readonly count?: number; readonly isPost?: boolean };

/**
 * Returns a placeholder URL for the file at `index` of a post's media. The placeholder takes the place of the file's
 * URL in the post's text.
 */
export const mediaMark = (index: number) => `porchlight-import:${index}`;

/**
 * Replaces the placeholder URLs of a post's media in its text (see mediaMark). Replaces each one only once, because an
 * archive's own text may contain more of them.
 */
export function withMarksReplaced(text: string, urlOf: (index: number) => string | undefined): string {
  const replaced = new Set<number>();
  return text.replace(/porchlight-import:(\d{1,4})/g, (mark, digits: string) => {
    const index = Number(digits);
    const url = replaced.has(index) ? undefined : urlOf(index);
    replaced.add(index);
    return url ?? mark;
  });
}

/**
 * Returns the last part of a URL's path as a slug, without its file name extension. Returns undefined if that part has
 * only digits, `-` and `_`.
 */
export function slugIn(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url, 'http://localhost')) return undefined;
  const parts = new URL(url, 'http://localhost').pathname.split('/').filter((part) => part !== '');
  const last = (parts.at(-1) ?? '').replace(/\.(?:html?|md|markdown|php)$/i, '');
  return /^[\d_-]*$/.test(last) ? undefined : decoded(last);
}

/** Returns the short hash of a text, by which the records of imports identify something. */
export const recordHash = (text: string) =>
  createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** Returns whether a value is an http or https URL. */
export const isWebUrl = (text: unknown): text is string =>
  typeof text === 'string' && /^https?:\/\//i.test(text) && URL.canParse(text);

/** Returns the first words of a text, to identify a post in a message. */
export function firstWords(text: string): string {
  const line = text
    .slice(0, 1000)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const start = Array.from(line).slice(0, 60).join('');
  return start === line ? line : `${start}…`;
}
