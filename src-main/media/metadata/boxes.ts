import { countSteps, damagedFile } from './damaged.ts';
import { readWhole, type Reader } from './reader.ts';

/** A box of an ISO base media file (ISO/IEC 14496-12, 4.2), or an atom of a QuickTime file. */
export interface Box {
  /** The box type: four one-byte characters. */
  readonly type: string;
  /** The positions at which the box's header, the box's content and the next box begin. */
  readonly from: number;
  readonly body: number;
  readonly to: number;
}

export interface BoxList {
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
