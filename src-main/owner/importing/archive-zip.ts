import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { PorchlightError } from '../../contract/error.ts';
import type { SkippedPart } from '../../contract/post-import.ts';
import { isPlainFile } from '../../storage/backup/zip-reader.ts';
import {
  brokenArchive,
  checkCancelled,
  mostFilesInArchive,
  type Archive,
  type ArchiveFile,
} from './archive.ts';

/**
 * The limits for detecting a zip bomb. If an entry is larger than `largeBytes` when uncompressed, its compression ratio
 * must not exceed `mostPacked`.
 */
const largeBytes = 10_000_000;
const mostPacked = 250;

/**
 * Lists the files of a zip. Each file is decompressed only when it is read. `bytes`: the size of the zip.
 * @throws PorchlightError `archive_broken` for a damaged zip, a zip bomb, or a file name that points outside the
 * archive
 */
export async function zipFiles(path: string, bytes: number, signal: AbortSignal): Promise<Archive> {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(path, { autoClose: false, lazyEntries: true });
    return await listed(zip, bytes, signal);
  } catch (error) {
    zip?.close();
    if (error instanceof PorchlightError) throw error;
    throw brokenArchive('The zip is damaged or incomplete.', error);
  }
}

async function listed(zip: ZipFile, bytes: number, signal: AbortSignal): Promise<Archive> {
  if (zip.entryCount > mostFilesInArchive) throw brokenArchive('It has too many files.');
  const files = new Map<string, ArchiveFile>();
  const refused: SkippedPart[] = [];
  let packed = 0;
  for await (const entry of zip.eachEntry()) {
    checkCancelled(signal);
    const name = entry.fileName;
    if (name.endsWith('/')) continue;
    if (!isPlainFile(entry)) {
      refused.push({ what: name, why: 'It is a link or is encrypted, so Porchlight doesn’t read it.' });
      continue;
    }
    packed += entry.compressedSize;
    const isBomb =
      entry.uncompressedSize > largeBytes && entry.uncompressedSize > mostPacked * entry.compressedSize;
    // Also refuses a zip bomb whose entries share the same compressed bytes. In such a zip, the sum of the compressed
    // sizes exceeds the size of the zip.
    if (isBomb || packed > bytes)
      throw brokenArchive('It would unpack to far more than its size (a “zip bomb”).');
    if (files.has(name)) throw brokenArchive(`It contains “${name}” twice.`);
    files.set(name, { path: name, bytes: entry.uncompressedSize, content: () => unpacked(zip, entry) });
  }
  return { files, refused, close: () => zip.close() };
}

async function* unpacked(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const stream = await zip.openReadStreamPromise(entry);
  for await (const chunk of stream) yield chunk as Buffer;
}
