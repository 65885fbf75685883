import { describe, expect, test } from 'vitest';
import { hasMetadataRules, planWithoutMetadata } from '../../../../src-main/media/metadata/metadata.ts';
import type { Reader } from '../../../../src-main/media/metadata/reader.ts';
import {
  assemble,
  box,
  cleaned,
  fullBox,
  largeBox,
  leaksIn,
  readerOver,
  uint32,
} from '../../../support/picture-samples.ts';

const type = 'video/mp4';
const place = '+47.6062-122.3321/';
const ftyp = box('ftyp', 'isom', uint32(0), 'isommp42');
const frames = box('mdat', 'frames of a film');
const header = fullBox('mvhd', 0, Buffer.alloc(96));
const plan = (bytes: Uint8Array) => planWithoutMetadata(type, readerOver(bytes));

function film(...inMovie: Buffer[]): Buffer {
  return Buffer.concat([ftyp, frames, box('moov', header, ...inMovie)]);
}

function keyed(entries: [key: string, value: string][]): Buffer[] {
  const keys = entries.map(([key]) => Buffer.concat([uint32(key.length + 8), Buffer.from(`mdta${key}`)]));
  const items = entries.map(([, value], at) =>
    box(uint32(at + 1).toString('latin1'), box('data', uint32(1), uint32(0), value)),
  );
  const handler = fullBox('hdlr', 0, uint32(0), 'mdta', Buffer.alloc(13));
  return [handler, fullBox('keys', 0, uint32(keys.length), ...keys), box('ilst', ...items)];
}

const entries: [string, string][] = [
  ['com.apple.quicktime.location.ISO6709', place],
  ['com.apple.quicktime.make', 'SecretCam'],
  ['com.apple.quicktime.model', 'SecretCam 9'],
  ['com.apple.quicktime.software', 'SecretCam OS'],
  ['com.apple.quicktime.camera.lens_model', 'SecretCam lens'],
  ['com.android.manufacturer', 'SecretCam'],
  ['com.android.version', 'SecretCam 14'],
  ['com.apple.quicktime.title', 'A day at the lake'],
  ['com.android.capture.fps', 'two hundred and forty'],
];

