import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** A picture of one colour. */
export function photo(width: number, height: number): Sharp {
  return sharp({ create: { width, height, channels: 3, background: { r: 200, g: 120, b: 20 } } });
}

/** A picture that can not be compressed; the same each time. */
export function noise(width: number, height: number): Sharp {
  const pixels = Buffer.alloc(width * height * 4);
  let seed = 1;
  for (let index = 0; index < pixels.length; index++) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    pixels[index] = seed >>> 16;
  }
  return sharp(pixels, { raw: { width, height, channels: 4 } });
}

/** A PNG of a few bytes that says it has so many pixels. */
export function header(width: number, height: number): Buffer {
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, 2, 0, 0, 0], 8);
  const chunks = [
    chunk('IHDR', size),
    chunk('IDAT', Buffer.from('789c030000000001', 'hex')),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

/** Small to read and to show; drawing it takes minutes. */
export const slowDrawing = `<svg xmlns="http://www.w3.org/2000/svg" width="9000" height="9000">
  <filter id="f">${'<feTurbulence baseFrequency="0.05" numOctaves="200"/>'.repeat(50)}</filter>
  <rect width="9000" height="9000" filter="url(#f)"/></svg>`;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
