import { createWriteStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { ArchiveFormat } from '../../src-main/contract/post-import.ts';
import { readerFor } from '../../src-main/importing/archive-jobs.ts';
import type { Finding, FoundMention, FoundPost } from '../../src-main/importing/found-post.ts';
import { openArchive } from '../../src-main/importing/open-archive.ts';

/** The path of a sample archive in tests/fixtures/import. */
export const sampleArchive = (name: string) => join(import.meta.dirname, '../fixtures/import', name);

/** Reads every post and every mention of an archive. */
export async function readArchive(path: string, format: ArchiveFormat | 'auto' = 'auto') {
  const archive = await openArchive(path);
  try {
    const { reader, files } = await readerFor(archive, format);
    const findings: Finding[] = [];
    for await (const finding of reader.read(archive, files)) findings.push(finding);
    const posts = findings.flatMap((finding): FoundPost[] => ('post' in finding ? [finding.post] : []));
    const skipped = findings.flatMap((finding) => ('skipped' in finding ? [finding.skipped] : []));
    const mentions = findings.flatMap((finding): FoundMention[] =>
      'extra' in finding && 'mention' in finding.extra ? [finding.extra.mention] : [],
    );
    return { format: reader.format, posts, mentions, skipped, refused: archive.refused };
  } finally {
    archive.close();
  }
}

/** Packs a folder into a zip. */
export async function zipFolder(folder: string, target: string): Promise<string> {
  const zip = new ZipFile();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const file = join(entry.parentPath, entry.name);
      zip.addBuffer(await readFile(file), file.slice(folder.length + 1).replaceAll('\\', '/'));
    }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(target));
  return target;
}
