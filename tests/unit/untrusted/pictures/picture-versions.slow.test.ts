import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { isAnimated } from '../../../../src-main/untrusted/pictures/picture-format.ts';
import { notNow } from '../../../../src-main/untrusted/pictures/pictures.ts';
import { createPictures } from '../../../../src-main/untrusted/pictures/pictures.ts';
import { movingDrawing, withMetadata } from '../../../support/picture-samples.ts';
import { header, noise, photo } from '../../../support/pictures.ts';
import { limitOf } from '../../../support/patience.ts';

// A thread with libvips in it starts slowly on a busy computer.
vi.setConfig({ testTimeout: 270_000 });

let folder: string;
let files = 0;
const pictures = createPictures({ log: silentLog });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-versions-'));
});
afterAll(async () => {
  await pictures.close();
  await rm(folder, { recursive: true });
});

async function versionsOf(content: Uint8Array | string, from?: { address: string }) {
  const file = join(folder, String(files++));
  await writeFile(file, content);
  const made = await pictures.versions(file, { requested: { widths: [480, 960], previewWidth: 600 }, from });
  if (made === notNow) throw new Error('The computer is too busy.');
  return made;
}
/** A picture of soft shapes, with an alpha channel: smaller as WebP than as PNG or GIF, as photos are. */
const soft = async (width: number, height: number): Promise<Sharp> =>
  sharp(
    await noise(Math.round(width / 8), Math.round(height / 8))
      .png()
      .toBuffer(),
  ).resize(width, height);
const namesOf = (versions: Awaited<ReturnType<typeof versionsOf>>) =>
  versions?.map(({ width, ending }) => `${width}.${ending}`);

test('versions are narrower than the original, upright, and without metadata', async () => {
  const versions = await versionsOf(await withMetadata(noise(1200, 800).removeAlpha(), 6).jpeg().toBuffer());
  // Orientation 6 is shown turned, so the picture is 800 pixels wide.
  expect(namesOf(versions)).toEqual(['480.webp', '600.jpg']);
  for (const { width, bytes } of versions ?? []) {
    const about = await sharp(bytes).metadata();
    expect(about).toMatchObject({ width, height: width * 1.5 });
    expect([about.exif, about.xmp, about.orientation]).toEqual([undefined, undefined, undefined]);
    expect(Buffer.from(bytes).includes('Secret')).toBe(false);
  }
});

test('a picture that is transparent stays so in every version, and a PNG without such pixels becomes a JPEG', async () => {
  const transparent = await versionsOf(await (await soft(1000, 800)).png().toBuffer());
  expect(namesOf(transparent)).toEqual(['480.webp', '600.webp', '960.webp']);
  for (const { bytes } of transparent ?? []) expect((await sharp(bytes).metadata()).hasAlpha).toBe(true);
  const opaque = await (await soft(700, 500)).removeAlpha().ensureAlpha().png().toBuffer();
  expect(namesOf(await versionsOf(opaque))).toEqual(['480.webp', '600.jpg']);
});

test('a picture is never enlarged, and a version that is larger than the original is left out', async () => {
  expect(await versionsOf(await photo(480, 300).png().toBuffer())).toEqual([]);
  const tiny = await noise(1000, 700).removeAlpha().jpeg({ quality: 1 }).toBuffer();
  expect(namesOf(await versionsOf(tiny))).not.toContain('960.webp');
});

test('a drawing has no versions, and a damaged or too large picture gives none', async () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="2000"><rect width="9" height="9"/></svg>';
  expect(await versionsOf(svg)).toEqual([]);
  expect(await versionsOf((await noise(1000, 700).png().toBuffer()).subarray(0, 90_000))).toBeNull();
  expect(await versionsOf(header(20_000, 20_000))).toBeNull();
  // A stranger's picture may have fewer pixels.
  expect(await versionsOf(header(9000, 9000), { address: 'https://a.example/bomb.png' })).toBeNull();
});

describe('an animation has no versions', () => {
  test.each(['gif', 'webp'] as const)('%s', async (format) => {
    const moving = await movingDrawing(600, 400, 3).toFormat(format).toBuffer();
    expect(isAnimated(moving)).toBe(true);
    expect(await versionsOf(moving)).toEqual([]);
    const still = await (await soft(600, 400)).toFormat(format, { quality: 100 }).toBuffer();
    expect(isAnimated(still)).toBe(false);
    if (format === 'webp') expect(namesOf(await versionsOf(still))).toEqual(['480.webp']);
  });

  test('PNG', async () => {
    const still = await noise(600, 400).png().toBuffer();
    expect(isAnimated(still)).toBe(false);
    // Inserts an acTL chunk after the header, as animated PNG has it.
    const control = Buffer.from(
      '0000000861635444'.replace('5444', '544c') + '0000000200000000f38d9370',
      'hex',
    );
    const moving = Buffer.concat([still.subarray(0, 33), control, still.subarray(33)]);
    expect(isAnimated(moving)).toBe(true);
    expect(await versionsOf(moving)).toEqual([]);
  });

  test('AVIF, by its brands', () => {
    const brands = (...names: string[]) =>
      Buffer.concat([
        Buffer.from([0, 0, 0, 8 + 4 * (names.length + 1)]),
        Buffer.from(`ftyp${names[0] ?? ''}\0\0\0\0${names.slice(1).join('')}`),
      ]);
    expect(isAnimated(brands('avis', 'msf1'))).toBe(true);
    expect(isAnimated(brands('mif1', 'avis'))).toBe(true);
    expect(isAnimated(brands('avif', 'mif1'))).toBe(false);
  });

  test('a damaged animation ends the search, and doesn’t make it endless', () => {
    const gif = Buffer.concat([
      Buffer.from('GIF89a\x01\0\x01\0\0\0\0', 'latin1'),
      Buffer.alloc(50_000_000, 0x21),
    ]);
    const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(40)]);
    const began = performance.now();
    expect([isAnimated(gif), isAnimated(png)]).toEqual([false, false]);
    expect(performance.now() - began).toBeLessThan(limitOf(10_000));
  });
});
