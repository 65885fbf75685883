import type { PictureSize } from '../../untrusted/pictures/picture-decoder.ts';
import { findOrientation, orientationExif } from './exif.ts';
import {
  asBuffer,
  countSteps,
  damagedFile,
  type FilePiece,
  joinParts,
  type Reader,
  readWhole,
  windowBytes,
} from './reader.ts';

const app0 = 0xe0;
const app1 = 0xe1;
const app2 = 0xe2;
const app14 = 0xee;

/** How many bytes a decoder needs from a JFIF header, and from Adobe's segment. Thumbnails and similar data follow. */
const jfifBytes = 14;
const adobeBytes = 12;
/** How many bytes of a frame's header come before its components: precision, height, width and their number. */
const frameBytes = 6;

/**
 * Returns the parts of a JPEG file that stay in the cleaned file. The only application segments that stay are JFIF, the
 * color profile and Adobe's color transform. The only Exif value that stays is the orientation. Leaves out comments,
 * and everything after the picture's end, such as the video of a motion photo, further pictures or gain maps.
 * `measured`: called with the displayed size, unless a decoder may read the frame's header in another way.
 */
export async function planJpeg(
  reader: Reader,
  measured: (size: PictureSize) => void = () => undefined,
): Promise<FilePiece[] | null> {
  const head: FilePiece[] = [{ from: 0, to: 2 }];
  const rest: FilePiece[] = [];
  const frames: (PictureSize | undefined)[] = [];
  let orientation: number | null = null;
  let isTurned = false;
  let exifSeen = false;
  let ended = false;
  for await (const segment of segmentsOf(reader)) {
    const { marker, from, to } = segment;
    ended = marker === endOfImage;
    if (isFrame(marker)) frames.push(await frameSize(reader, segment));
    if (marker === app1 && !exifSeen) {
      const exif = await exifIn(reader, segment);
      exifSeen = exif !== null;
      orientation = exif && findOrientation(exif);
      isTurned = orientation !== null && orientation >= 5;
      if (exif && orientation && orientationExif(orientation).equals(exif)) {
        rest.push({ from, to });
        orientation = null; // this segment contains nothing but the orientation, so it stays
      }
    } else if (marker === app0 && rest.length === 0) {
      head.push(...(await keptOf(reader, segment)));
    } else {
      rest.push(...(await keptOf(reader, segment)));
    }
  }
  const [size] = frames;
  if (size && frames.length === 1) measured(isTurned ? { width: size.height, height: size.width } : size);
  const turn = orientation ? [{ bytes: segmentBytes(app1, orientationExif(orientation)) }] : [];
  const end = ended ? [] : [{ bytes: Buffer.of(0xff, endOfImage) }];
  return joinParts([...head, ...turn, ...rest, ...end], reader.size);
}

async function keptOf(reader: Reader, segment: Segment): Promise<FilePiece[]> {
  const { marker, from, body, to } = segment;
  const whole = [{ from, to }];
  if (isPicture(marker)) return whole;
  if (marker !== app0 && marker !== app2 && marker !== app14) return [];
  const start = await readWhole(reader, body, Math.min(to - body, jfifBytes));
  if (marker === app2) return start.toString('latin1', 0, 12) === 'ICC_PROFILE\0' ? whole : [];
  const [name, length] = marker === app0 ? ['JFIF\0', jfifBytes] : ['Adobe', adobeBytes];
  if (start.toString('latin1', 0, 5) !== name || start.length < length) return [];
  if (to - body === length) return whole;
  const short = Buffer.from(start.subarray(0, length));
  if (marker === app0) short.fill(0, 12); // sets the thumbnail's width and height to zero
  return [{ bytes: segmentBytes(marker, short) }];
}

/** The frame types that every decoder reads: baseline, extended sequential and progressive, with Huffman coding. */
const usualFrames = [0xc0, 0xc1, 0xc2];
/** The maximum number of pixels of a picture that is decoded at all. */
const mostPixels = 100_000_000;

/** Returns the size in a frame's header (ITU T.81, B.2.2); undefined for one that a decoder may refuse. */
async function frameSize(reader: Reader, { marker, body, to }: Segment): Promise<PictureSize | undefined> {
  if (!usualFrames.includes(marker) || to - body < frameBytes) return undefined;
  const header = await readWhole(reader, body, frameBytes);
  const [height, width, components] = [header.readUInt16BE(1), header.readUInt16BE(3), header.readUInt8(5)];
  const isUsual = header.readUInt8(0) === 8 && to - body === frameBytes + 3 * components && components > 0;
  const pixels = width * height;
  return isUsual && pixels > 0 && pixels <= mostPixels ? { width, height } : undefined;
}

