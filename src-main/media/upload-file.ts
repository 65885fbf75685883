import { randomBytes } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { verifiedToWrite } from '../storage/held-folders.ts';
import { mustHaveReserve } from '../storage/reserve.ts';
import { errorCode, writeFailure } from '../storage/storage-error.ts';
import type { PictureSize } from '../untrusted/pictures/picture-decoder.ts';
import { incomingOf } from './media-name.ts';
import { planWithoutMetadata } from './metadata/metadata.ts';
import { bytesReader, fileReader, streamPieces } from './metadata/reader.ts';
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

/** A received file. A small one is held in memory, so that it is written only once. */
export type Incoming = HeldFile | WrittenFile;

interface Received {
  readonly bytes: number;
  /** The displayed size of a picture, if reading its metadata has shown it. */
  readonly size?: PictureSize | undefined;
}

interface HeldFile extends Received {
  /** The content, which is in `block`. Must not be used after `drop`. */
  readonly content: Buffer;
  readonly block: Buffer;
}

/** A file on disk, open for reading and writing, with a random name that only this process knows. */
export interface WrittenFile extends Received {
  readonly file: string;
  readonly handle: FileHandle;
}

/** How many bytes to write at a time. Smaller writes take more calls, and larger writes take more memory per upload. */
const writeBytes = 512 * 1024;
/** How many pieces to collect for one write. There must be a limit, because a sender may send single bytes. */
const mostPieces = 1024;

/**
 * Receives a stream: a small one into memory, any other into a new file that only the owner can read. If the promise
 * rejects, nothing is left of it. Call `drop` when the file is no longer needed.
 * @throws PorchlightError `invalid_request` 413 as soon as more than `limit` bytes have arrived, 400 if the stream is
 * empty or interrupted; `storage_full`, `storage_unwritable`.
 */
export async function receive(
  dir: string,
  content: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Incoming> {
  const chunks = limited(unbroken(content), limit);
  const block = takeBlock();
  if (block === undefined) return write(dir, chunks);
  let bytes = 0;
  let isHeld = false;
  try {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      const chunk = next.value;
      if (bytes + chunk.byteLength > blockBytes)
        return await write(dir, followedBy([block.subarray(0, bytes), chunk], chunks));
      block.set(chunk, bytes);
      bytes += chunk.byteLength;
    }
    isHeld = true;
    return { content: block.subarray(0, bytes), block, bytes };
  } finally {
    if (!isHeld) giveBack(block);
  }
}

/**
 * Writes a received file to disk, unless it is there already. It is durable only after `makeDurable`.
 * @throws PorchlightError `storage_full`, `storage_unwritable`
 */
export async function written(dir: string, incoming: Incoming): Promise<WrittenFile> {
  if ('file' in incoming) return incoming;
  const onDisk = await write(dir, followedBy([incoming.content]));
  await drop(incoming);
  return { ...onDisk, size: incoming.size };
}

/** Writes a stream to a new file. If that fails, the file is deleted. */
async function write(dir: string, content: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
  const file = join(incomingOf(dir), `${randomBytes(16).toString('hex')}.part`);
  const handle = await writing(file, () => verifiedToWrite(file, () => openNew(file)));
  try {
    let bytes = 0;
    let waiting: Uint8Array[] = [];
    let flushed = 0;
    const flush = async () => {
      const pieces = waiting;
      [waiting, flushed] = [[], bytes];
      await writing(file, () => writeAll(handle, pieces));
    };
    for await (const chunk of content) {
      bytes += chunk.byteLength;
      waiting.push(chunk);
      if (bytes - flushed >= writeBytes || waiting.length >= mostPieces) await flush();
    }
    await flush();
    return { file, handle, bytes };
  } catch (error) {
    await drop({ file, handle, bytes: 0 });
    throw error;
  }
}

/**
 * Flushes a received file to disk, and closes it.
 * @throws PorchlightError `storage_full`, `storage_unwritable`
 */
export async function makeDurable({ file, handle }: WrittenFile): Promise<void> {
  await writing(file, () => handle.sync());
  await writing(file, () => handle.close());
}

/**
 * Lets go of a received file: of its memory, or of the file on disk, which it deletes unless it has been renamed. Like
 * `discard`, never fails.
 */
export async function drop(incoming: Incoming): Promise<void> {
  if ('content' in incoming) {
    giveBack(incoming.block);
    return;
  }
  await incoming.handle.close().catch(() => undefined);
  await discard(incoming.file);
}

/**
 * Removes location and device data from a received file. Returns a cleaned copy and deletes the original, or returns
 * the original if there is nothing to remove. The result has the size of a picture whose header names it.
 * @throws PorchlightError `invalid_request` if the file is damaged. In that case, the original is not deleted.
 */
export async function withoutMetadata(dir: string, incoming: Incoming, type: string): Promise<Incoming> {
  let size: PictureSize | undefined;
  const reader = 'content' in incoming ? bytesReader(incoming.content) : await fileReader(incoming.handle);
  const parts = await planWithoutMetadata(type, reader, (found) => (size = found));
  if (parts === null) return { ...incoming, size };
  const cleaned = await write(dir, streamPieces(reader, parts));
  await drop(incoming);
  return { ...cleaned, size };
}

async function openNew(file: string): Promise<FileHandle> {
  mustHaveReserve(file);
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

/** Yields pieces, and then the rest of a stream. */
export async function* followedBy(
  pieces: readonly Uint8Array[],
  rest?: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* pieces;
  if (rest) yield* rest;
}

/** Yields the chunks of a stream. Throws `invalid_request` if it is empty, or has more than `limit` bytes. */
async function* limited(content: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.byteLength;
    if (bytes > limit) throw tooLarge(limit);
    yield chunk;
  }
  if (bytes === 0) throw new PorchlightError('invalid_request', 'The file is empty.');
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
/** The size of a block of memory, in bytes. */
const blockBytes = 1024 * 1024;
/** How many blocks all uploads may use at the same time. */
const mostBlocks = 16;
/** How long unused blocks are kept, in ms. */
const idleMs = 60_000;

const free: Buffer[] = [];
let used = 0;
let idle: NodeJS.Timeout | undefined;

/**
 * Returns a block of memory for receiving a small file; undefined if too many are in use. Its content is arbitrary.
 * Blocks are used again, because a new buffer for each file would keep the garbage collector busy.
 */
export function takeBlock(): Buffer | undefined {
  if (used >= mostBlocks) return undefined;
  used += 1;
  return free.pop() ?? Buffer.allocUnsafeSlow(blockBytes);
}

/** Makes a block available to others. Nothing may refer to its content any more. */
export function giveBack(block: Buffer): void {
  used -= 1;
  free.push(block);
  idle ??= setTimeout(() => {
    free.length = 0;
    idle = undefined;
  }, idleMs).unref();
  idle.refresh();
}
