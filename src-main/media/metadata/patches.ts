import type { Box } from './boxes.ts';
import { joinParts, type FilePiece } from './parts.ts';
import { windowBytes, type Reader } from './reader.ts';

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Changes to a file that keep all other bytes in their positions. */
export interface Patches {
  /** Overwrites a range with zeros. */
  blank(from: number, to: number): void;
  /** Replaces a box with free space of the same size. */
  free(box: Box): void;
  /** Returns the parts of the new file, up to the position `end`. */
  plan(end: number): Promise<FilePiece[] | null>;
}

const zeros = new Uint8Array(windowBytes);
const freeType = Buffer.from('free', 'latin1');

/** Returns functions that collect the changes to a file. */
export function collectPatches(reader: Reader): Patches {
  const blanks: Range[] = [];
  const freed: number[] = [];
  return {
    blank: (from, to) => void blanks.push({ from, to }),
    free: (box) => {
      if (box.type !== 'free') freed.push(box.from + 4);
      blanks.push({ from: box.body, to: box.to });
    },
    plan: async (end) => {
      const changes: { at: Range; bytes?: Uint8Array }[] = freed.map((from) => ({
        at: { from, to: from + freeType.length },
        bytes: freeType,
      }));
      for (const at of merge(blanks)) if (!(await isBlank(reader, at))) changes.push({ at });
      changes.sort((one, other) => one.at.from - other.at.from);
      const parts: FilePiece[] = [];
      let position = 0;
      for (const { at, bytes } of changes) {
        // Skip a change that starts within an earlier change, and a change that extends beyond `end`.
        if (at.from < position || at.to > end) continue;
        parts.push({ from: position, to: at.from }, ...(bytes ? [{ bytes }] : blankParts(at)));
        position = at.to;
      }
      return joinParts([...parts, { from: position, to: end }], reader.size);
    },
  };
}

function merge(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last && range.from <= last.to) {
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    } else if (range.to > range.from) {
      merged.push(range);
    }
  }
  return merged;
}

async function isBlank(reader: Reader, { from, to }: Range): Promise<boolean> {
  for (let at = from; at < to; at += windowBytes) {
    const bytes = await reader.read(at, Math.min(windowBytes, to - at));
    if (bytes.some((byte) => byte !== 0)) return false;
  }
  return true;
}

/** Returns parts that share one block of zeros, so that blanking gigabytes takes no memory. */
function blankParts({ from, to }: Range): FilePiece[] {
  const parts: FilePiece[] = [];
  for (let at = from; at < to; at += windowBytes) parts.push({ bytes: zeros.subarray(0, to - at) });
  return parts;
}
