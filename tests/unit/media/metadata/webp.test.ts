import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { orientationTiff } from '../../../../src-main/media/metadata/exif.ts';
import { planWithoutMetadata } from '../../../../src-main/media/metadata/metadata.ts';
import {
  appearance,
  cleaned,
  drawing,
  leaksIn,
  movingDrawing,
  readerOver,
  withMetadata,
  webpChunk,
} from '../../../support/picture-samples.ts';

const type = 'image/webp';
const plan = (bytes: Uint8Array) => planWithoutMetadata(type, readerOver(bytes));

/** A file of the chunks in `body`, with the size that they have. */
function riff(...body: Uint8Array[]): Buffer {
  return webpChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...body]));
}

describe('a WebP picture', () => {
  test.each([1, 2, 5, 6, 8])('turned %i loses its metadata, and looks the same', async (turn) => {
    const picture = await withMetadata(drawing(), turn).webp().toBuffer();
    expect(leaksIn(picture)).toEqual(['SecretCam', 'SecretOwner', 'SecretXmp', 'place']);
    const clean = await cleaned(type, picture);
    expect(leaksIn(clean)).toEqual([]);
    expect(await appearance(clean)).toEqual(await appearance(picture));
    expect((await sharp(clean).metadata()).orientation ?? 1).toBe(turn);
    expect(clean.readUInt32LE(4)).toBe(clean.length - 8);
    expect(await plan(clean)).toBeNull();
  });

  test('says no more of Exif and XMP in its features', async () => {
    const clean = await cleaned(type, await withMetadata(drawing()).webp().toBuffer());
    expect(clean.toString('latin1', 12, 16)).toBe('VP8X');
    expect(clean.readUInt8(20)).toBe(0x20); // a colour profile
  });

  test('keeps its frames and their times', async () => {
    const picture = await withMetadata(movingDrawing())
      .webp({ loop: 3, delay: [50, 60, 70, 80] })
      .toBuffer();
    const clean = await cleaned(type, picture);
    const now = await appearance(clean);
    expect(leaksIn(clean)).toEqual([]);
    expect(now).toEqual(await appearance(picture));
    expect(now).toMatchObject({ pages: 4, delay: [50, 60, 70, 80], loop: 3 });
  });

  test.each([true, false])('of the simple kind stays unchanged (lossless: %s)', async (lossless) => {
    const picture = await drawing().webp({ lossless }).toBuffer();
    expect(await plan(picture)).toBeNull();
    expect(await cleaned(type, Buffer.concat([picture, Buffer.from('SecretTail')]))).toEqual(picture);
  });

  test('loses chunks that nobody knows, also within a frame', async () => {
    const frameHeader = Buffer.alloc(16, 1);
    const image = webpChunk('VP8L', 'pixel');
    const secret = webpChunk('SECR', 'SecretText');
    const features = webpChunk('VP8X', Buffer.of(2, 0, 0, 0, 1, 0, 0, 1, 0, 0));
    const animation = webpChunk('ANIM', Buffer.alloc(6));
    const frame = (...inside: Buffer[]) => webpChunk('ANMF', Buffer.concat([frameHeader, ...inside]));
    const picture = riff(features, secret, animation, frame(image, secret), frame(image), secret);
    expect(await cleaned(type, picture)).toEqual(riff(features, animation, frame(image), frame(image)));
  });

  test('is not turned by Exif that its features do not speak of', async () => {
    const features = (flags: number) => webpChunk('VP8X', Buffer.of(flags, 0, 0, 0, 1, 0, 0, 1, 0, 0));
    const exif = webpChunk('EXIF', orientationTiff(6));
    const image = webpChunk('VP8L', 'pixels');
    expect(await cleaned(type, riff(features(0), image, exif))).toEqual(riff(features(0), image));
    expect(await plan(riff(features(8), image, exif))).toBeNull();
  });

  test('gets the last pad byte that a writer forgot', async () => {
    const whole = riff(webpChunk('VP8 ', 'odd'));
    const short = Buffer.from(whole.subarray(0, -1));
    short.writeUInt32LE(short.length - 8, 4);
    expect(await cleaned(type, short)).toEqual(whole);
  });

  test.each([
    ['is none', Buffer.from('RIFF\x04\0\0\0WAVE')],
    ['has no picture', riff(webpChunk('EXIF', 'SecretCam!'))],
    ['has a chunk longer than itself', riff(Buffer.from('VP8 \xff\xff\xff\xff', 'latin1'))],
    ['has a frame shorter than its header', riff(webpChunk('ANMF', 'short'))],
    ['has features of a wrong length', riff(webpChunk('VP8X', 'short'), webpChunk('VP8 ', 'pixels'))],
  ])('that %s is refused', async (_name, bytes) => {
    await expect(plan(bytes)).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
  });
});
