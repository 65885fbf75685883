import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Entry, ZipFile } from 'yauzl';
import { PorchlightError } from '../contract/error.ts';
import { errorCode, readFailure } from './storage-error.ts';
import { broken } from './manifest.ts';

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

/** The maximum number of entries in a zip. More would not fit into memory. */
const mostEntries = 1_000_000;

/**
 * Runs `work` on the zip in `file`.
 * @throws PorchlightError `not_found`, `not_a_backup`, `backup_broken`, `storage_unreadable`
 */
export async function readingZip<T>(file: string, work: (zip: ZipReader) => Promise<T>): Promise<T> {
  const zip = await opened(file);
  try {
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
        if (entry.uncompressedSize > most) throw broken(`${entry.fileName} is too large`);
        const chunks: Buffer[] = [];
        try {
          for await (const chunk of await stream(entry)) chunks.push(chunk as Buffer);
        } catch (cause) {
          throw damagedZip(cause);
        }
        return Buffer.concat(chunks);
      },
    });
  } finally {
    zip.close();
  }
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
      entries.set(entry.fileName, entry);
    }
  } catch (cause) {
    throw cause instanceof PorchlightError ? cause : damagedZip(cause);
  }
  return entries;
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
