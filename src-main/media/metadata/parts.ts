import type { FileHandle } from 'node:fs/promises';
import { damagedFile } from './damaged.ts';
import { fill } from './reader.ts';

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
 * Streams the new file, which consists of `parts`, in chunks of at most 512 KiB. `handle`: the old file.
 * @throws PorchlightError if the old file has become shorter since the parts were planned.
 */
export async function* streamPieces(
  handle: FileHandle,
  parts: Iterable<FilePiece>,
): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    const [from, to] = 'bytes' in part ? [0, part.bytes.length] : [part.from, part.to];
    for (let at = from; at < to; at += copyBytes) {
      const end = Math.min(to, at + copyBytes);
      const chunk = 'bytes' in part ? part.bytes.subarray(at, end) : await fill(handle, at, end);
      if (chunk.length < end - at) throw damagedFile();
      yield chunk;
    }
  }
}
