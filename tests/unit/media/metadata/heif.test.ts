import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { planWithoutMetadata } from '../../../../src-main/media/metadata/metadata.ts';
import {
  appearance,
  box,
  cleaned,
  drawing,
  fullBox,
  largeBox,
  leaksIn,
  readerOver,
  withMetadata,
  uint16,
  uint32,
} from '../../../support/picture-samples.ts';

const plan = (bytes: Uint8Array) => planWithoutMetadata('image/heic', readerOver(bytes));

describe('an AVIF picture', () => {
  test.each([1, 6])('turned %i loses its metadata, and looks the same', async (turn) => {
    const picture = await withMetadata(drawing(), turn).avif().toBuffer();
    expect(leaksIn(picture)).toEqual(['SecretCam', 'SecretOwner', 'SecretXmp', 'place']);
    const clean = await cleaned('image/avif', picture);
    expect(leaksIn(clean)).toEqual([]);
    expect(clean.length).toBe(picture.length);
    expect(await appearance(clean)).toEqual(await appearance(picture));
    expect(await planWithoutMetadata('image/avif', readerOver(clean))).toBeNull();
  });

  test('without metadata stays unchanged', async () => {
    const picture = await drawing().avif().toBuffer();
    expect(await planWithoutMetadata('image/avif', readerOver(picture))).toBeNull();
  });

  test('loses the film of a motion photo behind it', async () => {
    const picture = await drawing().avif().toBuffer();
    const motion = Buffer.concat([
      picture,
      box('mpvd', box('ftyp', 'SecretTail')),
      Buffer.from('SecretTail'),
    ]);
    expect(await cleaned('image/avif', motion)).toEqual(picture);
    expect((await sharp(motion).metadata()).width).toBe(24);
  });
});

interface Place {
  readonly method: number;
  readonly at: number;
  readonly length: number;
  /** 0: this file */
  readonly source?: number;
}

const ftyp = box('ftyp', 'heic', uint32(0), 'mif1heic');
const exif = '\0\0\0\x06Exif\0\0MM\0*SecretCam';
const xmp = '<x:xmpmeta>SecretXmp</x:xmpmeta>';

function item(id: number, type: string, more = ''): Buffer {
  return fullBox('infe', 2, uint16(id), uint16(0), type, '\0', more);
}

/** An item's places as version 1 or 2 of the list writes them: offsets and lengths of 4 bytes, a base, no index. */
function located(version: 1 | 2, id: number, ...places: Place[]): Buffer {
  return Buffer.concat([
    version === 1 ? uint16(id) : uint32(id),
    uint16(places[0]?.method ?? 0),
    uint16(places[0]?.source ?? 0),
    uint32(0),
    uint16(places.length),
    ...places.flatMap(({ at, length }) => [uint32(at >>> 0), uint32(length)]),
  ]);
}

function placeList(version: 1 | 2, ...items: Buffer[]): Buffer {
  const count = version === 1 ? uint16(items.length) : uint32(items.length);
  return fullBox('iloc', version, Buffer.of(0x44, 0x40), count, ...items);
}

/** A HEIC file with one picture, Exif in two pieces and XMP in `idat`; `shift` moves where the Exif is said to be. */
function heic(
  version: 1 | 2,
  change: { shift?: number; exifLength?: number; method?: number; source?: number } = {},
): Buffer {
  const entries = [item(1, 'hvc1'), item(2, 'Exif'), item(3, 'mime', 'application/rdf+xml\0')];
  const iinf = fullBox('iinf', 0, uint16(3), ...entries);
  const draft = (data: number): Buffer =>
    fullBox(
      'meta',
      0,
      fullBox('hdlr', 0, uint32(0), 'pict', Buffer.alloc(13)),
      fullBox('pitm', 0, uint16(1)),
      iinf,
      placeList(
        version,
        located(version, 1, { method: 0, at: data, length: 6 }),
        located(
          version,
          2,
          {
            method: change.method ?? 0,
            source: change.source ?? 0,
            at: data + 6 + (change.shift ?? 0),
            length: change.exifLength ?? 10,
          },
          { method: 0, at: data + 16, length: exif.length - 10 },
        ),
        located(version, 3, { method: 1, at: 4, length: xmp.length }),
      ),
      box('idat', 'data', xmp, 'more'),
      box('uuid', 'be7acfcb97a942e8', 'SecretXmp'),
    );
  const data = ftyp.length + draft(0).length + 16;
  return Buffer.concat([ftyp, draft(data), largeBox('mdat', Buffer.from(`pixels${exif}pixels`, 'latin1'))]);
}

