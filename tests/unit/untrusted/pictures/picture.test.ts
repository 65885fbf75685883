import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { createPictures } from '../../../../src-main/untrusted/pictures/pictures.ts';
import { noise, photo as blank } from '../../../support/pictures.ts';

// A thread with libvips in it starts slowly on a busy computer.
vi.setConfig({ testTimeout: 180_000 });

const pictures = createPictures({ log: silentLog });
afterAll(() => pictures.close());

const from = { address: 'https://app.example/' };
const dot = { r: 200, g: 120, b: 20 };

async function opened(bytes: Uint8Array, edge = 64) {
  const picture = await pictures.shrink(bytes, { edge, from });
  if (picture === null) throw new Error('no picture came back');
  expect(picture.dataUrl).toMatch(/^data:image\/png;base64,/);
  const png = Buffer.from(picture.dataUrl.split(',')[1]!, 'base64');
  return { png, dataUrl: picture.dataUrl, metadata: await sharp(png).metadata() };
}

describe('a picture from a stranger', () => {
  test.each(['png', 'jpeg', 'gif', 'webp', 'avif'] as const)('in %s becomes a small PNG', async (format) => {
    const { metadata } = await opened(await blank(300, 150).toFormat(format).toBuffer());
    expect(metadata).toMatchObject({ format: 'png', width: 64, height: 32 });
  });

  test('in SVG becomes a small PNG, and its references are not loaded', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'porchlight-picture-'));
    try {
      const file = join(folder, 'black.png');
      await sharp({ create: { width: 9, height: 9, channels: 3, background: '#000' } }).toFile(file);
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="100">
        <rect width="100" height="100" fill="#fff"/>
        <image href="${pathToFileURL(file).href}" width="50" height="50"/>
        <image xlink:href="${file}" y="50" width="50" height="50"/><script>alert(1)</script></svg>`;
      const { png, metadata } = await opened(Buffer.from(svg));
      expect(metadata).toMatchObject({ format: 'png', width: 64, height: 64 });
      const { channels } = await sharp(png).stats();
      expect(channels.map(({ min }) => min)).toEqual([255, 255, 255, 255]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('keeps its transparency and is never enlarged', async () => {
    const clear = sharp({ create: { width: 16, height: 8, channels: 4, background: { ...dot, alpha: 0 } } });
    const { metadata } = await opened(await clear.png().toBuffer());
    expect(metadata).toMatchObject({ width: 16, height: 8, hasAlpha: true });
  });

  test('is turned the right way up, and its metadata stays behind', async () => {
    const photo = await blank(200, 100)
      .jpeg()
      .withExif({ IFD0: { Copyright: 'hush' }, IFD3: { GPSLatitudeRef: 'N' } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const { png, metadata } = await opened(photo);
    expect([metadata.width, metadata.height]).toEqual([32, 64]);
    expect([metadata.exif, metadata.icc, metadata.xmp, metadata.orientation]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(png.includes('hush')).toBe(false);
  });

  test('that moves becomes its first frame', async () => {
    const frames = Buffer.concat([Buffer.alloc(40 * 40 * 3, 255), Buffer.alloc(40 * 40 * 3, 0)]);
    const raw = { width: 40, height: 80, channels: 3 as const, pageHeight: 40 };
    const gif = await sharp(frames, { raw })
      .gif({ delay: [100, 100] })
      .toBuffer();
    expect((await sharp(gif).metadata()).pages).toBe(2);
    const { png, metadata } = await opened(gif);
    expect([metadata.width, metadata.height]).toEqual([40, 40]);
    expect((await sharp(png).stats()).channels[0]?.min).toBe(255);
  });

  test('stays under 40 KiB even if nothing can be compressed', async () => {
    const { dataUrl, metadata } = await opened(await noise(512, 512).png().toBuffer(), 512);
    expect(dataUrl.length).toBeLessThanOrEqual(40 * 1024);
    expect(metadata.width).toBeGreaterThanOrEqual(64);
  });
});

describe('a file that isn’t a picture', () => {
  const bomb = `<svg xmlns="http://www.w3.org/2000/svg" width="100000" height="100000"><rect width="9" height="9"/></svg>`;
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('<html><body>404</body></html>')],
    ['random bytes', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4])],
    ['a drawing of ten thousand million pixels', Buffer.from(bomb)],
  ])('%s is null', async (_what, bytes) => {
    expect(await pictures.shrink(bytes, { edge: 64, from })).toBeNull();
  });

  test('a picture cut short is null', async () => {
    const png = await blank(400, 400).png({ compressionLevel: 0 }).toBuffer();
    expect(await pictures.shrink(png.subarray(0, png.length / 2), { edge: 64, from })).toBeNull();
  });

  test('a format that is not taken from strangers is null', async () => {
    expect(await pictures.shrink(await blank(10, 10).tiff().toBuffer(), { edge: 64, from })).toBeNull();
  });
});
