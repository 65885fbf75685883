import { PorchlightError } from '../../contract/error.ts';
import {
  type Box,
  type BoxWalk,
  collectPatches,
  isXmpBox,
  type Patches,
  readBox,
  walkBoxes,
} from './boxes.ts';
import { byteCursor, countSteps, damagedFile, type FilePiece, type Reader, readWhole } from './reader.ts';

/**
 * The user data to keep, because the author wrote it or players need it. All other user data is removed, because it
 * uses camera makers' own formats. A list of the formats that reveal a location or device could never be complete.
 */
const keptUserData = new Set([
  ...'meta name titl dscp cprt auth perf gnre rtng albm yrrc coll kywd clsf'.split(' '),
  ...'kind tsel strk chpl ludt hnti hinf tnam WLOC LOOP SelO AllF'.split(' '),
  ...['nam', 'ART', 'alb', 'aut', 'cmt', 'cpy', 'day', 'des', 'gen', 'inf', 'wrt', 'too'].map(
    (name) => `\xa9${name}`,
  ),
]);
/** The boxes to remove: camera makers' own boxes, and free space, which some dashcams use to store locations. */
const makersOwn = new Set(['uuid', 'gps ', 'GPS ', 'free', 'skip']);
/** If a file is cut off within one of these boxes, it plays up to that point. */
const frames = new Set(['mdat', 'moof']);

/**
 * Returns the parts of a cleaned video or audio file (MP4, QuickTime, 3GPP). Zeros replace location and device data, so
 * that all other data keeps its position. Reads only headers and metadata, because the file may have gigabytes of other
 * data. Leaves out the bytes that some cameras append after the last box.
 * @throws PorchlightError if the file has no `moov` box, or if a `moov` box can't be parsed.
 */
export async function planQuicktime(reader: Reader): Promise<FilePiece[] | null> {
  const walk = walkBoxes(reader);
  const patches = collectPatches(reader);
  const { boxes, end, cutShort } = await walk(0, reader.size);
  const movies = boxes.filter(({ type }) => type === 'moov');
  if (movies.length === 0) throw damagedFile();
  for (const movie of movies) await cleanMovie(reader, walk, movie, patches);
  for (const box of boxes) {
    if (isFreeSpace(box) || (await isXmpBox(reader, box))) patches.free(box);
    if (box.type === 'meta') await cleanMeta(reader, walk, box, patches);
    if (box.type === 'udta') await cleanUserData(reader, walk, box, patches);
  }
  return patches.plan(cutShort !== null && frames.has(cutShort) ? reader.size : end);
}

/**
 * Removes location and device data from a `moov` box and its tracks.
 * @throws PorchlightError if the box can't be parsed.
 */
export async function cleanMovie(reader: Reader, walk: BoxWalk, movie: Box, patches: Patches): Promise<void> {
  const boxes = await cleanInside(reader, walk, movie, patches);
  for (const box of boxes) {
    if (box.type !== 'trak') continue;
    if (await isTimedMetadata(reader, walk, box)) await removeTrack(reader, walk, box, patches);
    else await cleanInside(reader, walk, box, patches);
  }
}

const isFreeSpace = ({ type }: Box) => type === 'free' || type === 'skip';

/**
 * Removes location and device data from a movie or track.
 * @returns the boxes directly inside the movie or track.
 */
async function cleanInside(
  reader: Reader,
  walk: BoxWalk,
  outer: Box,
  patches: Patches,
): Promise<readonly Box[]> {
  const { boxes, end, cutShort } = await walk(outer.body, outer.to);
  if (cutShort !== null) throw damagedFile();
  patches.blank(end, outer.to); // bytes outside of boxes may contain metadata
  for (const box of boxes) {
    if (box.type === 'udta') await cleanUserData(reader, walk, box, patches);
    if (box.type === 'meta') await cleanMeta(reader, walk, box, patches);
    if (makersOwn.has(box.type)) patches.free(box);
  }
  return boxes;
}

async function cleanUserData(reader: Reader, walk: BoxWalk, data: Box, patches: Patches): Promise<void> {
  const { boxes, end, cutShort } = await walk(data.body, data.to);
  // The list may end with four zero bytes. Anything else that is not a box may contain metadata.
  if (cutShort !== null || data.to - end > 4) {
    patches.free(data);
    return;
  }
  patches.blank(end, data.to);
  for (const box of boxes) {
    if (!keptUserData.has(box.type)) patches.free(box);
    if (box.type === 'meta') await cleanMeta(reader, walk, box, patches);
  }
}

