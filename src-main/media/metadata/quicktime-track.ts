import { readBox, type Box, type BoxWalk } from './boxes.ts';
import { byteCursor } from './byte-cursor.ts';
import { countSteps } from './damaged.ts';
import type { Patches } from './patches.ts';
import type { Reader } from './reader.ts';

/**
 * Returns whether a track contains data from the camera, such as its location, orientation and settings, instead of
 * video or audio (ISO/IEC 14496-12, 12.3; GoPro's gpmd, CAMM, Sony's rtmd, Apple's mebx).
 */
export async function isTimedMetadata(reader: Reader, walk: BoxWalk, track: Box): Promise<boolean> {
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
export async function removeTrack(
  reader: Reader,
  walk: BoxWalk,
  track: Box,
  patches: Patches,
): Promise<void> {
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
  for (const wanted of path) {
    if (box === undefined) return undefined;
    const { boxes } = await walk(box.body, box.to);
    box = boxes.find(({ type }) => type === wanted);
  }
  return box;
}
