import { crc32 } from 'node:zlib';
import { countSteps, damagedFile, type FilePiece, joinParts, type Reader, readWhole } from './reader.ts';
import { findOrientation, orientationTiff } from './exif.ts';

const signature = '\x89PNG\r\n\x1a\n';
/** The total size of a chunk's length, type and checksum fields, in bytes. */
const frameBytes = 12;

/** The chunks to keep: those of the picture, its colors, its print size and its animation (PNG 3, section 11). */
const kept = new Set(
  'PLTE IDAT tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI bKGD pHYs sBIT hIST sPLT acTL fcTL fdAT'.split(' '),
);

/**
 * Returns the parts of a PNG file that stay in the cleaned file. Leaves out text, dates, Exif (except the orientation),
 * unknown chunks and anything after the picture's end.
 * @throws PorchlightError if the file is not a PNG file or is cut off within a chunk.
 */
export async function planPng(reader: Reader): Promise<FilePiece[] | null> {
  if ((await readWhole(reader, 0, signature.length)).toString('latin1') !== signature) throw damagedFile();
  const step = countSteps();
  const parts: FilePiece[] = [];
  let orientation: number | null = null;
  let exifSeen = false;
  let imageSeen = false;
  let position = signature.length;
  let end: FilePiece = { bytes: chunk('IEND', Buffer.alloc(0)) };
  while (position + 8 <= reader.size) {
    step();
    const header = await readWhole(reader, position, 8);
    const length = header.readUInt32BE();
    const type = header.toString('latin1', 4);
    const range = { from: position, to: position + frameBytes + length };
    if (type === 'IEND') {
      if (length === 0 && range.to <= reader.size) end = range;
      break;
    }
    if (range.to > reader.size || (parts.length === 0 && type !== 'IHDR')) throw damagedFile();
    if (type === 'eXIf' && !exifSeen) {
      exifSeen = true;
      const exif = await readWhole(reader, position + 8, length);
      orientation = findOrientation(exif);
      if (orientation && orientationTiff(orientation).equals(exif)) {
        parts.push(range);
        orientation = null; // this chunk contains nothing but the orientation, so it stays
      }
    } else if (parts.length === 0 || kept.has(type)) {
      parts.push(range);
    }
    imageSeen ||= type === 'IDAT';
    position = range.to;
  }
  const [first, ...rest] = parts;
  if (!first || !imageSeen) throw damagedFile();
  const turn = orientation ? [{ bytes: chunk('eXIf', orientationTiff(orientation)) }] : [];
  const start = { from: 0, to: signature.length };
  return joinParts([start, first, ...turn, ...rest, end], reader.size);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(frameBytes + data.length);
  bytes.writeUInt32BE(data.length);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}
