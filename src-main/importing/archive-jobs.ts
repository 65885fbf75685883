import type { ArchiveFormat } from '../contract/post-import.ts';
import { beginItem, leftItem, recordItems, type UnreadableItems } from './archive-items.ts';
import { type Archive, type ArchiveFile, brokenArchive, notAnArchive } from './archive.ts';
import {
  archiveItem,
  type ArchiveItem,
  contentOfFound,
  type ConvertedPost,
  fileUrls,
  itemSize,
} from './conversion.ts';
import { withFilesAt } from './exported.ts';
import { markdown } from './formats/markdown.ts';
import { mastodon } from './formats/mastodon.ts';
import { microblog } from './formats/microblog.ts';
import { porchlight } from './formats/porchlight.ts';
import { type ArchiveReader, skippedPost } from './formats/reader.ts';
import { twitter } from './formats/twitter.ts';
import { wxr } from './formats/wxr.ts';
import type { Finding, FoundPage, FoundPost } from './found-post.ts';
import { openArchive } from './open-archive.ts';

/** How much one message may hold. A single item may be larger: up to 200,000 characters of text, and its URLs. */
const most = { items: 200, characters: 250_000, bytes: 500_000, ms: 50 };

/** The new URLs of the files of a post or page, in the same order; undefined for a file that was not imported. */
type NewUrls = readonly (string | undefined)[];

let opened: { archive: Archive; reader: ArchiveReader; files: readonly ArchiveFile[] } | undefined;
let findings: AsyncIterator<Finding> | undefined;
const contents = new Map<number, AsyncIterator<Uint8Array>>();

function open(): NonNullable<typeof opened> {
  if (!opened) throw new Error('No archive is open.');
  return opened;
}

/** The jobs of the thread that reads an archive (archive-thread.ts), one at a time. */
export const jobs = {
  async open({ path, format }: { path: string; format: ArchiveFormat | 'auto' }) {
    const archive = await openArchive(path);
    const { reader, files } = await readerFor(archive, format);
    opened = { archive, reader, files };
    return { format: reader.format, refused: archive.refused };
  },

  /**
   * Begins to read the posts. Skips the first `after` findings, which have been read before. `place`: the memory in which
   * to record the place that is being read.
   */
  begin(input: { after: number; unreadable: UnreadableItems; place: SharedArrayBuffer }): void {
    recordItems(input.place, input.unreadable);
    findings = findingsIn(open(), input.after)[Symbol.asyncIterator]();
  },

  /** Returns the next items. */
  async next(): Promise<{ items: ArchiveItem[]; isEnd: boolean }> {
    const items: ArchiveItem[] = [];
    const until = performance.now() + most.ms;
    let characters = 0;
    while (items.length < most.items && characters < most.characters && performance.now() < until) {
      const next = await findings?.next();
      if (next?.done !== false) return { items, isEnd: true };
      const item = archiveItem(next.value);
      characters += itemSize(item);
      items.push(item);
    }
    return { items, isEnd: false };
  },

  /** Returns the next part of a file; undefined at its end. `id`: identifies the reading. */
  async read({ id, path }: { id: number; path: string }): Promise<Uint8Array | undefined> {
    const content = contents.get(id) ?? open().archive.files.get(path)?.content()[Symbol.asyncIterator]();
    if (!content) throw brokenArchive(`“${path}” is missing.`);
    contents.set(id, content);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    while (bytes < most.bytes) {
      const next = await content.next();
      if (next.done === true) break;
      chunks.push(next.value);
      bytes += next.value.length;
    }
    if (bytes === 0) return undefined;
    const whole = new Uint8Array(bytes);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  },

  /** Ends the reading of a file. */
  async leave({ id }: { id: number }): Promise<void> {
    await contents.get(id)?.return?.();
    contents.delete(id);
  },

  /** Converts a post. `urls`: the URLs of its media, in the same order. Returns undefined if it becomes too long. */
  convert({ post, urls }: { post: FoundPost; urls: NewUrls }): ConvertedPost | undefined {
    return contentOfFound(post, (media) => urls[post.media.indexOf(media)]);
  },

  /** Returns the text of a page with the new URLs of its files. `urls`: of its media, in the same order. */
  convertPage({ page: { page, media }, urls }: { page: FoundPage; urls: NewUrls }): string {
    return withFilesAt(
      page.text,
      fileUrls(media, (one) => urls[media.indexOf(one)]),
    );
  },
};
export type ArchiveJobs = typeof jobs;

async function* findingsIn(
  { archive, reader, files }: NonNullable<typeof opened>,
  after: number,
): AsyncGenerator<Finding> {
  if (reader.isPostPerFile === true) {
    for (const file of files.slice(after)) {
      const why = beginItem(file.path, 1);
      if (why === undefined) yield* reader.read(archive, [file]);
      else yield skippedPost(file.path, why);
    }
    return;
  }
  let count = 0;
  for await (const finding of reader.read(archive, files)) {
    count += 1;
    if (count <= after) continue;
    const left = leftItem();
    yield left && 'skipped' in finding ? { ...finding, skipped: left } : finding;
  }
}

/**
 * Porchlight's own export comes first, because its files may be archives too. Markdown comes last, because any archive
 * may also contain Markdown files.
 */
const readers: readonly ArchiveReader[] = [porchlight, mastodon, twitter, microblog, wxr, markdown];

/**
 * Finds the reader for an archive, and the files that contain the archive's posts. `auto` tries every format.
 * @throws PorchlightError `archive_unknown`
 */
export async function readerFor(
  archive: Archive,
  format: ArchiveFormat | 'auto',
): Promise<{ reader: ArchiveReader; files: readonly ArchiveFile[] }> {
  for (const reader of readers) {
    if (format !== 'auto' && reader.format !== format) continue;
    const files = await reader.postFiles(archive);
    if (files.length > 0) return { reader, files };
  }
  if (archive.files.size === 0) throw brokenArchive('It is empty.');
  throw format === 'auto'
    ? notAnArchive()
    : notAnArchive('It doesn’t contain posts in the chosen format. Try “Detect automatically”.');
}
