import { constants, createReadStream } from 'node:fs';
import { lstat, open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Entry, openPromise, type ZipFile } from 'yauzl';
import { PorchlightError } from '../contract/error.ts';
import type { SkippedPart } from '../contract/post-import.ts';
import { errorCode, readFailure } from '../storage/storage-error.ts';
import { isPlainFile } from '../storage/zip.ts';
import {
  type Archive,
  type ArchiveFile,
  brokenArchive,
  contentOf,
  fileCounter,
  mostFilesInArchive,
  notAnArchive,
  tooManyFiles,
} from './archive.ts';

/**
 * Opens the archive at a path. Called in the thread that reads archives (archive-worker.ts).
 * @throws PorchlightError `not_found`, `archive_unknown`, `archive_broken`, `storage_unreadable`
 */
export async function openArchive(path: string): Promise<Archive> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return await folderFiles(path);
    // Refuses named pipes, because opening one would wait until another process writes to it.
    if (!found.isFile()) throw notAnArchive();
    const start = await startOf(path);
    if (start.startsWith('PK')) return await zipFiles(path, found.size);
    if (start.startsWith('\x1f\x8b'))
      throw notAnArchive('Unpack the .tar.gz file first, and choose the folder.');
    const name = basename(path);
    const file = {
      path: name,
      bytes: found.size,
      content: () => contentOf(name, () => createReadStream(path)),
    };
    return { files: new Map([[name, file]]), refused: [], close: () => undefined };
  } catch (error) {
    if (error instanceof PorchlightError) throw error;
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR')
      throw new PorchlightError('not_found', `“${path}” doesn’t exist.`, 404);
    throw readFailure(path, error);
  }
}

async function startOf(path: string): Promise<string> {
  for await (const chunk of createReadStream(path, { end: 3 })) return (chunk as Buffer).toString('latin1');
  return '';
}

const deepestFolder = 30;

/**
 * Lists the files of a folder and its subfolders. Leaves out hidden files and `node_modules`. Never follows a symbolic
 * link, because the link's target may be anywhere on the disk.
 */
async function folderFiles(root: string): Promise<Archive> {
  const files = new Map<string, ArchiveFile>();
  const refused: SkippedPart[] = [];
  const count = fileCounter();

  async function walk(folder: string, depth: number): Promise<void> {
    if (depth > deepestFolder) throw brokenArchive('Its folders are nested too deeply.');
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      count(path);
      if (entry.isDirectory()) await walk(path, depth + 1);
      else if (entry.isFile()) {
        const file = join(root, path);
        const { size } = await lstat(file);
        files.set(path, { path, bytes: size, content: () => contentOf(path, () => readPlain(file)) });
      } else
        refused.push({ what: path, why: 'It is a link to another place, which Porchlight doesn’t follow.' });
    }
  }

  await walk('', 0);
  return { files, refused, close: () => undefined };
}

/** Reads a file. Fails if a link has replaced the file since it was listed. */
async function* readPlain(file: string): AsyncGenerator<Uint8Array> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    for await (const chunk of createReadStream('', { fd: handle, autoClose: false })) yield chunk as Buffer;
  } finally {
    await handle.close();
  }
}

/**
 * The limits for detecting a zip bomb. If an entry, or everything in the zip, is larger than `largeBytes` when
 * uncompressed, its compression ratio must not exceed `mostPacked`.
 */
const largeBytes = 10_000_000;
const mostPacked = 250;

/**
 * Lists the files of a zip. Each file is decompressed only when it is read. `bytes`: the size of the zip.
 * @throws PorchlightError `archive_broken` for a damaged zip, a zip bomb, or a file name that points outside the
 * archive
 */
async function zipFiles(path: string, bytes: number): Promise<Archive> {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(path, { autoClose: false, lazyEntries: true });
    return await listed(zip, bytes);
  } catch (error) {
    zip?.close();
    if (error instanceof PorchlightError) throw error;
    throw brokenArchive('The zip is damaged or incomplete.', error);
  }
}

async function listed(zip: ZipFile, bytes: number): Promise<Archive> {
  if (zip.entryCount > mostFilesInArchive) throw tooManyFiles();
  const files = new Map<string, ArchiveFile>();
  const refused: SkippedPart[] = [];
  const count = fileCounter();
  let [packed, unpackedBytes] = [0, 0];
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName;
    count(name);
    if (name.endsWith('/')) continue;
    if (!isPlainFile(entry)) {
      refused.push({ what: name, why: 'It is a link or is encrypted, so Porchlight doesn’t read it.' });
      continue;
    }
    packed += entry.compressedSize;
    unpackedBytes += entry.uncompressedSize;
    const isBomb =
      isFarLarger(entry.uncompressedSize, entry.compressedSize) || isFarLarger(unpackedBytes, bytes);
    // Also refuses a zip bomb whose entries share the same compressed bytes. In such a zip, the sum of the compressed
    // sizes exceeds the size of the zip.
    if (isBomb || packed > bytes)
      throw brokenArchive('It would unpack to far more than its size (a “zip bomb”).');
    if (files.has(name)) throw brokenArchive(`It contains “${name}” twice.`);
    files.set(name, new PackedFile(zip, entry));
  }
  return { files, refused, close: () => zip.close() };
}

const isFarLarger = (unpackedBytes: number, packedBytes: number) =>
  unpackedBytes > largeBytes && unpackedBytes > mostPacked * packedBytes;

/** A file in a zip. Holds no more than is needed to read the file, because a zip may have very many. */
class PackedFile implements ArchiveFile {
  readonly path: string;
  readonly bytes: number;
  readonly #zip: ZipFile;
  readonly #packed: Pick<Entry, 'compressedSize' | 'compressionMethod' | 'relativeOffsetOfLocalHeader'>;

  constructor(zip: ZipFile, entry: Entry) {
    const { compressedSize, compressionMethod, relativeOffsetOfLocalHeader } = entry;
    this.path = entry.fileName;
    this.bytes = entry.uncompressedSize;
    this.#zip = zip;
    this.#packed = { compressedSize, compressionMethod, relativeOffsetOfLocalHeader };
  }

  content(): AsyncIterable<Uint8Array> {
    const entry = new Entry();
    // The flags say that the file is not encrypted, as isPlainFile has checked.
    Object.assign(entry, this.#packed, { uncompressedSize: this.bytes, generalPurposeBitFlag: 0 });
    return contentOf(this.path, () => this.#zip.openReadStreamPromise(entry));
  }
}
