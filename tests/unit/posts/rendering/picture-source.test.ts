import { describe, expect, test } from 'vitest';
import { pictureSource, themesColumn, unknownColumn } from '../../../../src-main/posts/rendering/embedded.ts';
import type { ShownMedia } from '../../../../src-main/posts/rendering/reader.ts';

const path = '/media/2026/11/a.jpg';
const versionsUpTo = (most: number) =>
  [480, 960, 1440, 2000]
    .filter((width) => width <= most)
    .map((width) => ({ path: `${path}.${width}.webp`, width }));
const photo = (width: number, height: number, most = 2000): ShownMedia => ({
  path,
  type: 'image/jpeg',
  bytes: 9,
  width,
  height,
  versions: versionsUpTo(most),
});
const page = { column: themesColumn };
const widths = (found: ShownMedia) => pictureSource(found, {}, page).srcset?.files.map(({ width }) => width);

test('a page offers the original only if no version is wide enough', () => {
  expect(widths(photo(4000, 3000))).toEqual([480, 960, 1440, 2000]);
  expect(widths(photo(1600, 1200, 1440))).toEqual([480, 960, 1440, 1600]);
  // The version of 2000 px was larger than the original.
  expect(widths(photo(4000, 3000, 1440))).toEqual([480, 960, 1440, 4000]);
});

test('a picture without versions, or of unknown size, is offered unchanged', () => {
  const plain = { src: path, width: 300, height: 200 };
  expect(pictureSource(photo(300, 200, 0), {}, page)).toEqual(plain);
  expect(pictureSource(photo(300, 200), {}, undefined)).toEqual(plain);
  expect(pictureSource({ ...photo(1, 1), width: null }, {}, page).srcset).toBeUndefined();
});

describe('sizes', () => {
  const sizes = (
    found: ShownMedia,
    embedded: Parameters<typeof pictureSource>[1] = {},
    column = themesColumn,
  ) => pictureSource(found, embedded, { column }).srcset?.sizes;

  test('is the column, and never wider than the picture', () => {
    expect(sizes(photo(4000, 3000))).toBe(
      '(max-width: 38.5rem) min(calc(100vw - 2.5rem), 4000px), min(36rem, 4000px)',
    );
    expect(sizes(photo(600, 400))).toContain('min(36rem, 600px)');
    expect(sizes(photo(4000, 3000), {}, unknownColumn)).toBe('min(100vw, 4000px)');
  });

  test('is no wider than a portrait photo of the height of the screen', () => {
    expect(sizes(photo(3000, 4000))).toContain('min(36rem, 3000px, 67.5vh)');
  });

  test('is the size in the post’s own HTML', () => {
    expect(sizes(photo(4000, 3000), { size: { width: '200', height: '150' } })).toContain(
      'min(36rem, 200px)',
    );
  });

  test('is the cell of a grid, which shows the middle of a wide picture', () => {
    expect(sizes(photo(4000, 2000), { cell: { columns: 3, isWide: false } })).toBe(
      '(max-width: 30rem) min(90vw, 4000px), min(24rem, 4000px)',
    );
    expect(sizes(photo(4000, 2000), { cell: { columns: 3, isWide: true } })).toContain(
      'calc(100vw - 2.5rem)',
    );
  });
});

test('a feed offers one version of moderate size, with its own width and height', () => {
  expect(pictureSource(photo(4000, 3000), {}, 'feed')).toEqual({
    src: `${path}.960.webp`,
    width: 960,
    height: 720,
  });
  expect(pictureSource(photo(600, 400, 480), {}, 'feed')).toMatchObject({
    src: `${path}.480.webp`,
    height: 320,
  });
});
