import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { PorchlightError } from '../../contract/error.ts';
import { nodeOperations } from '../file-operations.ts';
import { errorCode, writeFailure } from '../storage-error.ts';
import type { ManifestFile } from './manifest.ts';

/** Files that are smaller already: packing them again costs time for nothing. */
const packed = /\.(?:jpe?g|png|gif|webp|avif|heic|heif|mp4|mov|m4v|webm|mp3|m4a|ogg|opus|flac|zip|gz)$/i;

/** How a zip that holds anything begins. */
const zipHead = 'PK\x03\x04';

/** A zip that is being written; one entry after the other. */
export interface ZipWriter {
  /**
   * Adds a file of the disk, streamed. Resolves with what was read, once it is in.
   * @throws the system's error where it can't be opened: then nothing was added, and others may follow.
   */
  addFile(name: string, file: string, about: { bytes: number }): Promise<ManifestFile>;
  addBytes(name: string, bytes: Uint8Array): Promise<void>;
  /** Adds a stream of text whose length nobody knows. */
  addStream(name: string, content: AsyncIterable<string>): Promise<void>;
}

/**
 * True where nothing is lost but a zip: whoever speaks for the window can not have other files replaced.
 * What is there and can't be read is left alone too.
 */
async function mayBeReplaced(file: string): Promise<boolean> {
  try {
    // A link would be replaced itself; opening a pipe would wait for somebody.
    if (!(await lstat(file)).isFile()) return false;
    const found = await open(file, 'r');
    const { buffer, bytesRead } = await found
      .read(Buffer.alloc(zipHead.length), 0, zipHead.length, 0)
      .finally(() => found.close());
    return buffer.toString('latin1', 0, bytesRead) === zipHead;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw writeFailure(file, error);
  }
}

/**
 * Writes a zip beside `file` under a name of its own, for its owner's eyes only; has `check` look at it, and then gives
 * it its name. Whatever fails, `file` is as it was and nothing is left beside it.
 *
 * @throws PorchlightError `file_exists` (409) where `file` is there and is no zip, `storage_…`, `cancelled`.
 */
export async function writeZip<T>(
  file: string,
  signal: AbortSignal,
  fill: (zip: ZipWriter) => Promise<T>,
  check: (file: string, filled: T) => Promise<void> = () => Promise.resolve(),
): Promise<T> {
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
    await rename(temporary, file);
    await nodeOperations.syncFolder(dirname(file));
    return filled;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (signal.aborted) throw new PorchlightError('cancelled', 'Cancelled. Nothing was changed.', 409);
    throw error instanceof PorchlightError ? error : writeFailure(file, error);
  }
}

async function filling<T>(
  temporary: string,
  signal: AbortSignal,
  fill: (zip: ZipWriter) => Promise<T>,
): Promise<T> {
  const zip = new ZipFile();
  // The stream closes what it opened, whatever happens: a second hand that closes might hit somebody else's file.
  const output = createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true });
  const closed = new Promise<void>((resolve) => output.once('close', resolve));
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  try {
    const written = pipeline(zip.outputStream, output, { signal: both });
    // An entry never ends when the writing behind it has failed.
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

/** `signal`: lets go of what is being read. */
function writerOf(zip: ZipFile, signal: AbortSignal): ZipWriter {
  const options = { mode: 0o100600, mtime: new Date() };

  async function add(
    name: string,
    source: Readable,
    more: { size?: number; compress: boolean },
  ): Promise<ManifestFile> {
    const hash = createHash('sha256');
    let bytes = 0;
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        bytes += chunk.length;
        done(null, chunk);
      },
    });
    const read = pipeline(source, counted, { signal });
    zip.addReadStream(counted, name, { ...options, ...more });
    await read;
    return { bytes, sha256: hash.digest('hex') };
  }

  return {
    async addFile(name, file, { bytes }) {
      // Opened first: an entry that has begun and gets no content never ends, nor does any after it.
      const source = (await open(file)).createReadStream();
      return add(name, source, { size: bytes, compress: !packed.test(name) });
    },
    async addBytes(name, bytes) {
      await add(name, Readable.from([Buffer.from(bytes)]), { compress: true });
    },
    async addStream(name, content) {
      await add(name, Readable.from(content, { objectMode: false }), { compress: true });
    },
  };
}
