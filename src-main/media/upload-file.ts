import { randomBytes } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { verified } from '../storage/held-folders.ts';
import { errorCode, writeFailure } from '../storage/storage-error.ts';
import type { PictureSize } from '../untrusted/pictures/picture-decoder.ts';
import { incomingOf } from './media-name.ts';
import { planWithoutMetadata } from './metadata/metadata.ts';
import { fileReader, streamPieces } from './metadata/reader.ts';
import { namesIn } from '../storage/file-facts.ts';

/** Deletes partial files that a killed process left behind. */
export async function sweepIncoming(dir: string): Promise<void> {
  const folder = incomingOf(dir);
  for (const name of await namesIn(folder)) if (name.endsWith('.part')) await discard(join(folder, name));
}

/** Deletes a file. Never fails, because the next start deletes any file that is left over. */
export async function discard(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined);
}

/** A received file, open for reading and writing, with a random name that only this process knows. */
export interface Incoming {
  readonly file: string;
  readonly handle: FileHandle;
  readonly bytes: number;
  /** The displayed size of a picture, if reading its metadata has shown it. */
  readonly size?: PictureSize | undefined;
}

/** How many bytes to write at a time. Smaller writes take more calls, and larger writes take more memory per upload. */
const writeBytes = 512 * 1024;
/** How many pieces to collect for one write. There must be a limit, because a sender may send single bytes. */
const writePieces = 1024;

/**
 * Writes a stream to a new file that only the owner can read. The file is durable only after `makeDurable`. If writing
 * fails, the file is deleted.
 * @throws PorchlightError `invalid_request` 413 as soon as more than `limit` bytes have arrived, 400 if the stream is
 * empty or interrupted; `storage_full`, `storage_unwritable`.
 */
export async function receive(
  dir: string,
  content: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Incoming> {
  const file = join(incomingOf(dir), `${randomBytes(16).toString('hex')}.part`);
  const handle = await writing(file, () => verified(file, () => openNew(file)));
  try {
    let bytes = 0;
    let waiting: Uint8Array[] = [];
    let written = 0;
    const write = async () => {
      const pieces = waiting;
      [waiting, written] = [[], bytes];
      await writing(file, () => writeAll(handle, pieces));
    };
    for await (const chunk of unbroken(content)) {
      bytes += chunk.byteLength;
      if (bytes > limit) throw tooLarge(limit);
      waiting.push(chunk);
      if (bytes - written >= writeBytes || waiting.length >= writePieces) await write();
    }
    if (bytes === 0) throw new PorchlightError('invalid_request', 'The file is empty.');
    await write();
    return { file, handle, bytes };
  } catch (error) {
    await drop({ file, handle });
    throw error;
  }
}

/**
 * Flushes a received file to disk, and closes it.
 * @throws PorchlightError `storage_full`, `storage_unwritable`
 */
export async function makeDurable({ file, handle }: Incoming): Promise<void> {
  await writing(file, () => handle.sync());
  await writing(file, () => handle.close());
}

/** Closes a received file, and deletes it unless it has been renamed. Like `discard`, never fails. */
export async function drop({ file, handle }: Pick<Incoming, 'file' | 'handle'>): Promise<void> {
  await handle.close().catch(() => undefined);
  await discard(file);
}

/**
 * Removes location and device data from a received file. Returns a cleaned copy and deletes the original, or returns
 * the original if there is nothing to remove. The result has the size of a picture whose header names it.
 * @throws PorchlightError `invalid_request` if the file is damaged. In that case, the original is not deleted.
 */
export async function withoutMetadata(dir: string, incoming: Incoming, type: string): Promise<Incoming> {
  let size: PictureSize | undefined;
  const reader = await fileReader(incoming.handle);
  const parts = await planWithoutMetadata(type, reader, (found) => (size = found));
  if (parts === null) return { ...incoming, size };
  const cleaned = await receive(dir, streamPieces(incoming.handle, parts), Infinity);
  await drop(incoming);
  return { ...cleaned, size };
}

async function openNew(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx+', 0o600);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await nodeOperations.makeFolder(join(file, '..'));
    return open(file, 'wx+', 0o600);
  }
}

/** Writes pieces without joining them, because joined buffers would burden the garbage collector. */
async function writeAll(handle: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  for (let rest = pieces; rest.length > 0;) rest = without(rest, (await handle.writev(rest)).bytesWritten);
}

/** Returns the pieces without their first `bytes` bytes. */
function without(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = bytes;
  return pieces.flatMap((piece) => {
    const rest = piece.subarray(skipped);
    skipped -= piece.byteLength - rest.byteLength;
    return rest.byteLength > 0 ? [rest] : [];
  });
}

async function writing<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw writeFailure(file, error);
  }
}

/**
 * Yields the chunks of a stream. Throws `invalid_request` if the stream is interrupted, because an interruption isn't a
 * disk error.
 */
async function* unbroken(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    if (error instanceof PorchlightError || isRefusal(error)) throw error;
    throw new PorchlightError('invalid_request', 'The upload was interrupted. Try again.', 400, {
      cause: error,
    });
  }
}

/** Returns whether an error has an HTTP status below 500, for example because the request was too large. */
const isRefusal = (error: unknown) =>
  error instanceof Error &&
  'statusCode' in error &&
  typeof error.statusCode === 'number' &&
  error.statusCode < 500;

function tooLarge(limit: number): PorchlightError {
  const megabytes = Number((limit / 1_000_000).toPrecision(3));
  return new PorchlightError('invalid_request', `The file is larger than the limit of ${megabytes} MB.`, 413);
}
