import type { ArchiveFormat } from '../contract/post-import.ts';
import type { Archive, ArchiveFile } from './archive.ts';
import { brokenArchive, notAnArchive } from './archive.ts';
import { mastodon } from './formats/mastodon.ts';
import { markdown } from './formats/markdown.ts';
import { microblog } from './formats/microblog.ts';
import { porchlight } from './formats/porchlight.ts';
import type { ArchiveReader } from './formats/reader.ts';
import { twitter } from './formats/twitter.ts';
import { wxr } from './formats/wxr.ts';

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