/** Returns whether a segment is the header of a frame. The tables (DHT, DAC) have markers in the same range. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Returns whether a marker belongs to the picture itself: to its frames, tables, scans or end. */
function isPicture(marker: number): boolean {
  const frame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8;
  return frame || (marker >= endOfImage && marker <= 0xdf) || marker === startOfScan;
}

async function exifIn(reader: Reader, { body, to }: Segment): Promise<Buffer | null> {
  const payload = await readWhole(reader, body, to - body);
  return payload.toString('latin1', 0, 5) === 'Exif\0' ? payload : null;
}

function segmentBytes(marker: number, payload: Uint8Array): Buffer {
  const length = payload.length + 2;
  return Buffer.concat([Buffer.of(0xff, marker, length >> 8, length & 0xff), payload]);
}

/** A segment of a JPEG file (ITU T.81, annex B): a marker and its payload; for a scan, also the entropy-coded data. */
interface Segment {
  readonly marker: number;
  /** The positions of the marker, of the payload, and of the end of the segment. */
  readonly from: number;
  readonly body: number;
  readonly to: number;
}

const startOfScan = 0xda;
const endOfImage = 0xd9;
const startOfImage = 0xd8;
/** The lowest marker code of a segment. Lower codes are stuffed zeros, TEM and reserved codes. */
const firstMarker = 0xc0;

/**
 * Yields the segments of a picture from its start marker to its first end marker. Skips bytes that belong to no
 * segment, as decoders do. If the picture is cut off after the start of its first scan, yields the segments up to that
 * point. Otherwise, the last segment is `endOfImage`.
 * @throws PorchlightError if the file is not a JPEG file, is cut off before its first scan, or has over 100,000
 * segments.
 */
async function* segmentsOf(reader: Reader): AsyncGenerator<Segment> {
  if ((await readWhole(reader, 0, 2)).readUInt16BE() !== 0xff00 + startOfImage) throw damagedFile();
  const step = countSteps();
  let scanned = false;
  let position = 2;
  for (;;) {
    step();
    const from = await nextMarker(reader, position);
    const segment = from === null ? null : await segmentAt(reader, from);
    const over = segment === null || segment.marker === endOfImage;
    if (over && !scanned) throw damagedFile();
    if (segment && segment.marker >= firstMarker) yield segment;
    if (over) return;
    position = segment.to;
    scanned ||= segment.marker === startOfScan;
  }
}

/**
 * Returns the segment whose marker is at `from`; null if the file ends within the segment, or if another picture starts
 * there.
 */
async function segmentAt(reader: Reader, from: number): Promise<Segment | null> {
  const marker = (await readWhole(reader, from, 2)).readUInt8(1);
  if (marker === startOfImage) return null;
  if (marker === endOfImage || marker < firstMarker) return { marker, from, body: from + 2, to: from + 2 };
  if (from + 4 > reader.size) return null;
  const length = (await readWhole(reader, from + 2, 2)).readUInt16BE();
  const to = from + 2 + length;
  if (length < 2 || to > reader.size) return null;
  const end = marker === startOfScan ? await nextMarker(reader, to) : to;
  return { marker, from, body: from + 4, to: end ?? (await withoutHalfMarker(reader, to)) };
}

/** Finds the next marker, ignoring the restart markers of a scan. Returns null if there is none. */
async function nextMarker(reader: Reader, from: number): Promise<number | null> {
  let position = from;
  while (position + 1 < reader.size) {
    const window = asBuffer(await reader.read(position, windowBytes));
    let at = window.indexOf(0xff);
    while (at !== -1 && at + 1 < window.length) {
      const code = window.readUInt8(at + 1);
      if (isMarker(code)) return position + at;
      at = window.indexOf(0xff, code === 0xff ? at + 1 : at + 2);
    }
    // A 0xFF at the end of `window` may be half a marker, so the next window starts with it.
    const advance = at === -1 ? window.length : at;
    if (advance === 0) return null;
    position += advance;
  }
  return null;
}

function isMarker(code: number): boolean {
  const restart = code >= 0xd0 && code <= 0xd7;
  return code !== 0 && code !== 0xff && !restart;
}

/**
 * Returns where the data of a cut-off scan ends. Excludes a trailing 0xFF: planJpeg appends an end marker, and a
 * decoder would read that 0xFF as part of the marker.
 */
async function withoutHalfMarker(reader: Reader, from: number): Promise<number> {
  if (reader.size === from) return from;
  const [last] = await readWhole(reader, reader.size - 1, 1);
  return last === 0xff ? reader.size - 1 : reader.size;
}
