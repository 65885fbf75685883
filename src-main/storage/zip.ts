import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, lstat, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import type { ReadStreamOptions, ZipFile as NewZipFile } from 'yazl';
import { PorchlightError } from '../contract/error.ts';
import { nodeOperations, renamePatiently } from './file-operations.ts';
import { broken, type ManifestFile } from './manifest.ts';
import { goOn } from './pacing.ts';
import { errorCode, readFailure, writeFailure } from './storage-error.ts';

/**
 * A zip that is open for reading. Its metadata may be forged. Only the uncompressed sizes are reliable: reading an
 * entry fails if its content has a different size.
 */
export interface ZipReader {
  readonly entries: ReadonlyMap<string, Entry>;
  /**
   * Returns the content of an entry, as a stream.
   * @throws PorchlightError `backup_broken` if the entry is damaged.
   */
  stream(entry: Entry): Promise<Readable>;
  /**
   * Returns the content of a small entry, as one buffer.
   * @throws PorchlightError `backup_broken` if the entry is larger than `most` bytes.
   */
  bytes(entry: Entry, most: number): Promise<Buffer>;
}

/** Entries of up to this size, in bytes, are best read and written whole: streams cost more than the compression. */
export const smallEntry = 65_536;

/** The maximum number of entries in a zip. More would not fit into memory. */
const mostEntries = 1_000_000;

/**
 * Runs `work` on the zip in `file`.
 * @throws PorchlightError `not_found`, `not_a_backup`, `backup_broken`, `storage_unreadable`
 */
export async function readingZip<T>(file: string, work: (zip: ZipReader) => Promise<T>): Promise<T> {
  const zip = await opened(file);
  let raw: FileHandle | undefined;
  try {
    const source = (raw = await open(file));
    const entries = await entriesOf(zip);
    const stream = async (entry: Entry) => {
      try {
        return await zip.openReadStreamPromise(entry);
      } catch (cause) {
        throw damagedZip(cause);
      }
    };
    return await work({
      entries,
      stream,
      async bytes(entry, most) {
        if (entry.uncompressedSize > most || entry.compressedSize > 2 * most + 1000)
          throw broken(`${entry.fileName} is too large`);
        try {
          return await wholeEntry(zip, source, entry);
        } catch (cause) {
          throw damagedZip(cause);
        }
      },
    });
  } finally {
    zip.close();
    await raw?.close();
  }
}

const inflated = promisify(inflateRaw);
/** The sizes of zlib's buffer for output, in bytes. It would be 16 KB for each small file too. */
const [smallestChunk, largestChunk] = [64, 16_384];

/** Reads an entry with two calls of the system. Throws if its content isn't as long as the zip says. */
async function wholeEntry(zip: ZipFile, raw: FileHandle, entry: Entry): Promise<Buffer> {
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const { compressedSize, uncompressedSize, compressionMethod } = entry;
  const packed = Buffer.alloc(compressedSize);
  const { bytesRead } = await raw.read(packed, 0, compressedSize, fileDataStart);
  const isStored = compressionMethod === 0;
  if (bytesRead !== compressedSize || (!isStored && compressionMethod !== 8)) throw broken('it is cut off');
  const maxOutputLength = Math.max(1, uncompressedSize);
  const chunkSize = Math.max(smallestChunk, Math.min(uncompressedSize + 1, largestChunk));
  const content = isStored ? packed : await inflated(packed, { maxOutputLength, chunkSize });
  if (content.length !== uncompressedSize) throw broken(`${entry.fileName} has another size than it should`);
  return content;
}

async function opened(file: string): Promise<ZipFile> {
  try {
    // Opening a named pipe would wait for a writer, and nothing could cancel that wait.
    if (!(await stat(file)).isFile()) throw notOurs();
    const { openPromise } = await import('yauzl');
    return await openPromise(file, { autoClose: false, lazyEntries: true, strictFileNames: true });
  } catch (cause) {
    if (cause instanceof PorchlightError) throw cause;
    const code = errorCode(cause);
    if (code === 'ENOENT') throw new PorchlightError('not_found', `The file “${file}” doesn’t exist.`, 404);
    if (code !== undefined) throw readFailure(file, cause);
    throw notOurs(cause);
  }
}

