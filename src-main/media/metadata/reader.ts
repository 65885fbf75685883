import type { FileHandle } from 'node:fs/promises';
import { PorchlightError } from '../../contract/error.ts';

/** Random access to a file. Lengths and positions are bytes. */
export interface Reader {
  readonly size: number;
  /** Returns the bytes from `position` on: `length` bytes, or fewer at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
}

/** How many bytes to read at a time when searching a file. */
export const windowBytes = 64 * 1024;

/** The maximum size of a structure that is read as a whole, in bytes. No genuine structure is larger. */
const largestWhole = 16_000_000;

/**
 * Creates a reader of an open file. Small reads at nearby positions share one disk access. Returned bytes are never
 * overwritten. The caller must close the handle.
 */
export async function fileReader(handle: FileHandle): Promise<Reader> {
  const { size } = await handle.stat();
  let ahead: Uint8Array = new Uint8Array(0);
  let start = 0;
  return {
    size,
    read: async (position, length) => {
      const end = Math.min(size, position + length);
      if (position < start || end > start + ahead.length) {
        ahead = await fill(handle, position, Math.min(size, Math.max(end, position + windowBytes)));
        start = position;
      }
      return ahead.subarray(position - start, Math.max(position, end) - start);
    },
  };
}

/** Creates a reader of bytes in memory, which must not change. */
export function bytesReader(bytes: Uint8Array): Reader {
  const size = bytes.length;
  return { size, read: (position, length) => Promise.resolve(bytes.subarray(position, position + length)) };
}

/** Returns the bytes of an open file from `from` up to `to`, or fewer if the file ends before that. */
async function fill(handle: FileHandle, from: number, to: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(Math.max(0, to - from));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/**
 * Returns exactly `length` bytes, starting at `position`.
 * @throws PorchlightError if the file ends too early, or if `length` is over 16 MB.
 */
export async function readWhole(reader: Reader, position: number, length: number): Promise<Buffer> {
  if (length > largestWhole || position + length > reader.size) throw damagedFile();
  const bytes = asBuffer(await reader.read(position, length));
  if (bytes.length < length) throw damagedFile();
  return bytes;
}

/** Returns a Buffer of the given bytes, without copying them. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * Returns a cursor at the start of `bytes`, which reads big-endian numbers and text sequentially. Its functions throw
 * PorchlightError if they read past the end.
 */
export function byteCursor(bytes: Buffer) {
  let position = 0;
  const take = (length: number): Buffer => {
    if (length < 0 || position + length > bytes.length) throw damagedFile();
    position += length;
    return bytes.subarray(position - length, position);
  };
  return {
    /** Reads a number of 0 to 8 bytes. A number of 0 bytes is zero, and numbers above 2^53 are approximate. */
    number: (length: number): number => take(length).reduce((number, byte) => number * 256 + byte, 0),
    /** Reads `length` bytes as text, with one character per byte. */
    text: (length: number): string => take(length).toString('latin1'),
  };
}

/** A piece of a new file: a range of the old file (`to` is exclusive), or new bytes. */
export type FilePiece = { readonly from: number; readonly to: number } | { readonly bytes: Uint8Array };

const copyBytes = 512 * 1024;

/** Returns the total length of the parts, in bytes. */
export function lengthOf(parts: readonly FilePiece[]): number {
  return parts.reduce((sum, part) => sum + ('bytes' in part ? part.bytes.length : part.to - part.from), 0);
}

/** Joins adjacent ranges. Returns null if the new file would equal the old file, whose size is `size` bytes. */
export function joinParts(parts: Iterable<FilePiece>, size: number): FilePiece[] | null {
  const joined: FilePiece[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if ('bytes' in part) {
      if (part.bytes.length > 0) joined.push(part);
    } else if (last && !('bytes' in last) && last.to === part.from) {
      joined[joined.length - 1] = { from: last.from, to: part.to };
    } else if (part.to > part.from) {
      joined.push(part);
    }
  }
  const [only] = joined;
  const unchanged = joined.length === 1 && only && !('bytes' in only) && only.from === 0 && only.to === size;
  return unchanged ? null : joined;
}

/**
 * Streams the new file, which consists of `parts`, in chunks of at most 512 KiB. `reader`: of the old file.
 * @throws PorchlightError if the old file has become shorter since the parts were planned.
 */
export async function* streamPieces(reader: Reader, parts: Iterable<FilePiece>): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    const [from, to] = 'bytes' in part ? [0, part.bytes.length] : [part.from, part.to];
    for (let at = from; at < to; at += copyBytes) {
      const end = Math.min(to, at + copyBytes);
      const chunk = 'bytes' in part ? part.bytes.subarray(at, end) : await reader.read(at, end - at);
      if (chunk.length < end - at) throw damagedFile();
      yield chunk;
    }
  }
}

/** Returns the error for a file from which metadata can't be removed safely because its structure can't be parsed. */
export function damagedFile(): PorchlightError {
  return new PorchlightError(
    'invalid_request',
    'This file is damaged or incomplete, so Porchlight could not remove its location and camera data. The file was not saved.',
    400,
  );
}

/**
 * The maximum number of steps for parsing one file. No genuine picture or video has that many segments, chunks or
 * boxes.
 */
const mostSteps = 100_000;

/** Returns a function that counts the steps of parsing one file. It throws PorchlightError after 100,000 calls. */
export function countSteps(): () => void {
  let steps = 0;
  return () => {
    steps += 1;
    if (steps > mostSteps) throw damagedFile();
  };
}
