import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { PorchlightError } from '../../../../src-main/contract/error.ts';
import {
  box,
  cleaned,
  drawing,
  fullBox,
  jpegSegment,
  leaksIn,
  movingDrawing,
  pngChunk,
  withMetadata,
  uint32,
  webpChunk,
} from '../../../support/picture-samples.ts';
import { runs } from '../../../support/runs.ts';

const types = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'video/mp4'] as const;
const samples = new Map<string, Buffer[]>();
const mostAdded = 200;

beforeAll(async () => {
  samples.set('image/jpeg', [
    await withMetadata(drawing(), 6).jpeg().toBuffer(),
    await withMetadata(drawing()).jpeg({ progressive: true }).toBuffer(),
  ]);
  samples.set('image/png', [await withMetadata(drawing(), 6).png().toBuffer()]);
  samples.set('image/webp', [
    await withMetadata(drawing(), 6).webp().toBuffer(),
    await withMetadata(movingDrawing()).webp().toBuffer(),
  ]);
  const gif = await movingDrawing().gif().toBuffer();
  const comment = Buffer.from('\x21\xfe\x0aSecretText\0', 'latin1');
  samples.set('image/gif', [Buffer.concat([gif.subarray(0, -1), comment, gif.subarray(-1)])]);
  samples.set('image/avif', [await withMetadata(drawing(), 6).avif().toBuffer()]);
  samples.set('video/mp4', [film()]);
});

function film(): Buffer {
  const key = 'com.apple.quicktime.location.ISO6709';
  const keys = fullBox('keys', 0, uint32(1), uint32(key.length + 8), `mdta${key}`);
  const value = box('\0\0\0\x01', box('data', uint32(1), uint32(0), '+47.6062-122.3321/'));
  const meta = box('meta', fullBox('hdlr', 0, uint32(0), 'mdta', Buffer.alloc(13)), keys, box('ilst', value));
  const user = box('udta', box('\xa9xyz', '+47.6062'), box('name', 'Lake'), fullBox('loci', 0, '+47.6062'));
  const movie = box('moov', fullBox('mvhd', 0, Buffer.alloc(96)), box('trak', user), user, meta);
  return Buffer.concat([box('ftyp', 'isom', uint32(0)), box('mdat', 'frames'), movie]);
}

/** Cleans what may be damaged: it works, or is refused in plain words, and is at rest after one pass. */
async function cleanedOrRefused(type: string, bytes: Uint8Array): Promise<Buffer | null> {
  try {
    const clean = await cleaned(type, bytes);
    expect(clean.length).toBeLessThanOrEqual(bytes.length + mostAdded);
    expect(await cleaned(type, clean)).toEqual(clean);
    return clean;
  } catch (error) {
    if (!(error instanceof PorchlightError)) throw error;
    expect(error).toMatchObject({ code: 'invalid_request', status: 400 });
    return null;
  }
}

const one = <Item>(items: readonly Item[], at: number): Item => items[at % items.length]!;

describe.each(types)('a hostile file of type %s', (type) => {
  test('a hostile file that is cut off anywhere reveals nothing, or is refused', async () => {
    for (const sample of samples.get(type) ?? []) {
      expect(leaksIn(sample)).not.toEqual([]);
      for (let length = 0; length < sample.length; length += 1) {
        const clean = await cleanedOrRefused(type, sample.subarray(0, length));
        if (clean) expect(leaksIn(clean)).toEqual([]);
      }
    }
  });

  test('may have any bytes changed', async () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 8,
    });
    const all = samples.get(type) ?? [];
    await fc.assert(
      fc.asyncProperty(fc.nat(), changes, async (which, list) => {
        const bytes = Buffer.from(one(all, which));
        for (const [at, value] of list) bytes[at % bytes.length] = value;
        await cleanedOrRefused(type, bytes);
      }),
      { numRuns: runs(400) },
    );
  });

  test('may have any piece of it taken out, doubled or put elsewhere', async () => {
    const all = samples.get(type) ?? [];
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.nat(), fc.nat(), async (which, from, length, to) => {
        const bytes = one(all, which);
        const start = from % bytes.length;
        const piece = bytes.subarray(start, start + (length % 200));
        const at = to % bytes.length;
        await cleanedOrRefused(type, Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]));
        await cleanedOrRefused(
          type,
          Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + piece.length)]),
        );
      }),
      // The example: a film whose boxes end before it does, so that a second pass found what the first had left.
      { numRuns: runs(200), examples: [[0, 0, 1_796_338_856, 907_862_117]] },
    );
  });

  test('may have anything at all behind its start', async () => {
    const all = samples.get(type) ?? [];
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.uint8Array({ maxLength: 400 }), async (which, keep, noise) => {
        const bytes = one(all, which);
        await cleanedOrRefused(type, Buffer.concat([bytes.subarray(0, keep % 60), noise]));
      }),
      { numRuns: runs(400) },
    );
  });
});

