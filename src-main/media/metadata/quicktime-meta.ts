import { readBox, type Box, type BoxWalk } from './boxes.ts';
import { byteCursor } from './byte-cursor.ts';
import { damagedFile } from './damaged.ts';
import type { Patches } from './patches.ts';
import { readWhole, type Reader } from './reader.ts';
import { PorchlightError } from '../../contract/error.ts';

/** Matches the names of values that reveal a location or a device, such as com.apple.quicktime.location.ISO6709. */
const telling =
  /(^|[._])(location|gps|latitude|longitude|xmp|make|model|software|manufacturer|camera|serial\w*)([._]|$)|^com\.android\.version$|^\xa9(xyz|mak|mod|swr)$|^loci$/i;

/**
 * Cleans the `meta` box of a movie or track (QuickTime File Format, "Metadata"). Zeros replace each value that reveals
 * a location or a device. If the box can't be parsed, the whole box becomes free space, because playback doesn't need
 * it.
 */
export async function cleanMeta(reader: Reader, walk: BoxWalk, meta: Box, patches: Patches): Promise<void> {
  try {
    for (const value of await tellingValues(reader, walk, meta)) patches.blank(value.from, value.to);
  } catch (error) {
    if (!(error instanceof PorchlightError)) throw error;
    patches.free(meta);
  }
}

async function tellingValues(
  reader: Reader,
  walk: BoxWalk,
  meta: Box,
): Promise<{ from: number; to: number }[]> {
  const boxes = await inside(walk, await start(reader, meta), meta.to);
  const keysBox = boxes.find(({ type }) => type === 'keys');
  const keys = keysBox ? await keysIn(reader, keysBox) : [];
  // XML from a camera states its make, model, serial number and location, so every XML box is overwritten with zeros.
  const values = boxes
    .filter(({ type }) => type === 'xml ' || type === 'bxml')
    .map(({ body, to }) => ({ from: body, to }));
  for (const list of boxes.filter(({ type }) => type === 'ilst')) {
    for (const item of await inside(walk, list.body, list.to)) {
      const index = Buffer.from(item.type, 'latin1').readUInt32BE();
      if (!telling.test(keys[index - 1] ?? item.type)) continue;
      const parts = await inside(walk, item.body, item.to);
      for (const part of parts) values.push({ from: Math.min(part.to, part.body + 8), to: part.to });
    }
  }
  return values;
}

/**
 * Returns the position at which the content of a `meta` box begins. In ISO files, a version and flags precede the
 * content. In QuickTime files, nothing precedes it.
 */
async function start(reader: Reader, meta: Box): Promise<number> {
  if (meta.to - meta.body < 8) return meta.to;
  const peek = await readWhole(reader, meta.body, 8);
  return peek.toString('latin1', 4) === 'hdlr' ? meta.body : meta.body + 4;
}

async function inside(walk: BoxWalk, from: number, to: number): Promise<readonly Box[]> {
  const { boxes, end } = await walk(from, to);
  if (end < to) throw damagedFile();
  return boxes;
}

async function keysIn(reader: Reader, box: Box): Promise<string[]> {
  const list = byteCursor(await readBox(reader, box, 4));
  const count = list.number(4);
  const keys: string[] = [];
  for (let key = 0; key < count; key += 1) {
    const size = list.number(4);
    list.number(4); // skips the key's namespace (`mdta`)
    keys.push(list.text(size - 8));
  }
  return keys;
}
