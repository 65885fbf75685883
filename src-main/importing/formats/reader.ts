import type { ArchiveFormat } from '../../contract/post-import.ts';
import { readDate } from '../../posts/date.ts';
import type { Archive, ArchiveFile } from '../archive.ts';
import type { Finding } from '../found-post.ts';

export interface ArchiveReader {
  readonly format: ArchiveFormat;
  /**
   * Whether each file is one post, and so yields exactly one finding. If such a file can't be read within the limits,
   * the import continues with the next file.
   */
  readonly isPostPerFile?: true;
  /** Returns the files that contain the posts; an empty list if the archive has another format. */
  postFiles(archive: Archive): Promise<readonly ArchiveFile[]>;
  /** Yields the posts of these files one by one, and the parts that can't be imported. */
  read(archive: Archive, files: Iterable<ArchiveFile>): AsyncIterable<Finding>;
}

/** The maximum length of a post's text, in characters. It is the same as in the editor (contract/writing.ts). */
export const longestText = 200_000;
export const tooLong = 'Its text is too long.';

const earliest = 0;
const latest = Date.UTC(10_000, 0) - 1;

/** Converts a time (ms since 1970) to ISO 8601 in UTC; undefined outside the years 1970 to 9999. */
export function isoTime(at: number): string | undefined {
  if (!(at >= earliest && at <= latest)) return undefined;
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

/**
 * Reads a date as `readDate` does; returns undefined also outside the years 1970 to 9999. The result has no offset if
 * the text has none.
 */
export function isoDate(text: unknown): string | undefined {
  if (typeof text !== 'string' || momentOf(text) === undefined) return undefined;
  return readDate(text);
}

/** Returns the moment of a date (ISO 8601, UTC). A date without an offset counts as UTC. */
export const momentOf = (text: string): string | undefined =>
  isoTime(Date.parse(readDate(text, 'UTC') ?? ''));

/** The reason to skip a post whose date is missing, invalid or out of range. */
export const noDate = 'It has no date between 1970 and 9999.';
export const damagedPost = 'It is damaged or too long.';

/** Returns the finding for a post that can't be imported. */
export const skippedPost = (what: string, why: string) => ({ skipped: { what, why }, isPost: true });

/** Returns the files whose paths match a pattern, sorted by path. */
export const filesNamed = ({ files }: Archive, pattern: RegExp): ArchiveFile[] =>
  [...files.values()]
    .filter(({ path }) => pattern.test(path))
    .sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }));

/** Returns the strings in a list; an empty list if `values` isn't a list. */
export const texts = (values: unknown): string[] =>
  Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