describe('a HEIC photo', () => {
  test.each([1, 2] as const)('has zeros for Exif and texts, list of places version %i', async (version) => {
    const photo = heic(version);
    expect(leaksIn(photo)).toEqual(['SecretCam', 'SecretXmp']);
    const clean = await cleaned('image/heic', photo);
    expect(leaksIn(clean)).toEqual([]);
    expect(clean.length).toBe(photo.length);
    const blank = '\0'.repeat(exif.length);
    expect(clean.subarray(-12 - exif.length).toString('latin1')).toBe(`pixels${blank}pixels`);
    expect(clean.includes(`data${'\0'.repeat(xmp.length)}more`)).toBe(true);
    expect(await plan(clean)).toBeNull();
  });

  test.each(['iinf', 'iloc', 'idat'])(
    'with two lists of one kind (%s) is refused: readers differ',
    async (twice) => {
      const parts = {
        iinf: fullBox('iinf', 0, uint16(1), item(2, 'Exif')),
        iloc: placeList(1, located(1, 2, { method: 1, at: 0, length: exif.length })),
        idat: box('idat', exif),
      };
      const picture = (...more: Buffer[]) =>
        Buffer.concat([ftyp, fullBox('meta', 0, ...Object.values(parts), ...more)]);
      expect(leaksIn(await cleaned('image/heic', picture()))).toEqual([]);
      await expect(plan(picture(parts[twice as keyof typeof parts]))).rejects.toMatchObject({ status: 400 });
    },
  );

  test('has free space where boxes were that are not the picture', async () => {
    const photo = heic(1);
    const at = ftyp.length;
    const more = Buffer.concat([photo.subarray(0, at), box('sefd', 'SecretTail'), photo.subarray(at)]);
    await expect(cleaned('image/heic', more)).rejects.toMatchObject({ status: 400 }); // all moved by 18 bytes
    const behind = Buffer.concat([photo, box('sefd', 'SecretTail'), box('mdat', 'pixels')]);
    const clean = await cleaned('image/heic', behind);
    expect(leaksIn(clean)).toEqual([]);
    expect(clean.subarray(photo.length).toString('latin1')).toBe(
      `\0\0\0\x12free${'\0'.repeat(10)}\0\0\0\x0emdatpixels`,
    );
  });

  test.each([
    ['points outside the data', { shift: -60 }],
    ['points behind the end', { shift: 10_000 }],
    ['has no length', { exifLength: 0 }],
    ['goes on behind the end', { exifLength: 0xffffffff }],
    ['is part of another item', { method: 2 }],
    ['may be in another file', { source: 1 }],
  ])('whose Exif %s is refused', async (_name, change) => {
    await expect(plan(heic(1, change))).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
  });

  test('whose list of items breaks off within one is refused', async () => {
    const photo = heic(1);
    const at = photo.indexOf('infe', photo.indexOf('Exif') - 30) - 4; // of the Exif item
    photo.writeUInt32BE(0xffff, at);
    await expect(plan(photo)).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
  });

  test('that breaks off is refused', async () => {
    const photo = heic(1);
    for (const length of [0, 7, ftyp.length, ftyp.length + 50, photo.length - 1]) {
      await expect(plan(photo.subarray(0, length))).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });
});

describe('a HEIC sequence', () => {
  test('loses the place in its film', async () => {
    const movie = box('moov', box('udta', box('\xa9xyz', '\0\x12\x15\xc7+47.6062-122.3321/')));
    const clean = await cleaned('image/heic-sequence', Buffer.concat([ftyp, movie, box('mdat', 'frames')]));
    expect(leaksIn(clean)).toEqual([]);
    expect(clean.includes('free')).toBe(true);
  });
});
