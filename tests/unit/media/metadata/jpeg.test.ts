import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { orientationExif } from '../../../../src-main/media/metadata/exif.ts';
import { planWithoutMetadata } from '../../../../src-main/media/metadata/metadata.ts';
import {
  appearance,
  cleaned,
  drawing,
  jpegSegment,
  leaksIn,
  readerOver,
  withMetadata,
} from '../../../support/picture-samples.ts';

const type = 'image/jpeg';
const plain = (): Promise<Buffer> => drawing().jpeg().toBuffer();
const plan = (bytes: Uint8Array) => planWithoutMetadata(type, readerOver(bytes));

/** The same file with more segments right behind its start. */
function withSegments(jpeg: Buffer, ...segments: Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

describe('a JPEG photo', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'turned %i loses place, camera and XMP, and looks the same',
    async (turn) => {
      const photo = await withMetadata(drawing(), turn).jpeg().toBuffer();
      expect(leaksIn(photo)).toEqual(['SecretCam', 'SecretOwner', 'SecretXmp', 'place']);
      const clean = await cleaned(type, photo);
      expect(leaksIn(clean)).toEqual([]);
      expect(await appearance(clean)).toEqual(await appearance(photo));
      expect((await sharp(clean).metadata()).orientation ?? 1).toBe(turn);
      expect(await plan(clean)).toBeNull();
    },
  );

  test('keeps all scans of a progressive file', async () => {
    const photo = await withMetadata(drawing(200, 150)).jpeg({ progressive: true }).toBuffer();
    const clean = await cleaned(type, photo);
    expect(leaksIn(clean)).toEqual([]);
    expect(await appearance(clean)).toEqual(await appearance(photo));
    expect((await sharp(clean).metadata()).isProgressive).toBe(true);
  });

  test('of print colours keeps how they are mixed', async () => {
    const jpeg = await drawing().toColourspace('cmyk').jpeg().toBuffer();
    expect(jpeg.includes('Adobe')).toBe(true);
    const photo = withSegments(jpeg, jpegSegment(0xed, Buffer.from('SecretOwner')));
    expect(await cleaned(type, photo)).toEqual(jpeg);
  });

  test('loses the bytes behind its color transform', async () => {
    const adobe = Buffer.from('Adobe\0\x64\0\0\0\0\x01', 'latin1');
    const jpeg = await plain();
    const photo = withSegments(jpeg, jpegSegment(0xee, Buffer.concat([adobe, Buffer.from('SecretOwner')])));
    expect(await cleaned(type, photo)).toEqual(withSegments(jpeg, jpegSegment(0xee, adobe)));
  });

  test('without metadata stays unchanged', async () => {
    expect(await plan(await plain())).toBeNull();
  });

  test('larger than one read loses only its metadata', async () => {
    const noise = await drawing(900, 700).jpeg({ quality: 100 }).toBuffer();
    expect(noise.length).toBeGreaterThan(3 * 64 * 1024);
    const photo = withSegments(noise, jpegSegment(0xfe, Buffer.from('SecretText')));
    expect(await cleaned(type, photo)).toEqual(noise);
  });
});

describe('the size of a JPEG photo', () => {
  const sizeIn = async (bytes: Uint8Array) => {
    const sizes: object[] = [];
    await planWithoutMetadata(type, readerOver(bytes), (size) => sizes.push(size));
    return sizes;
  };
  /** The same file with another header of its frame. */
  async function withFrame(change: (segment: Buffer) => Buffer | undefined): Promise<Buffer> {
    const jpeg = await plain();
    const at = jpeg.indexOf(Buffer.of(0xff, 0xc0));
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    const frame = Buffer.from(jpeg.subarray(at, end));
    return Buffer.concat([jpeg.subarray(0, at), change(frame) ?? frame, jpeg.subarray(end)]);
  }

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('turned %i is that of the picture as it is shown', async (turn) => {
    const shown = turn >= 5 ? { width: 16, height: 24 } : { width: 24, height: 16 };
    for (const progressive of [false, true]) {
      const photo = await withMetadata(drawing(), turn).jpeg({ progressive }).toBuffer();
      expect(await sizeIn(photo)).toEqual([shown]);
      expect(await sizeIn(await cleaned(type, photo))).toEqual([shown]);
    }
  });

  test.each<[string, (segment: Buffer) => Buffer | undefined]>([
    ['two frames', (frame) => Buffer.concat([frame, frame])],
    ['a frame that few decoders read', (frame) => void frame.writeUInt8(0xc3, 1)],
    ['12 bits', (frame) => void frame.writeUInt8(12, 4)],
    ['a height that follows later', (frame) => void frame.writeUInt16BE(0, 5)],
    ['no width', (frame) => void frame.writeUInt16BE(0, 7)],
    ['more pixels than are decoded', (frame) => void frame.fill(0xff, 5, 9)],
    ['another number of components than it has', (frame) => void frame.writeUInt8(1, 9)],
  ])('is not told by a header with %s', async (_name, change) => {
    expect(await sizeIn(await withFrame(change))).toEqual([]);
  });
});

