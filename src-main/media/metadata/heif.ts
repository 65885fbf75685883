import { type Box, type BoxWalk, collectPatches, type Patches, readBox, walkBoxes } from './boxes.ts';
import { cleanMovie } from './quicktime.ts';
import { byteCursor, countSteps, damagedFile, type FilePiece, type Reader } from './reader.ts';

/**
 * The boxes to keep in the file (`kept`) and in a meta box (`keptInMeta`). The boxes in a meta box describe the parts
 * of the picture and where they are.
 */
const kept = new Set(['ftyp', 'styp', 'meta', 'mdat', 'moov', 'moof', 'sidx', 'mfra', 'pdin', 'wide']);
const keptInMeta = new Set('hdlr pitm iinf iloc iprp iref idat dinf grpl ipro'.split(' '));

/**
 * Returns the parts of a cleaned HEIC, HEIF or AVIF file (ISO/IEC 23008-12). Zeros replace Exif, XMP and other text, so
 * that all other data keeps its position. Boxes that don't belong to the picture, such as the video of a motion photo,
 * become free space, or are removed if they are at the end of the file. The rotation stays, because it is a property of
 * the image item, not of Exif.
 * @throws PorchlightError if the position of the metadata can't be determined.
 */
export async function planHeif(reader: Reader): Promise<FilePiece[] | null> {
  const walk = walkBoxes(reader);
  const patches = collectPatches(reader);
  const { boxes, cutShort } = await walk(0, reader.size);
  if (boxes[0]?.type !== 'ftyp' || (cutShort !== null && kept.has(cutShort))) throw damagedFile();
  if (!boxes.some(({ type }) => type === 'meta' || type === 'moov')) throw damagedFile();
  for (const box of boxes) {
    if (box.type === 'meta') await cleanMeta(reader, walk, box, boxes, patches);
    else if (box.type === 'moov') await cleanMovie(reader, walk, box, patches);
    else if (!kept.has(box.type)) patches.free(box);
  }
  const end = boxes.findLast(({ type }) => kept.has(type))?.to ?? reader.size;
  return patches.plan(end);
}

async function cleanMeta(
  reader: Reader,
  walk: BoxWalk,
  meta: Box,
  top: readonly Box[],
  patches: Patches,
): Promise<void> {
  const { boxes, end } = await walk(meta.body + 4, meta.to);
  if (end < meta.to) throw damagedFile();
  for (const box of boxes) if (!keptInMeta.has(box.type)) patches.free(box);
  const one = (type: string): Box | undefined => {
    const [box, ...more] = boxes.filter((each) => each.type === type);
    // If a box appears twice, another program may use the box that is not cleaned here.
    if (more.length > 0) throw damagedFile();
    return box;
  };
  const [iinf, iloc, idat] = [one('iinf'), one('iloc'), one('idat')];
  if (!iinf || !iloc) return;
  const items = await metadataItems(reader, walk, iinf);
  for (const extent of await extentsOf(reader, iloc, items)) {
    const { from, to } = placeOf(extent, idat, top);
    patches.blank(from, to);
  }
}

/**
 * Returns the position of an extent in the file. Checks that the extent is in a data box, because nothing else may be
 * overwritten.
 */
function placeOf(extent: Extent, idat: Box | undefined, top: readonly Box[]): { from: number; to: number } {
  const shift = extent.inIdat ? (idat?.body ?? 0) : 0;
  const [from, to] = [extent.from + shift, extent.to + shift];
  const data = extent.inIdat ? [idat] : [idat, ...top.filter(({ type }) => type === 'mdat')];
  if (!data.some((box) => box && from >= box.body && to <= box.to)) throw damagedFile();
  return { from, to };
}

/** The position of a piece of an item's data. `inIdat`: true if the position is in the `idat` box, not in the file. */
interface Extent {
  readonly inIdat: boolean;
  readonly from: number;
  readonly to: number;
}

/** Returns the IDs of the metadata items (ISO/IEC 23008-12, annex A): Exif, XMP and other text. */
async function metadataItems(reader: Reader, walk: BoxWalk, iinf: Box): Promise<Set<number>> {
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
async function extentsOf(reader: Reader, iloc: Box, items: ReadonlySet<number>): Promise<Extent[]> {
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
