import { walkBoxes, type Box, type BoxWalk } from './boxes.ts';
import { damagedFile } from './damaged.ts';
import { extentsOf, metadataItems, type Extent } from './heif-items.ts';
import { collectPatches, type Patches } from './patches.ts';
import type { FilePiece } from './parts.ts';
import { cleanMovie } from './quicktime.ts';
import type { Reader } from './reader.ts';

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
