import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { planWithoutMetadata } from '../../../../src-main/media/metadata/metadata.ts';
import { orientationTiff } from '../../../../src-main/media/metadata/exif.ts';
import {
  appearance,
  cleaned,
  drawing,
  leaksIn,
  pngChunk,
  readerOver,
  withMetadata,
} from '../../../support/picture-samples.ts';

const type = 'image/png';
const afterHeader = 33; // the signature and IHDR
const plain = (): Promise<Buffer> => drawing().png().toBuffer();
const plan = (bytes: Uint8Array) => planWithoutMetadata(type, readerOver(bytes));

function withChunk(png: Buffer, chunk: Buffer, at = afterHeader): Buffer {
  return Buffer.concat([png.subarray(0, at), chunk, png.subarray(at)]);
}

describe('a PNG picture', () => {
  test.each([1, 3, 6, 8])('turned %i loses its metadata, and looks the same', async (turn) => {
    const picture = await withMetadata(drawing(), turn).png().toBuffer();
    expect(leaksIn(picture)).toContain('SecretCam');
    expect((await sharp(picture).metadata()).xmp).toBeDefined();
    const clean = await cleaned(type, picture);
    expect(leaksIn(clean)).toEqual([]);
    expect((await sharp(clean).metadata()).xmp).toBeUndefined();
    expect(await appearance(clean)).toEqual(await appearance(picture));
    expect(await plan(clean)).toBeNull();
  });

  test.each([
    ['a text', 'tEXt', 'Comment\0SecretText'],
    ['a packed text', 'zTXt', 'Comment\0\0SecretText'],
    ['an international text', 'iTXt', 'XML:com.adobe.xmp\0\0\0\0\0SecretXmp'],
    ['the time of its last change', 'tIME', '\x07\xe8\x01\x01\0\0\0'],
    ['Exif that can not be read', 'eXIf', 'SecretCam'],
    ['a chunk that nobody knows', 'seCr', 'SecretText'],
  ])('loses %s before and behind its pixels', async (_name, chunkType, data) => {
    const png = await plain();
    const chunk = pngChunk(chunkType, Buffer.from(data, 'latin1'));
    expect(await cleaned(type, withChunk(png, chunk))).toEqual(png);
    expect(await cleaned(type, withChunk(png, chunk, png.length - 12))).toEqual(png);
  });

  test('keeps the turn that Exif behind its pixels tells', async () => {
    const png = await plain();
    const exif = orientationTiff(8);
    const revealing = Buffer.concat([exif, Buffer.from('SecretCam')]);
    const picture = withChunk(png, pngChunk('eXIf', revealing), png.length - 12);
    const clean = await cleaned(type, picture);
    expect(clean).toEqual(withChunk(png, pngChunk('eXIf', exif)));
    expect((await sharp(clean).metadata()).orientation).toBe(8);
  });

  test('keeps its animation', async () => {
    const png = await plain();
    const control = pngChunk('acTL', Buffer.of(0, 0, 0, 1, 0, 0, 0, 0));
    const frame = pngChunk('fcTL', Buffer.alloc(26));
    const moving = withChunk(png, Buffer.concat([control, frame]));
    expect(await plan(moving)).toBeNull();
    expect(
      await planWithoutMetadata('image/apng', readerOver(withChunk(moving, pngChunk('tEXt', 'a\0b')))),
    ).toEqual([
      { from: 0, to: afterHeader },
      { from: afterHeader + 15, to: moving.length + 15 },
    ]);
  });

  test('loses what follows its end', async () => {
    const png = await plain();
    expect(await cleaned(type, Buffer.concat([png, Buffer.from('SecretTail')]))).toEqual(png);
    expect(await plan(png)).toBeNull();
  });

  test('gets the end that it lacks', async () => {
    const png = await plain();
    expect(await cleaned(type, png.subarray(0, -12))).toEqual(png);
    expect(await cleaned(type, png.subarray(0, -3))).toEqual(png);
  });

  test('has nothing in its end', async () => {
    const png = await plain();
    const end = pngChunk('IEND', 'SecretTail');
    expect(await cleaned(type, Buffer.concat([png.subarray(0, -12), end]))).toEqual(png);
  });

  test.each([
    [
      'in the other byte order',
      Buffer.from('II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x05\0\0\0\0\0\0\0', 'latin1'),
    ],
    ['as a long', Buffer.from('MM\0*\0\0\0\x08\0\x01\x01\x12\0\x04\0\0\0\x01\0\0\0\x05\0\0\0\0', 'latin1')],
    ['with JPEG’s prefix', Buffer.concat([Buffer.from('Exif\0\0'), orientationTiff(5)])],
  ])('keeps a turn that is written %s, and of two the first', async (_name, exif) => {
    const png = await plain();
    const chunks = [pngChunk('eXIf', exif), pngChunk('eXIf', orientationTiff(3))];
    expect(await cleaned(type, withChunk(png, Buffer.concat(chunks)))).toEqual(
      withChunk(png, pngChunk('eXIf', orientationTiff(5))),
    );
  });

  test('that breaks off within a chunk is refused', async () => {
    const png = await plain();
    for (const length of [0, 8, 20, afterHeader, afterHeader + 20]) {
      await expect(plan(png.subarray(0, length))).rejects.toMatchObject({
        code: 'invalid_request',
        status: 400,
      });
    }
  });
});