/** Matches the names of values that reveal a location or a device, such as com.apple.quicktime.location.ISO6709. */
const revealing =
  /(^|[._])(location|gps|latitude|longitude|xmp|make|model|software|manufacturer|camera|serial\w*)([._]|$)|^com\.android\.version$|^\xa9(xyz|mak|mod|swr)$|^loci$/i;

/**
 * Cleans the `meta` box of a movie or track (QuickTime File Format, "Metadata"). Zeros replace each value that reveals
 * a location or a device. If the box can't be parsed, the whole box becomes free space, because playback doesn't need
 * it.
 */
async function cleanMeta(reader: Reader, walk: BoxWalk, meta: Box, patches: Patches): Promise<void> {
  try {
    for (const value of await revealingValues(reader, walk, meta)) patches.blank(value.from, value.to);
  } catch (error) {
    if (!(error instanceof PorchlightError)) throw error;
    patches.free(meta);
  }
}

async function revealingValues(
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
      if (!revealing.test(keys[index - 1] ?? item.type)) continue;
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

/**
 * Returns whether a track contains data from the camera, such as its location, orientation and settings, instead of
 * video or audio (ISO/IEC 14496-12, 12.3; GoPro's gpmd, CAMM, Sony's rtmd, Apple's mebx).
 */
async function isTimedMetadata(reader: Reader, walk: BoxWalk, track: Box): Promise<boolean> {
  const handler = await within(walk, track, 'mdia', 'hdlr');
  if (!handler || handler.to - handler.body < 12) return false;
  const head = byteCursor(await readBox(reader, handler));
  head.text(8);
  return head.text(4) === 'meta';
}

/**
 * Replaces all of a track's data with zeros, and the track's box with free space.
 * @throws PorchlightError if the track's tables are damaged.
 */
async function removeTrack(reader: Reader, walk: BoxWalk, track: Box, patches: Patches): Promise<void> {
  const table = await within(walk, track, 'mdia', 'minf', 'stbl');
  if (table) for (const { from, to } of await chunksOf(reader, walk, table)) patches.blank(from, to);
  patches.free(track);
}

/** Returns where the chunks of a track are stored in the file (ISO/IEC 14496-12, 8.7). */
async function chunksOf(reader: Reader, walk: BoxWalk, table: Box): Promise<{ from: number; to: number }[]> {
  const { boxes } = await walk(table.body, table.to);
  const one = (...types: string[]): Box | undefined => boxes.find(({ type }) => types.includes(type));
  const [runs, sizes, offsets] = [one('stsc'), one('stsz'), one('stco', 'co64')];
  if (!runs || !sizes || !offsets) return [];

  const run = byteCursor(await readBox(reader, runs, 4));
  let runsLeft = run.number(4);
  const next = () =>
    runsLeft-- > 0 ? { chunk: run.number(4), samples: run.number(4), kind: run.number(4) } : null;
  let current = next();
  let following = next();

  const size = byteCursor(await readBox(reader, sizes, 4));
  const fixed = size.number(4);
  let samplesLeft = size.number(4);

  const offset = byteCursor(await readBox(reader, offsets, 4));
  const width = offsets.type === 'co64' ? 8 : 4;
  const count = offset.number(4);
  const step = countSteps();
  const chunks: { from: number; to: number }[] = [];
  for (let chunk = 1; chunk <= count; chunk += 1) {
    step();
    if (following?.chunk === chunk) [current, following] = [following, next()];
    const samples = Math.min(samplesLeft, current?.samples ?? 0);
    samplesLeft -= samples;
    let bytes = fixed * samples;
    if (fixed === 0) for (let sample = 0; sample < samples; sample += 1) bytes += size.number(4);
    const from = offset.number(width);
    chunks.push({ from: Math.min(from, reader.size), to: Math.min(from + bytes, reader.size) });
  }
  return chunks;
}

async function within(walk: BoxWalk, outer: Box, ...path: string[]): Promise<Box | undefined> {
  let box: Box | undefined = outer;
  for (const name of path) {
    if (box === undefined) return undefined;
    const { boxes } = await walk(box.body, box.to);
    box = boxes.find(({ type }) => type === name);
  }
  return box;
}
