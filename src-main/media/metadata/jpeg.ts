import { findOrientation, orientationExif } from './exif.ts';
import { endOfImage, segmentsOf, startOfScan, type Segment } from './jpeg-segments.ts';
import { joinParts, type FilePiece } from './parts.ts';
import { readWhole, type Reader } from './reader.ts';

const app0 = 0xe0;
const app1 = 0xe1;
const app2 = 0xe2;
const app14 = 0xee;

/** How many bytes a decoder needs from a JFIF header, and from Adobe's segment. Thumbnails and similar data follow. */
const jfifBytes = 14;
const adobeBytes = 12;

/**
 * Returns the parts of a JPEG file that stay in the cleaned file. The only application segments that stay are JFIF, the
 * color profile and Adobe's color transform. The only Exif value that stays is the orientation. Leaves out comments,
 * and everything after the picture's end, such as the video of a motion photo, further pictures or gain maps.
 */
export async function planJpeg(reader: Reader): Promise<FilePiece[] | null> {
  const head: FilePiece[] = [{ from: 0, to: 2 }];
  const rest: FilePiece[] = [];
  let orientation: number | null = null;
  let exifSeen = false;
  let ended = false;
  for await (const segment of segmentsOf(reader)) {
    const { marker, from, to } = segment;
    ended = marker === endOfImage;
    if (marker === app1 && !exifSeen) {
      const exif = await exifIn(reader, segment);
      exifSeen = exif !== null;
      orientation = exif && findOrientation(exif);
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