describe('metadata in parts that aren’t the picture', () => {
  const noise = fc.tuple(fc.uint8Array({ maxLength: 60 }), fc.uint8Array({ maxLength: 60 }));
  const secretIn = ([before, after]: readonly [Uint8Array, Uint8Array]): Buffer =>
    Buffer.concat([before, Buffer.from('SecretText'), after]);

  test('is removed from a JPEG file, its own ends and scans included', async () => {
    const plain = await drawing().jpeg().toBuffer();
    const marker = fc.constantFrom(0xe1, 0xe2, 0xe3, 0xed, 0xef, 0xfe, 0xe0, 0xee, 0xc8, 0xf0);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(marker, noise), { maxLength: 6 }), noise, async (segments, tail) => {
        const list = segments.map(([code, payload]) =>
          jpegSegment(code, Buffer.concat([Buffer.of(0xff, 0xd9, 0xff, 0xda), secretIn(payload)])),
        );
        const photo = Buffer.concat([plain.subarray(0, 2), ...list, plain.subarray(2), secretIn(tail)]);
        expect(await cleaned('image/jpeg', photo)).toEqual(plain);
      }),
    );
  });

  test('is removed from a PNG file', async () => {
    const plain = await drawing().png().toBuffer();
    const name = fc.constantFrom('tEXt', 'zTXt', 'iTXt', 'tIME', 'iDOT', 'caBX', 'prVt', 'eXIf');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, noise), { maxLength: 6 }), noise, async (chunks, tail) => {
        const list = chunks.map(([type, data]) => pngChunk(type, secretIn(data)));
        const picture = Buffer.concat([plain.subarray(0, 33), ...list, plain.subarray(33), secretIn(tail)]);
        expect(await cleaned('image/png', picture)).toEqual(plain);
      }),
    );
  });

  test('is removed from a WebP file', async () => {
    const plain = await drawing().webp().toBuffer();
    const name = fc.constantFrom('EXIF', 'XMP ', 'JUNK', 'C2PA', '\0\0\0\0');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, noise), { maxLength: 6 }), noise, async (chunks, tail) => {
        const list = chunks.map(([type, data]) => webpChunk(type, secretIn(data)));
        const file = webpChunk('RIFF', Buffer.concat([plain.subarray(8), ...list]));
        expect(await cleaned('image/webp', Buffer.concat([file, secretIn(tail)]))).toEqual(plain);
      }),
    );
  });

  test('is removed from a film’s place', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(noise, { maxLength: 6 }), async (places) => {
        const user = (type: string, of: (payload: Buffer) => Uint8Array): Buffer =>
          box('udta', ...places.map((place) => box(type, of(secretIn(place)))));
        const before = Buffer.concat([
          box('ftyp', 'isom'),
          box(
            'moov',
            user('\xa9xyz', (payload) => payload),
          ),
        ]);
        const after = box(
          'moov',
          user('free', (payload) => Buffer.alloc(payload.length)),
        );
        expect(await cleaned('video/mp4', before)).toEqual(Buffer.concat([box('ftyp', 'isom'), after]));
      }),
    );
  });
});