describe('what cameras and editors add to a JPEG file', () => {
  test.each([
    ['a comment', 0xfe, 'SecretText'],
    ['Exif of a second kind', 0xe1, 'Exif\0\xffSecretCam'],
    ['a list of more pictures', 0xe2, 'MPF\0SecretTail'],
    ['a gain map', 0xe2, 'urn:iso:std:iso:ts:21496:-1\0SecretTail'],
    ['IPTC', 0xed, 'Photoshop 3.0\x008BIM SecretOwner'],
    ['a JFIF extension with a thumbnail', 0xe0, 'JFXX\0\x10SecretTail'],
    ['an application’s own', 0xe7, 'SecretText'],
    ['a marker of no meaning', 0xf3, 'SecretText'],
  ])('%s is removed', async (_name, marker, payload) => {
    const jpeg = await plain();
    const photo = withSegments(jpeg, jpegSegment(marker, Buffer.from(payload, 'latin1')));
    expect(await cleaned(type, photo)).toEqual(jpeg);
  });

  test('the film of a motion photo behind the picture is removed', async () => {
    const jpeg = await plain();
    expect(await cleaned(type, Buffer.concat([jpeg, Buffer.from('ftypmp42 SecretTail'), jpeg]))).toEqual(
      jpeg,
    );
  });

  test('a thumbnail in the JFIF header is removed', async () => {
    const jpeg = await plain();
    const header = Buffer.from('JFIF\0\x01\x02\0\0\x48\0\x48', 'latin1');
    const thumbnail = Buffer.concat([header, Buffer.of(2, 2), Buffer.from('SecretTail 2')]);
    expect(await cleaned(type, withSegments(jpeg, jpegSegment(0xe0, thumbnail)))).toEqual(
      withSegments(jpeg, jpegSegment(0xe0, Buffer.concat([header, Buffer.of(0, 0)]))),
    );
  });

  test('the orientation is right behind the JFIF header, and nothing else with it', async () => {
    const jfif = jpegSegment(0xe0, Buffer.from('JFIF\0\x01\x02\0\0\x48\0\x48\0\0', 'latin1'));
    const exif = Buffer.concat([orientationExif(7), Buffer.from('SecretCam')]);
    const jpeg = await plain();
    expect(await cleaned(type, withSegments(jpeg, jpegSegment(0xe1, exif), jfif))).toEqual(
      withSegments(jpeg, jfif, jpegSegment(0xe1, orientationExif(7))),
    );
  });

  test('fill bytes and bytes between segments do no harm', async () => {
    const jpeg = await plain();
    const photo = withSegments(
      jpeg,
      Buffer.of(0xff, 0xff, 0xff),
      jpegSegment(0xfe, Buffer.from('SecretText')),
    );
    expect(await cleaned(type, photo)).toEqual(jpeg);
    const loose = withSegments(jpeg, jpegSegment(0xfe, Buffer.alloc(2)), Buffer.from('SecretText'));
    expect(await cleaned(type, loose)).toEqual(jpeg);
  });
});

describe('a damaged JPEG file', () => {
  test('that breaks off within a scan gets an end and shows the part before', async () => {
    const photo = await withMetadata(drawing(200, 150), 6).jpeg().toBuffer();
    const clean = await cleaned(type, photo.subarray(0, photo.length - 400));
    expect(leaksIn(clean)).toEqual([]);
    expect(clean.subarray(-2)).toEqual(Buffer.of(0xff, 0xd9));
    const { orientation, width } = await sharp(clean, { failOn: 'none' }).metadata();
    expect({ orientation, width }).toEqual({ orientation: 6, width: 200 });
    expect(await plan(clean)).toBeNull();
  });

  test('that breaks off within a marker gets a whole one', async () => {
    const jpeg = await plain();
    expect(await cleaned(type, jpeg.subarray(0, -1))).toEqual(jpeg);
    expect(await cleaned(type, jpeg.subarray(0, -2))).toEqual(jpeg);
  });

  test('that has a fill byte before its end keeps to that end', async () => {
    const jpeg = await plain();
    const filled = Buffer.concat([jpeg.subarray(0, -2), Buffer.of(0xff), jpeg.subarray(-2)]);
    expect(await plan(filled)).toBeNull();
    expect(await cleaned(type, Buffer.concat([filled, Buffer.from('SecretTail')]))).toEqual(filled);
  });

  test.each([
    ['is empty', []],
    ['is none', [0x89, 0x50, 0x4e, 0x47]],
    ['is only a start', [0xff, 0xd8, 0xff]],
    ['has a segment of no length', [0xff, 0xd8, 0xff, 0xe1, 0, 1, 0xff, 0xda, 0, 2]],
    ['has a segment longer than itself', [0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff, 0]],
    ['has no picture', [0xff, 0xd8, 0xff, 0xd9]],
  ])('that %s is refused in plain words', async (_name, bytes) => {
    await expect(plan(Buffer.from(bytes))).rejects.toMatchObject({
      name: 'PorchlightError',
      code: 'invalid_request',
      status: 400,
      message: expect.stringContaining('damaged or incomplete') as string,
    });
  });
});
