import { Entry, openPromise, type ZipFile } from 'yauzl';
import { PorchlightError } from '../contract/error.ts';
import type { SkippedPart } from '../contract/post-import.ts';
import { isPlainFile } from '../storage/zip-reader.ts';
import {
  brokenArchive,
  contentOf,
  fileCounter,
  mostFilesInArchive,
  tooManyFiles,
  type Archive,
  type ArchiveFile,
} from './archive.ts';

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
export async function zipFiles(path: string, bytes: number): Promise<Archive> {
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
