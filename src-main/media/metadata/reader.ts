import type { FileHandle } from 'node:fs/promises';
import { damaged } from './damaged.ts';

/** Random access to a file. Lengths and positions are bytes. */
export interface Reader {
  readonly size: number;
  /** The bytes from `position` on: as many as asked for, fewer only where the file ends. */
  read(position: number, length: number): Promise<Uint8Array>;
}

/** What is read at a time where a file is searched through. */
export const windowBytes = 64 * 1024;

/** A structure that has to be looked at as a whole is not larger than this, or it is no honest one: 16 MB. */
const largestWhole = 16_000_000;

/**
 * Reads an open file. Small reads near each other cost one access to the disk. The handle stays the caller's to close.
 * What it hands out is never written over.
 */
export async function readerOf(handle: FileHandle): Promise<Reader> {
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

/** The bytes of an open file from `from` up to `to`; fewer where it ends before. */
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

/** All of `length` bytes from `position` on. @throws PorchlightError where the file ends before, or for over 16 MB. */
export async function readWhole(reader: Reader, position: number, length: number): Promise<Buffer> {
  if (length > largestWhole || position + length > reader.size) throw damaged();
  const bytes = asBuffer(await reader.read(position, length));
  if (bytes.length < length) throw damaged();
  return bytes;
}

/** The same bytes, with Node's ways to look at them. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
