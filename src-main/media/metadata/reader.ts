import type { FileHandle } from 'node:fs/promises';
import { damagedFile } from './damaged.ts';

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

/** Returns the bytes of an open file from `from` up to `to`, or fewer if the file ends before that. */
export async function fill(handle: FileHandle, from: number, to: number): Promise<Uint8Array> {
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
