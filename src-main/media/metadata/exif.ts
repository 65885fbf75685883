import { asBuffer } from './reader.ts';

const prefix = Buffer.from('Exif\0\0', 'latin1');
const orientationTag = 0x0112;
const entryBytes = 12;

/**
 * Returns the orientation of a picture (TIFF 6.0, tag 274): 2 to 8, or null if the picture needs no rotation or
 * mirroring.
 * @param exif a TIFF structure, with or without the `Exif` prefix that JPEG uses. Its content is untrusted.
 */
export function findOrientation(exif: Uint8Array): number | null {
  const bytes = asBuffer(exif);
  const tiff = bytes.toString('latin1', 0, 5) === 'Exif\0' ? bytes.subarray(prefix.length) : bytes;
  const order = tiff.toString('latin1', 0, 4);
  if (tiff.length < 8 || (order !== 'II*\0' && order !== 'MM\0*')) return null;
  const little = order.startsWith('I');
  const short = (at: number): number => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const long = (at: number): number => (little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  const directory = long(4);
  if (directory + 2 > tiff.length) return null;
  const entries = short(directory);
  for (let entry = 0; entry < entries; entry += 1) {
    const at = directory + 2 + entry * entryBytes;
    if (at + entryBytes > tiff.length) return null;
    if (short(at) === orientationTag) return turned(valueAt(at));
  }
  return null;

  function valueAt(at: number): number {
    return short(at + 2) === 4 ? long(at + 8) : short(at + 8); // some cameras store a LONG instead of a SHORT
  }
}

function turned(value: number): number | null {
  return value >= 2 && value <= 8 ? value : null;
}

/** Returns the smallest TIFF structure that contains only the orientation of a picture. */
export function orientationTiff(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*', 'latin1');
  tiff.writeUInt32BE(8, 4); // the offset of the only directory
  tiff.writeUInt16BE(1, 8); // the number of entries in the directory
  tiff.writeUInt16BE(orientationTag, 10);
  tiff.writeUInt16BE(3, 12); // the type of the value: a short
  tiff.writeUInt32BE(1, 14); // the number of values
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}

/** Returns the orientation as the payload of an APP1 segment in a JPEG file. */
export function orientationExif(orientation: number): Buffer {
  return Buffer.concat([prefix, orientationTiff(orientation)]);
}
