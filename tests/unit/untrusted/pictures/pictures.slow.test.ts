import { execFile } from 'node:child_process';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { notNow } from '../../../../src-main/untrusted/pictures/pictures.ts';
import { createPictures } from '../../../../src-main/untrusted/pictures/pictures.ts';
import { header, noise, photo, slowDrawing } from '../../../support/pictures.ts';
import { patience } from '../../../support/patience.ts';

// A thread with libvips in it starts slowly on a busy computer.
vi.setConfig({ testTimeout: 180_000 });

let folder: string;
/** One thread for all files, because starting a thread with libvips takes longer than decoding a small picture. */
const shared = createPictures({ log: silentLog });
let pictures = shared;
let threads: Worker[];
const started = (thread: Worker) => void threads.push(thread);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-pictures-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  threads = [];
  process.on('worker', started);
});
afterEach(async () => {
  if (pictures !== shared) await pictures.close();
  process.off('worker', started);
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(() => shared.close());

let files = 0;
async function stored(content: Uint8Array | string): Promise<string> {
  const file = join(folder, String(files++));
  await writeFile(file, content);
  return file;
}

/** Makes sure that the shared thread runs. `threads` then lists only threads that are started in addition. */
async function startSharedThread(): Promise<void> {
  expect(await shared.measure(await stored(await photo(7, 5).png().toBuffer()))).not.toBeNull();
  threads = [];
}

/** Node tells of a thread a moment after it was started. */
const firstThread = () => vi.waitUntil(() => threads[0], patience);
const ended = (thread: Worker) => new Promise((resolve) => thread.once('exit', resolve));

describe('a picture file', () => {
  test.each(['png', 'jpeg', 'gif', 'webp', 'avif'] as const)(
    'in %s is measured, and gets a thumbnail',
    async (format) => {
      const file = await stored(await photo(300, 150).toFormat(format).toBuffer());
      expect(await pictures.measure(file)).toEqual({ width: 300, height: 150 });
      const thumbnail = await pictures.thumbnail(file, { edge: 100 });
      expect(await sharp(thumbnail!).metadata()).toMatchObject({ format: 'webp', width: 100, height: 50 });
    },
  );

  test('in SVG is measured, and gets a thumbnail', async () => {
    const file = await stored('<svg xmlns="http://www.w3.org/2000/svg" width="300" height="150"/>');
    expect(await pictures.measure(file)).toEqual({ width: 300, height: 150 });
    const thumbnail = await pictures.thumbnail(file, { edge: 100 });
    expect(await sharp(thumbnail!).metadata()).toMatchObject({ format: 'webp', width: 100, height: 50 });
  });

  test.each([3, 6, 8])(
    'with orientation %i is turned upright; its metadata is removed',
    async (orientation) => {
      const file = await stored(
        await photo(200, 100)
          .jpeg()
          .withExif({
            IFD0: { Copyright: 'hush' },
            IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100' },
          })
          .withMetadata({ orientation })
          .toBuffer(),
      );
      const [width, height] = orientation >= 5 ? [100, 200] : [200, 100];
      expect(await pictures.measure(file)).toEqual({ width, height });
      const thumbnail = await pictures.thumbnail(file, { edge: 1000 });
      const metadata = await sharp(thumbnail!).metadata();
      expect([metadata.width, metadata.height]).toEqual([width, height]);
      for (const kind of ['exif', 'xmp', 'icc', 'orientation'] as const)
        expect(metadata[kind]).toBeUndefined();
      expect(Buffer.from(thumbnail!).includes('hush')).toBe(false);
    },
  );

  test('that moves becomes a still of its first frame', async () => {
    const frames = Buffer.concat([Buffer.alloc(40 * 40 * 3, 255), Buffer.alloc(40 * 40 * 3, 0)]);
    const raw = { width: 40, height: 80, channels: 3 as const, pageHeight: 40 };
    const gif = sharp(frames, { raw }).gif({ delay: [100, 100] });
    const file = await stored(await gif.toBuffer());
    expect(await pictures.measure(file)).toEqual({ width: 40, height: 40 });
    const still = sharp((await pictures.thumbnail(file, { edge: 100 }))!);
    expect((await still.metadata()).pages).toBeUndefined();
    expect((await still.stats()).channels[0]!.min).toBeGreaterThan(250);
  });

  test('keeps its transparency, and is never enlarged', async () => {
    const clear = { width: 16, height: 8, channels: 4 as const, background: { r: 9, g: 9, b: 9, alpha: 0 } };
    const file = await stored(await sharp({ create: clear }).png().toBuffer());
    const still = sharp((await pictures.thumbnail(file, { edge: 100 }))!);
    expect(await still.metadata()).toMatchObject({ width: 16, height: 8, hasAlpha: true });
  });

  test('a picture in SVG runs no script and draws nothing from outside itself', async () => {
    const black = join(folder, 'black.png');
    await sharp({ create: { width: 9, height: 9, channels: 3, background: '#000' } }).toFile(black);
    const file =
      await stored(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
      width="100" height="100"><rect width="100" height="100" fill="#fff"/><script>alert(1)</script>
      <image href="${pathToFileURL(black).href}" width="50" height="50"/>
      <image xlink:href="${black}" y="50" width="50" height="50"/>
      <image href="black.png" x="50" width="50" height="50"/>
      <image href="http://127.0.0.1:9/black.png" x="50" y="50" width="50" height="50"/></svg>`);
    const { channels } = await sharp((await pictures.thumbnail(file, { edge: 100 }))!).stats();
    expect(channels.map(({ min }) => min)).toEqual(channels.map(() => 255));
  });

  test('is decoded while another one waits, each with its own answer', async () => {
    const sizes = [10, 20, 30, 40];
    const files = await Promise.all(sizes.map(async (size) => stored(await photo(size, 5).png().toBuffer())));
    await startSharedThread();
    const answers = await Promise.all(files.map((file) => pictures.measure(file)));
    expect(answers.map((answer) => answer?.width)).toEqual(sizes);
    expect(threads).toHaveLength(0);
  });
});

describe('a file that is no picture to us', () => {
  const svg = (size: string, inside = '') =>
    `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${inside}</svg>`;
  test.each([
    ['an empty one', ''],
    ['text', '<html><body>404</body></html>'],
    ['a start without the rest', new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4])],
    ['a PNG of 60000 by 60000 pixels', header(60_000, 60_000)],
    ['a drawing of ten thousand million pixels', svg('width="100000" height="100000"')],
    ['a drawing of more than 1 MB', svg('width="9" height="9"', ' '.repeat(1_000_000))],
  ])('%s is null', async (_what, content) => {
    const file = await stored(content);
    await startSharedThread();
    expect(await pictures.measure(file)).toBeNull();
    expect(await pictures.thumbnail(file, { edge: 64 })).toBeNull();
    // The same thread still measures pictures.
    expect(await pictures.measure(await stored(await photo(7, 5).png().toBuffer()))).toEqual({
      width: 7,
      height: 5,
    });
    expect(threads).toHaveLength(0);
  });

  test('a format that is not taken is null', async () => {
    const file = await stored(await photo(10, 10).tiff().toBuffer());
    expect(await pictures.measure(file)).toBeNull();
    expect(await pictures.thumbnail(file, { edge: 64 })).toBeNull();
  });

  test.each(['png', 'jpeg', 'webp', 'avif'] as const)('a cut %s gets no thumbnail', async (format) => {
    const whole = await noise(200, 200).toFormat(format).toBuffer();
    const file = await stored(whole.subarray(0, whole.length / 2));
    expect(await pictures.thumbnail(file, { edge: 64 })).toBeNull();
  });

  test('a file that is not there, a folder and a file of more than 200 MB are null', async () => {
    const huge = await stored(await photo(9, 9).png().toBuffer());
    await truncate(huge, 200_000_001);
    for (const file of [join(folder, 'none'), folder, huge]) expect(await pictures.measure(file)).toBeNull();
  });
});

describe('the thread', () => {
  beforeEach(() => {
    pictures = createPictures({ log: silentLog });
  });

  test('a thread is stopped when a picture takes longer than 10 s, and the next picture gets a new one', async () => {
    const [slow, good] = [await stored(slowDrawing), await stored(await photo(7, 5).png().toBuffer())];
    expect(await pictures.measure(slow)).toEqual({ width: 9000, height: 9000 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.spyOn(Worker.prototype, 'cpuUsage').mockResolvedValue({ user: 10_000_000, system: 0 });
    const stuck = pictures.thumbnail(slow, { edge: 64 });
    const after = pictures.measure(good);
    const end = ended(threads[0]!);
    // The limit begins once the thread has the picture.
    await vi.advanceTimersByTimeAsync(9_999);
    expect(await Promise.race([stuck, Promise.resolve('still decoding')])).toBe('still decoding');
    await vi.advanceTimersByTimeAsync(1);
    expect(await stuck).toBeNull();
    await end;
    expect(await after).toEqual({ width: 7, height: 5 });
    expect(threads).toHaveLength(2);
  });

  test('gets more time on a computer that is too busy, and the picture can be tried again', async () => {
    const slow = await stored(slowDrawing);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    vi.spyOn(Worker.prototype, 'cpuUsage').mockResolvedValue({ user: 0, system: 0 });
    await pictures.measure(slow);
    const starved = pictures.thumbnail(slow, { edge: 64 });
    await vi.advanceTimersByTimeAsync(199_999);
    expect(await Promise.race([starved, Promise.resolve('still decoding')])).toBe('still decoding');
    await vi.advanceTimersByTimeAsync(1);
    expect(await starved).toBe(notNow);
  });

  test('a crash under a picture affects only that picture', async () => {
    const [slow, good] = [await stored(slowDrawing), await stored(await photo(7, 5).png().toBuffer())];
    const lost = pictures.thumbnail(slow, { edge: 64 });
    const after = pictures.measure(good);
    await (await firstThread()).terminate();
    // The thread may not have begun it yet.
    expect([null, notNow]).toContain(await lost);
    expect(await after).toEqual({ width: 7, height: 5 });
  });

  test('ends after 10 s without a picture, and starts again for the next', async () => {
    const file = await stored(await photo(7, 5).png().toBuffer());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await pictures.measure(file);
    const end = ended(threads[0]!);
    vi.advanceTimersByTime(9_999);
    await pictures.measure(file);
    expect(threads).toHaveLength(1);
    vi.advanceTimersByTime(10_000);
    await end;
    expect(await pictures.measure(file)).toEqual({ width: 7, height: 5 });
    expect(threads).toHaveLength(2);
  });

  test('measures an uploaded picture after one thumbnail, and not after all of a list', async () => {
    const file = await stored(await photo(900, 600).png().toBuffer());
    const done: string[] = [];
    const list = Array.from({ length: 8 }, () =>
      pictures.thumbnail(file, { edge: 480 }).then(() => done.push('thumbnail')),
    );
    await Promise.all([...list, pictures.measure(file).then(() => done.push('size'))]);
    expect(done.indexOf('size')).toBeLessThanOrEqual(1);
  });

  test('makes versions, which nobody waits for, after all thumbnails of a list', async () => {
    const file = await stored(await photo(900, 600).png().toBuffer());
    const done: string[] = [];
    const list = Array.from({ length: 4 }, () =>
      pictures.thumbnail(file, { edge: 480 }).then(() => done.push('thumbnail')),
    );
    const requested = { widths: [120], previewWidth: 120 };
    await Promise.all([...list, pictures.versions(file, { requested }).then(() => done.push('versions'))]);
    expect(done.indexOf('versions')).toBe(4);
  });

  test('takes 200 pictures into its queue and no more', async () => {
    const file = await stored(await photo(7, 5).png().toBuffer());
    const answers = await Promise.all(Array.from({ length: 203 }, () => pictures.measure(file)));
    expect(answers.filter((answer) => answer === null)).toHaveLength(2);
    expect(answers.slice(-2)).toEqual([null, null]);
  });

  test('is closed with what waits: all of it is null, and all that comes later', async () => {
    const file = await stored(await photo(7, 5).png().toBuffer());
    const asked = [pictures.measure(file), pictures.measure(file)];
    const end = ended(await firstThread());
    await pictures.close();
    await end;
    expect(await Promise.all([...asked, pictures.measure(file)])).toEqual([null, null, null]);
    expect(threads).toHaveLength(1);
  });

  test('does not keep the process alive while it waits for pictures', async () => {
    const file = await stored(await photo(7, 5).png().toBuffer());
    const source = (name: string) => JSON.stringify(new URL(`../../../../src-main/${name}`, import.meta.url));
    const program = `
      const { createPictures } = await import(${source('untrusted/pictures/pictures.ts')});
      const { silentLog } = await import(${source('platform/log.ts')});
      console.log(JSON.stringify(await createPictures({ log: silentLog }).measure(${JSON.stringify(file)})));`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      timeout: 75_000,
    });
    expect((await run).stdout).toBe('{"width":7,"height":5}\n');
  });
});
