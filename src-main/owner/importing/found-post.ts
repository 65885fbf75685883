import type { SkippedPart } from '../../contract/post-import.ts';
import type { Post } from '../../contract/posts.ts';
import type { ArchiveFile } from './archive.ts';

/** A picture, video or audio file of a post: a file of the archive, or a URL. */
export interface FoundMedia {
  readonly source: ArchiveFile | string;
  readonly alt: string;
  /** The property that shows it; `text`: the post's text does, at the place of its `mediaMark`. */
  readonly property: 'photo' | 'video' | 'audio' | 'featured' | 'text';
  /** The URL in the text if the file can't be imported. */
  readonly otherwise?: string;
}

/** A post as an archive has it. */
export interface FoundPost {
  /** Identifies the post, in every archive that contains it. */
  readonly key: string;
  readonly text: string;
  readonly format: 'plain' | 'html' | 'markdown';
  readonly name?: string | undefined;
  readonly summary?: string | undefined;
  /** In ISO 8601; absent if the archive gives no date, which only a draft may do. */
  readonly published?: string | undefined;
  readonly categories: readonly string[];
  /** The last part of its address, if that is more than a number. */
  readonly slug?: string | undefined;
  readonly status: Post['status'];
  readonly visibility: Post['visibility'];
  /** The URLs at which others know the post. */
  readonly syndication: readonly string[];
  /** The pages that it responds to, by property, such as `in-reply-to`. */
  readonly responses: Readonly<Record<string, readonly string[]>>;
  readonly media: readonly FoundMedia[];
}

/** What a reader finds next: a post, or a part of the archive that can't be imported. `count`: how many such parts. */
export type Finding =
  | { readonly post: FoundPost }
  | { readonly skipped: SkippedPart; readonly count?: number; readonly isPost?: boolean };

/** Returns the URL that stands in a post's text for the file at `index` of its media. */
export const mediaMark = (index: number) => `porchlight-import:${index}`;

/** Replaces the marks of a post's media in a text. */
export function withMarksReplaced(text: string, urlOf: (index: number) => string | undefined): string {
  return text.replace(/porchlight-import:(\d{1,4})/g, (mark, index: string) => urlOf(Number(index)) ?? mark);
}

/** Returns the last part of a URL's path as a slug, without its file name extension; undefined if it is a number. */
export function slugIn(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url, 'http://localhost')) return undefined;
  const parts = new URL(url, 'http://localhost').pathname.split('/').filter((part) => part !== '');
  const last = (parts.at(-1) ?? '').replace(/\.(?:html?|md|markdown|php)$/i, '');
  return /^[\d_-]*$/.test(last) ? undefined : decoded(last);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns whether a text is an http or https URL. */
export const isWebUrl = (text: unknown): text is string =>
  typeof text === 'string' && /^https?:\/\//i.test(text) && URL.canParse(text);

/** Returns the first words of a text, to name a post in a message. */
export function firstWords(text: string): string {
  const line = text
    .slice(0, 1000)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const start = Array.from(line).slice(0, 60).join('');
  return start === line ? line : `${start}…`;
}
