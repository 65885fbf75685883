import { pictureFormat } from './picture-format.ts';

/**
 * Returns whether a picture file is an animation: an animated GIF, PNG, WebP or AVIF. Reads only the file's structure,
 * because libvips decodes the first frame only, and doesn't recognize animated PNG.
 */
export function isAnimated(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (pictureFormat(bytes, bytes.length)) {
    case 'gif':
      return gifFrames(file, 2) > 1;
    case 'png':
      return hasAnimationControl(file);
    case 'webp':
      // The second bit of the flags in the extended header (RFC 9649, 2.7).
      return file.toString('latin1', 12, 16) === 'VP8X' && ((file[20] ?? 0) & 2) !== 0;
    case 'heif':
      return /^.{4}ftyp(?:.{4})*?avis/s.test(file.toString('latin1', 0, 64));
    default:
      return false;
  }
}

/** Returns whether a PNG has the chunk that begins an animation. The chunk precedes the pixels. */
function hasAnimationControl(file: Buffer): boolean {
  for (let at = 8; at + 8 <= file.length; at += 12 + file.readUInt32BE(at)) {
    const type = file.toString('latin1', at + 4, at + 8);
    if (type === 'acTL') return true;
    if (type === 'IDAT') return false;
  }
  return false;
}

/** Counts the frames of a GIF, up to `most`. */
function gifFrames(file: Buffer, most: number): number {
  const byte = (at: number): number => file[at] ?? 0;
  const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  /** Returns the position after a series of data blocks, each of which begins with its length. */
  const afterBlocks = (start: number): number => {
    let at = start;
    while (at < file.length && byte(at) !== 0) at += 1 + byte(at);
    return at + 1;
  };
  let frames = 0;
  let at = 13 + tableBytes(byte(10));
  while (at < file.length && frames < most) {
    if (byte(at) === 0x21) at = afterBlocks(at + 2);
    else if (byte(at) === 0x2c) {
      frames += 1;
      at = afterBlocks(at + 11 + tableBytes(byte(at + 9)));
    } else break;
  }
  return frames;
}
