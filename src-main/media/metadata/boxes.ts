import {
  countSteps,
  damagedFile,
  type FilePiece,
  joinParts,
  type Reader,
  readWhole,
  windowBytes,
} from './reader.ts';

/** A box of an ISO base media file (ISO/IEC 14496-12, 4.2), or an atom of a QuickTime file. */
export interface Box {
  /** The box type: four one-byte characters. */
  readonly type: string;
  /** The positions at which the box's header, the box's content and the next box begin. */
  readonly from: number;
  readonly body: number;
  readonly to: number;
}

interface BoxList {
  readonly boxes: readonly Box[];
  /** The position at which reading stopped: the end of the range, or of the last complete box. */
  readonly end: number;
  /** The type of the box at `end`, if its stated size exceeds the range; otherwise null. */
  readonly cutShort: string | null;
}

/** Reads the headers of the boxes between two positions. Throws if one file has over 100,000 boxes. */
export type BoxWalk = (from: number, to: number) => Promise<BoxList>;

/** Returns a function that lists boxes. All its calls share the limit on the number of boxes. */
export function walkBoxes(reader: Reader): BoxWalk {
  const step = countSteps();
  return async (from, to) => {
    const boxes: Box[] = [];
    let position = from;
    while (position + 8 <= to) {
      step();
      const box = await boxAt(reader, position, to);
      if (box === null) break; // some QuickTime lists end with a zero
      if (box.to > to) return { boxes, end: position, cutShort: box.type };
      boxes.push(box);
      position = box.to;
    }
    return { boxes, end: position, cutShort: null };
  };
}

/** Returns the box at `from`, or null if the bytes there can't be the header of a box. */
async function boxAt(reader: Reader, from: number, end: number): Promise<Box | null> {
  const header = await readWhole(reader, from, 8);
  const type = header.toString('latin1', 4);
  const size = header.readUInt32BE();
  if (size === 0) return end === reader.size ? { type, from, body: from + 8, to: end } : null;
  if (size !== 1) return size < 8 ? null : { type, from, body: from + 8, to: from + size };
  if (from + 16 > end) return null;
  const large = Number((await readWhole(reader, from + 8, 8)).readBigUInt64BE());
  return large < 16 ? null : { type, from, body: from + 16, to: from + large };
}

/**
 * Returns the content of a box, starting at byte `skip` of the content.
 * @throws PorchlightError if the box is shorter than `skip`, or the content is over 16 MB.
 */
export async function readBox(reader: Reader, box: Box, skip = 0): Promise<Buffer> {
  if (box.body + skip > box.to) throw damagedFile();
  return readWhole(reader, box.body + skip, box.to - box.body - skip);
}

const xmpUuid = 'be7acfcb97a942e89c71999491e3afac';

/** Returns whether a box contains XMP (XMP specification, part 3). */
export async function isXmpBox(reader: Reader, box: Box): Promise<boolean> {
  if (box.type !== 'uuid' || box.to - box.body < 16) return false;
  return (await readWhole(reader, box.body, 16)).toString('hex') === xmpUuid;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

export type Patches = ReturnType<typeof collectPatches>;

const zeros = new Uint8Array(windowBytes);
const freeType = Buffer.from('free', 'latin1');

/** Returns functions that collect changes to a file, which keep all other bytes in their positions. */
export function collectPatches(reader: Reader) {
  const blanks: Range[] = [];
  const freed: number[] = [];
  return {
    /** Overwrites a range with zeros. */
    blank: (from: number, to: number): void => void blanks.push({ from, to }),
    /** Replaces a box with free space of the same size. */
    free: (box: Box): void => {
      if (box.type !== 'free') freed.push(box.from + 4);
      blanks.push({ from: box.body, to: box.to });
    },
    /** Returns the parts of the new file, up to the position `end`. */
    plan: async (end: number): Promise<FilePiece[] | null> => {
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