describe('a film', () => {
  test.each([
    ['in its user data', box('udta', box('\xa9xyz', `\0\x12\x15\xc7${place}`), box('name', 'kept'))],
    ['in 3GPP’s way', box('udta', fullBox('loci', 0, `\x15\xc7${place}`))],
    ['in a track', box('trak', box('tkhd', 'kept'), box('udta', box('\xa9xyz', place)))],
    [
      'in iTunes’s way',
      box('udta', fullBox('meta', 0, box('ilst', box('\xa9xyz', box('data', uint32(1), uint32(0), place))))),
    ],
    ['in XMP', box('udta', box('XMP_', `SecretXmp ${place}`))],
    ['in user data that only its maker knows', box('udta', box('smta', place), box('GUMI', place))],
    [
      'in the XML of a camera',
      fullBox('meta', 0, box('hdlr', 'nrtm'), fullBox('xml ', 0, `<Device ${place}`)),
    ],
    ['in a box of a dashcam', box('gps ', place)],
    ['in free space', box('free', `freeGPS ${place}`)],
    ['in user data that can not be followed', box('udta', box('name', 'kept'), '\0\0\xff\xff\xa9xyz', place)],
    ['in a list that can not be followed', box('meta', box('hdlr', 'mdta'), '\0\0\xff\xffilst', place)],
    [
      'in a list whose keys lie',
      box('meta', box('hdlr', 'mdta'), fullBox('keys', 0, uint32(9)), box('ilst', place)),
    ],
  ])('loses the place %s; nothing moves', async (_name, box) => {
    const before = film(box);
    expect(leaksIn(before)).toContain('+47.6062');
    const clean = await cleaned(type, before);
    expect(leaksIn(clean)).toEqual([]);
    expect(clean.length).toBe(before.length);
    expect(clean.subarray(0, -box.length)).toEqual(before.subarray(0, -box.length));
    expect(await plan(clean)).toBeNull();
  });

  test('keeps what else its user data says', async () => {
    const clean = await cleaned(
      type,
      film(box('udta', box('\xa9xyz', place), box('name', 'Lake'), uint32(0))),
    );
    const free = box('free', Buffer.alloc(place.length));
    expect(clean).toEqual(film(box('udta', free, box('name', 'Lake'), uint32(0))));
  });

  test.each(['meta of QuickTime', 'meta of MP4', 'a track'])(
    'loses place and device in %s, no more',
    async (where) => {
      const boxes = keyed(entries);
      const meta = where === 'meta of MP4' ? fullBox('meta', 0, ...boxes) : box('meta', ...boxes);
      const before = film(where === 'a track' ? box('trak', meta) : meta);
      const clean = await cleaned('video/quicktime', before);
      const kept = keyed(
        entries.map(([key, value], at) => [key, at < 7 ? '\0'.repeat(value.length) : value]),
      );
      const metaNow = where === 'meta of MP4' ? fullBox('meta', 0, ...kept) : box('meta', ...kept);
      expect(clean).toEqual(film(where === 'a track' ? box('trak', metaNow) : metaNow));
      expect(await plan(clean)).toBeNull();
    },
  );

  test('loses XMP beside its contents, and no other box of that kind', async () => {
    const id = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
    const other = box('uuid', Buffer.alloc(16, 7), 'kept');
    const before = Buffer.concat([film(), box('uuid', id, 'SecretXmp'), other]);
    const after = Buffer.concat([film(), box('free', Buffer.alloc(16 + 9)), other]);
    expect(await cleaned(type, before)).toEqual(after);
  });

  test.each(['stco', 'co64'])(
    'loses a track of places, and its samples in the frames (%s)',
    async (offsets) => {
      const at = ftyp.length + 8; // of the samples, in the one box of frames
      const wide = offsets === 'co64';
      const offset = (to: number) => (wide ? Buffer.concat([uint32(0), uint32(to)]) : uint32(to));
      const samples = ['frame 1|', `${place} 1`, 'frame 2|', `${place} 2`, `${place} 33`, 'frame 3|'];
      const start = (index: number) => at + samples.slice(0, index).join('').length;
      const track = (handler: string, sizes: Buffer) =>
        box(
          'trak',
          box(
            'mdia',
            fullBox('hdlr', 0, uint32(0), handler, Buffer.alloc(13)),
            box(
              'minf',
              box(
                'stbl',
                fullBox('stsc', 0, uint32(2), ...[1, 1, 1, 2, 2, 1].map(uint32)),
                sizes,
                fullBox(offsets, 0, uint32(2), offset(start(1)), offset(start(3))),
              ),
            ),
          ),
        );
      const lengths = [1, 3, 4].map((index) => uint32(samples[index]?.length ?? 0));
      const sizes = fullBox('stsz', 0, uint32(0), uint32(3), ...lengths);
      const kept = track('vide', sizes);
      const before = Buffer.concat([
        ftyp,
        box('mdat', samples.join('')),
        box('moov', header, kept, track('meta', sizes)),
      ]);
      const clean = await cleaned(type, before);
      expect(leaksIn(clean)).toEqual([]);
      const left = samples.map((text) => (text.startsWith('frame') ? text : '\0'.repeat(text.length)));
      expect(clean).toEqual(
        Buffer.concat([
          ftyp,
          box('mdat', left.join('')),
          box('moov', header, kept, box('free', Buffer.alloc(kept.length - 8))),
        ]),
      );
    },
  );

  test('loses a tail that is no part of it', async () => {
    const whole = film();
    expect(
      await cleaned(type, Buffer.concat([whole, Buffer.from('\xff\xff\xff\xffSecretTail', 'latin1')])),
    ).toEqual(whole);
  });

  test('of 5 GB with its contents at the end is read in a few places only', async () => {
    const start = Buffer.concat([ftyp, uint32(1), Buffer.from('mdat'), uint32(1), uint32(0x40000000)]);
    const movie = box('moov', header, box('udta', box('\xa9xyz', place)));
    const movieAt = ftyp.length + 0x140000000;
    let bytesRead = 0;
    const reader: Reader = {
      size: movieAt + movie.length,
      read: (position, length) => {
        bytesRead += length;
        const [source, at] = position < movieAt ? [start, position] : [movie, position - movieAt];
        return Promise.resolve(source.subarray(at, at + length));
      },
    };
    const parts = await planWithoutMetadata(type, reader);
    expect(parts?.[0]).toEqual({ from: 0, to: movieAt + movie.length - place.length - 4 });
    expect(leaksIn(assemble(Buffer.alloc(0), parts ?? []))).toEqual([]);
    expect(bytesRead).toBeLessThan(1000);
  });

  test('with frames in a large box is followed', async () => {
    const before = Buffer.concat([
      ftyp,
      largeBox('mdat', Buffer.from('frames')),
      film(box('udta', box('loci', place))),
    ]);
    expect(leaksIn(await cleaned(type, before))).toEqual([]);
  });

  test('without metadata stays unchanged, also when it breaks off within its frames', async () => {
    expect(await plan(film())).toBeNull();
    const quick = Buffer.concat([ftyp, box('moov', header), frames]);
    expect(await plan(quick.subarray(0, -5))).toBeNull();
  });

  test.each([
    ['is empty', Buffer.alloc(0)],
    ['has no list of contents', Buffer.concat([ftyp, frames])],
    ['breaks off within its list of contents', film(box('udta', box('\xa9xyz', place))).subarray(0, -3)],
    ['has a track longer than its list of contents', film(Buffer.from('\0\0\xff\xfftrak', 'latin1'))],
  ])('that %s is refused', async (_name, bytes) => {
    await expect(plan(bytes)).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
  });

  test.each([5, 7])('loses user data with a box of %i bytes, less than its header', async (size) => {
    const clean = await cleaned(type, film(box('udta', uint32(size), `\xa9xyz${place}`)));
    expect(clean).toEqual(film(box('free', Buffer.alloc(8 + place.length))));
  });

  test('with a large box less than its header is refused', async () => {
    const large = Buffer.concat([uint32(1), Buffer.from('moov'), uint32(0), uint32(15), film()]);
    await expect(plan(Buffer.concat([ftyp, large]))).rejects.toMatchObject({ status: 400 });
  });

  test('of more boxes than any film has is refused, not read forever', async () => {
    const many = Buffer.concat(Array.from({ length: 100_001 }, () => box('free')));
    await expect(plan(Buffer.concat([film(), many]))).rejects.toMatchObject({ status: 400 });
  });
});

describe('which files are cleaned', () => {
  test.each(['image/jpeg', 'image/heic', 'image/avif', 'video/mp4', 'audio/x-m4a'])('%s is', (name) => {
    expect(hasMetadataRules(name)).toBe(true);
  });

  test.each(['image/svg+xml', 'application/pdf', 'text/plain', ''])(
    '%j is not, and stays whole',
    async (name) => {
      expect(hasMetadataRules(name)).toBe(false);
      expect(await planWithoutMetadata(name, readerOver(Buffer.from('<svg/>')))).toBeNull();
    },
  );
});
