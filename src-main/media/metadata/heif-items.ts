import { readBox, type Box, type BoxWalk } from './boxes.ts';
import { byteCursor } from './byte-cursor.ts';
import { countSteps, damagedFile } from './damaged.ts';
import type { Reader } from './reader.ts';

/** The position of a piece of an item's data. `inIdat`: true if the position is in the `idat` box, not in the file. */
export interface Extent {
  readonly inIdat: boolean;
  readonly from: number;
  readonly to: number;
}

/** Returns the IDs of the metadata items (ISO/IEC 23008-12, annex A): Exif, XMP and other text. */
export async function metadataItems(reader: Reader, walk: BoxWalk, iinf: Box): Promise<Set<number>> {
  const head = byteCursor(await readBox(reader, iinf));
  const start = head.number(4) >>> 24 === 0 ? 6 : 8; // skips version, flags and a count
  const found = new Set<number>();
  const { boxes, end } = await walk(iinf.body + start, iinf.to);
  // Boxes after `end` can't be read, so metadata that those boxes list would stay in the file.
  if (end < iinf.to) throw damagedFile();
  for (const box of boxes) {
    if (box.type !== 'infe') continue;
    const entry = byteCursor(await readBox(reader, box));
    const version = entry.number(1);
    entry.number(3);
    // Items have no type before version 2 of the `infe` box. HEIF pictures don't use those versions.
    if (version < 2) continue;
    const id = entry.number(version === 2 ? 2 : 4);
    entry.number(2);
    if (['Exif', 'mime', 'uri '].includes(entry.text(4))) found.add(id);
  }
  return found;
}

/**
 * Returns the positions of the items' data (ISO/IEC 14496-12, 8.11.3). `items`: the IDs of the items.
 * @throws PorchlightError if the list is damaged, or the position of an item is unknown.
 */
export async function extentsOf(reader: Reader, iloc: Box, items: ReadonlySet<number>): Promise<Extent[]> {
  const list = byteCursor(await readBox(reader, iloc));
  const step = countSteps();
  const found: Extent[] = [];
  const version = list.number(1);
  list.number(3);
  if (version > 2) throw damagedFile();
  const [offsetSize, lengthSize] = halves(list.number(1));
  const [baseSize, indexSize] = halves(list.number(1));
  const count = list.number(version < 2 ? 2 : 4);
  for (let item = 0; item < count; item += 1) {
    step();
    const id = list.number(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : list.number(2) & 0x0f;
    const elsewhere = list.number(2) !== 0;
    const base = list.number(baseSize);
    const extents = list.number(2);
    for (let extent = 0; extent < extents; extent += 1) {
      step();
      if (version > 0) list.number(indexSize);
      const from = base + list.number(offsetSize);
      const length = list.number(lengthSize);
      if (!items.has(id)) continue;
      // Reject data that is in another file or item, or that has an unknown length.
      if (elsewhere || method > 1 || length === 0) throw damagedFile();
      found.push({ inIdat: method === 1, from, to: from + length });
    }
  }
  return found;
}

function halves(byte: number): [number, number] {
  return [byte >> 4, byte & 0x0f];
}
