import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { planWithoutMetadata } from '../../src-main/media/metadata/metadata.ts';
import type { FilePiece, Reader } from '../../src-main/media/metadata/reader.ts';

/** Words that are planted in the metadata of samples: after cleaning, none of them may be left. */
const secrets = ['SecretCam', 'SecretOwner', 'SecretXmp', 'SecretTail', 'SecretText', '+47.6062'];

/** 47° 36' 22" as Exif writes it, in both byte orders. */
const latitude = [47, 1, 36, 1, 22, 1];
const places = [Buffer.concat(latitude.map(uint32)), Buffer.from(new Uint32Array(latitude).buffer)];

export const xmp = `<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="SecretXmp"/></rdf:RDF></x:xmpmeta>`;

/** A small picture with an edge and a slope in it, so that a wrong byte is seen. */
export function drawing(width = 24, height = 16): Sharp {
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = (at * 7 + (at % 3) * 60 + (at >> 5)) & 0xff;
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** A moving picture of four frames. */
export function movingDrawing(width = 16, height = 12, frames = 4): Sharp {
  const pixels = Buffer.alloc(width * height * frames * 3);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = (at >> 4) & 0xff;
  return sharp(pixels, { raw: { width, height: height * frames, channels: 3, pageHeight: height } });
}

/** The same with everything planted that a camera and an editor leave behind. */
export function withMetadata(picture: Sharp, orientation = 1): Sharp {
  return picture
    .withIccProfile('p3')
    .withXmp(xmp)
    .withExifMerge({
      IFD0: {
        Make: 'SecretCam',
        Model: 'SecretCam 9',
        Copyright: 'SecretOwner',
        Orientation: String(orientation),
      },
      IFD3: {
        GPSLatitudeRef: 'N',
        GPSLatitude: '47/1 36/1 22/1',
        GPSLongitudeRef: 'W',
        GPSLongitude: '122/1 19/1 55/1',
      },
    })
    .withMetadata({ orientation });
}

export function readerOver(bytes: Uint8Array): Reader {
  return {
    size: bytes.length,
    read: (position, length) => Promise.resolve(bytes.subarray(position, position + length)),
  };
}

/** The clean file, whole in memory; the very same bytes where nothing had to change. */
export async function cleaned(type: string, bytes: Uint8Array): Promise<Buffer> {
  const plan = await planWithoutMetadata(type, readerOver(bytes));
  return plan ? assemble(bytes, plan) : Buffer.from(bytes);
}

export function assemble(bytes: Uint8Array, parts: readonly FilePiece[]): Buffer {
  return Buffer.concat(
    parts.map((part) => ('bytes' in part ? part.bytes : bytes.subarray(part.from, part.to))),
  );
}

/** The planted words that are in a file, and the planted place. */
export function leaksIn(bytes: Uint8Array): string[] {
  const file = Buffer.from(bytes);
  const words = secrets.filter((secret) => file.includes(secret, 0, 'latin1'));
  return places.some((place) => file.includes(place)) ? [...words, 'place'] : words;
}

/** What is seen of a picture: pixels of all frames as they are stored, turn, colours, frames. */
export async function appearance(bytes: Uint8Array): Promise<Record<string, unknown>> {
  const options = { animated: true, autoOrient: false, failOn: 'error' } as const;
  const { orientation, icc, pages, delay, loop, width, height } = await sharp(bytes, options).metadata();
  const pixels = await sharp(bytes, options).raw().toBuffer();
  return { orientation: orientation ?? 1, icc, pages, delay, loop, width, height, pixels };
}

export function jpegSegment(marker: number, payload: Uint8Array): Buffer {
  const length = payload.length + 2;
  return Buffer.concat([Buffer.of(0xff, marker, length >> 8, length & 0xff), payload]);
}

export function pngChunk(type: string, data: Uint8Array | string): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), Buffer.from(data)]);
  return Buffer.concat([uint32(body.length - 4), body, uint32(crc32(body))]);
}

export function webpChunk(type: string, data: Uint8Array | string): Buffer {
  const body = Buffer.from(data);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from(type, 'latin1'), length, body, Buffer.alloc(body.length % 2)]);
}

/** A box of an ISO base media file; `fullBox` starts its content with a version. */
export function box(type: string, ...content: (Uint8Array | string)[]): Buffer {
  const body = Buffer.concat(content.map((piece) => Buffer.from(piece as string, 'latin1')));
  return Buffer.concat([uint32(body.length + 8), Buffer.from(type, 'latin1'), body]);
}

export function fullBox(type: string, version: number, ...content: (Uint8Array | string)[]): Buffer {
  return box(type, Buffer.of(version, 0, 0, 0), ...content);
}

/** A box with a size of 64 bits. */
export function largeBox(type: string, content: Uint8Array): Buffer {
  return Buffer.concat([
    uint32(1),
    Buffer.from(type, 'latin1'),
    uint32(0),
    uint32(content.length + 16),
    content,
  ]);
}

export function uint16(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