function notOurs(cause?: unknown): PorchlightError {
  return new PorchlightError(
    'not_a_backup',
    'This file isn’t a zip, or it is incomplete. Choose a complete backup that Porchlight made.',
    400,
    { cause },
  );
}

async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > mostEntries) throw broken('it holds too many files');
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.has(entry.fileName)) throw broken(`it holds ${entry.fileName} twice`);
      entries.set(entry.fileName, lightEntry(entry));
    }
  } catch (cause) {
    throw cause instanceof PorchlightError ? cause : damagedZip(cause);
  }
  return entries;
}

/** Returns an entry with only what reading it needs, because a zip may have very many. */
function lightEntry(entry: Entry): Entry {
  const { fileName, compressedSize, uncompressedSize, compressionMethod } = entry;
  const { relativeOffsetOfLocalHeader, externalFileAttributes, generalPurposeBitFlag } = entry;
  return Object.assign(Object.create(Object.getPrototypeOf(entry) as object) as Entry, {
    fileName,
    compressedSize,
    uncompressedSize,
    compressionMethod,
    relativeOffsetOfLocalHeader,
    externalFileAttributes,
    generalPurposeBitFlag,
  });
}

/** Returns whether an entry is a plain file: not a folder, link or device, and not encrypted with a zip password. */
export function isPlainFile(entry: Entry): boolean {
  const kind = (entry.externalFileAttributes >>> 16) & 0o170000;
  return (kind === 0 || kind === 0o100000) && !entry.fileName.endsWith('/') && !entry.isEncrypted();
}

/** Converts an error from reading the zip to an error with a message for the owner. */
export function damagedZip(cause: unknown): PorchlightError {
  if (cause instanceof PorchlightError) return cause;
  return Object.assign(broken('a part of it can’t be read'), { cause });
}

/**
 * Matches the names of files that are already compressed. Compressing them again would take time and save almost no
 * space.
 */
const packed = /\.(?:jpe?g|png|gif|webp|avif|heic|heif|mp4|mov|m4v|webm|mp3|m4a|ogg|opus|flac|zip|gz)$/i;

/** The first bytes of any zip that is not empty. */
const zipHead = 'PK\x03\x04';

/** A zip that is being written, one entry after another. */
export type ZipWriter = ReturnType<typeof writerOf>;

/**
 * Returns whether a file may be replaced, which is true for a missing file and for a zip. Without this check, malicious
 * code in the app's window could overwrite any file.
 * @throws PorchlightError if the file exists but can't be read.
 */
async function mayBeReplaced(file: string): Promise<boolean> {
  try {
    // Refuse links, because the new zip would replace the link instead of its target. Refuse named pipes, because
    // opening a named pipe would block.
    if (!(await lstat(file)).isFile()) return false;
    const found = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await found.read(Buffer.alloc(zipHead.length), 0, zipHead.length, 0);
      return buffer.toString('latin1', 0, bytesRead) === zipHead;
    } finally {
      await found.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw writeFailure(file, error);
  }
}

/**
 * Writes a zip beside `file` under a temporary name, readable only by its owner. Runs `check` on the zip, then renames
 * it to `file`. If anything fails, `file` is unchanged and the temporary file is removed.
 *
 * @throws PorchlightError `file_exists` (409) if `file` exists and isn't a zip, `storage_…`, `cancelled`.
 */
export async function writeZip<T>(
  file: string,
  signal: AbortSignal,
  fill: (zip: ZipWriter) => Promise<T>,
  {
    check = () => Promise.resolve(),
    isNew = false,
  }: {
    /** Checks the complete zip before it gets its name. */
    readonly check?: (file: string, filled: T) => Promise<void>;
    /** Whether to refuse an existing `file`, even if it is a zip. */
    readonly isNew?: boolean | undefined;
  } = {},
): Promise<T> {
  if (isNew) await mustBeFree(file);
  if (!(await mayBeReplaced(file)))
    throw new PorchlightError(
      'file_exists',
      `“${file}” already exists and isn’t a zip. Choose another name.`,
      409,
    );
  const temporary = `${file}.${randomBytes(4).toString('hex')}.part`;
  try {
    const filled = await filling(temporary, signal, fill);
    await check(temporary, filled);
    signal.throwIfAborted();
    // Another program may have written it meanwhile.
    if (isNew) await mustBeFree(file);
    await renamePatiently(temporary, file);
    await nodeOperations.syncFolder(dirname(file));
    return filled;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    goOn({ signal });
    throw writeFailure(file, error);
  }
}

