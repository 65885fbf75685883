import { expect, test } from 'vitest';
import { decodeHeif, openLibheif } from '../../../../src-main/untrusted/pictures/heif-decoder.ts';
import { heic } from '../../../support/heic-samples.ts';

/** The first pixel of a row's first and last column. */
function ends({ data, width, bands }: ReturnType<typeof decodeHeif>): number[][] {
  return [0, width - 1].map((column) => [...data.subarray(column * bands, (column + 1) * bands)]);
}

test('code in libheif’s context reaches nothing of Node, and can’t make code from text', () => {
  const lib = openLibheif();
  const makeFunction = lib._malloc.constructor as unknown as (code: string) => () => unknown;
  expect(makeFunction).not.toBe(Function);
  expect(() => makeFunction('return typeof process')()).toThrow('Code generation from strings disallowed');
});

test('a picture whose rows are not a multiple of 16 pixels has no bytes between its rows', () => {
  const declared = { width: 61, height: 33 };
  const decoded = decodeHeif(heic({ grid: { columns: 1, rows: 1 }, declared }));
  expect(decoded).toMatchObject({ ...declared, bands: 3 });
  expect(decoded.data.length).toBe(61 * 33 * 3);
  const [first, last] = ends(decoded);
  expect(first![0]).toBeGreaterThan(240); // red
  expect(last![1]).toBeGreaterThan(240); // green
});

test('a picture of more than 64 million pixels is refused before it is decoded', () => {
  const options = { grid: { columns: 31, rows: 31 } };
  expect(() => decodeHeif(heic({ ...options, declared: { width: 8001, height: 8000 } }))).toThrow(
    'too many pixels',
  );
  // One that is large enough is refused because of its tiles.
  expect(() => decodeHeif(heic({ ...options, declared: { width: 8000, height: 8000 } }))).toThrow('decoding');
});

test('an ICC profile that is larger than 1 MB is dropped', () => {
  expect(decodeHeif(heic({ profile: Buffer.alloc(1000, 1) })).profile).toEqual(new Uint8Array(1000).fill(1));
  expect(decodeHeif(heic({ profile: Buffer.alloc(1_000_001, 1) })).profile).toBeUndefined();
});
