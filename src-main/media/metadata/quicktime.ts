import { isXmpBox, walkBoxes, type Box, type BoxWalk } from './boxes.ts';
import { damagedFile } from './damaged.ts';
import { collectPatches, type Patches } from './patches.ts';
import type { FilePiece } from './parts.ts';
import { cleanMeta } from './quicktime-meta.ts';
import { isTimedMetadata, removeTrack } from './quicktime-track.ts';
import type { Reader } from './reader.ts';

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