/** Throws `file_exists` (409) if there is anything at a path. */
async function mustBeFree(file: string): Promise<void> {
  const found = await lstat(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found !== undefined) throw new PorchlightError('file_exists', `“${file}” already exists.`, 409);
}

async function filling<T>(
  temporary: string,
  signal: AbortSignal,
  fill: (zip: ZipWriter) => Promise<T>,
): Promise<T> {
  const yazl = await import('yazl');
  const zip = new yazl.ZipFile();
  // Only the stream may close its file descriptor. The system soon reuses a closed descriptor's number, so a second
  // close could close another file.
  const output = createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true });
  const closed = new Promise<void>((resolve) => output.once('close', resolve));
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  try {
    const written = pipeline(zip.outputStream, output, { signal: both });
    // If writing the zip fails, the entry that is being added never finishes. In that case, this promise rejects, so
    // that no code waits for that entry.
    const stopped = new Promise<never>((_resolve, reject) => {
      written.catch(reject);
      zip.on('error', reject);
    });
    stopped.catch(() => undefined);
    const filled = await Promise.race([fill(writerOf(zip, both)), stopped]);
    zip.end();
    await Promise.race([written, stopped]);
    return filled;
  } finally {
    failed.abort();
    await closed;
  }
}

/** Returns functions that add entries to `zip`. Once `signal` aborts, they stop reading their sources. */
function writerOf(zip: NewZipFile, signal: AbortSignal) {
  const options = { mode: 0o100600, mtime: new Date() };

  type More = { readonly size?: number; readonly compress: boolean };

  /** Adds an entry. Resolves once its content is written. */
  async function addFrom(name: string, source: Readable, more: More): Promise<ManifestFile> {
    const hash = createHash('sha256');
    let bytes = 0;
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        bytes += chunk.length;
        done(null, chunk);
      },
    });
    addInTurn(zip, name, { ...options, ...more }, counted);
    await pipeline(source, counted, { signal });
    return { bytes, sha256: hash.digest('hex') };
  }

  /** Adds a small entry. */
  async function addWhole(name: string, content: Uint8Array, more: More): Promise<ManifestFile> {
    const stream = new Readable({ read: () => undefined });
    stream.push(content);
    stream.push(null);
    addInTurn(zip, name, { ...options, ...more }, stream);
    await finished(stream, { signal });
    return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  }

  return {
    /**
     * Adds a file from the disk. Resolves with the file's size and hash.
     * @throws the system's error if the file can't be opened. In that case, nothing was added, and the caller can add
     * other entries.
     */
    async addFile(name: string, file: string, { bytes }: { bytes: number }): Promise<ManifestFile> {
      const more = { size: bytes, compress: !packed.test(name) };
      if (bytes <= smallEntry) return addWhole(name, await readFile(file), more);
      return addFrom(name, (await open(file)).createReadStream(), more);
    },
    async addBytes(name: string, bytes: Uint8Array): Promise<void> {
      await addWhole(name, bytes, { compress: true });
    },
    /** Adds a stream of text of unknown length. */
    async addStream(name: string, content: AsyncIterable<string>): Promise<void> {
      await addFrom(name, Readable.from(content, { objectMode: false }), { compress: true });
    },
  };
}

/**
 * Adds an entry whose content is read when its turn comes. yazl keeps its function and its name until the end of the
 * zip, so the function lets go of the content, and the name gets a buffer of its own: a part of Node's pool would keep
 * all of that.
 */
function addInTurn(
  zip: NewZipFile,
  name: string,
  options: Partial<ReadStreamOptions>,
  content: Readable,
): void {
  let left = [content];
  const { poolSize } = Buffer;
  Buffer.poolSize = 0;
  try {
    zip.addReadStreamLazy(name, options, (ready) => {
      const turn = left;
      left = [];
      for (const one of turn) ready(null, one);
    });
  } finally {
    Buffer.poolSize = poolSize;
  }
}
