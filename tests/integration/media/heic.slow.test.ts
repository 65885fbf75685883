import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildPublicApp } from '../../../src-main/http/app.ts';
import { listeningPort } from '../../../src-main/http/listener.ts';
import { mediaEndpoint } from '../../../src-main/media/media-endpoint.ts';
import type { MediaStoreOptions } from '../../../src-main/media/media-on-disk.ts';
import { mediaFiles } from '../../../src-main/media/serve-routes.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { notNow } from '../../../src-main/untrusted/pictures/pictures.ts';
import { createPictures } from '../../../src-main/untrusted/pictures/pictures.ts';
import { jsonOf } from '../../support/answers.ts';
import { heic } from '../../support/heic-samples.ts';
import { month, newMediaStore, streamOf, withoutVersions } from '../../support/media-folder.ts';
import { drawing, leaksIn, withMetadata } from '../../support/picture-samples.ts';

// A thread that loads libvips takes long to start on a busy computer.
vi.setConfig({ testTimeout: 180_000 });

const pictures = createPictures({ log: silentLog });
afterAll(() => pictures.close());

/** The media endpoint over HTTP, with files on disk and the real decoder. */
async function endpoint(options: Partial<MediaStoreOptions> = {}) {
  const { store, dir } = await newMediaStore({ pictures, ...options });
  const changes: string[] = [];
  const files = mediaEndpoint({
    store,
    base: () => 'https://owner.example',
    authorize: () => Promise.resolve({ scopes: ['media'], app: 'https://app.example/', grantId: 'g' }),
    limitBytes: () => 1_000_000,
    deletedBy: () => Promise.resolve(),
    changed: (_file, change) => Promise.resolve(void changes.push(change)),
    now: () => 0,
  });
  const app = await buildPublicApp({
    log: silentLog,
    features: [files, mediaFiles(store, withoutVersions({ store, dir }))],
    closing: () => undefined,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const origin = `http://127.0.0.1:${listeningPort(app)}`;
  const send = (content: Buffer, name: string, type = '') => {
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(content)], { type }), name);
    return fetch(`${origin}/media`, { method: 'POST', body });
  };
  /** Sends a picture, and returns the response of its address. */
  const sent = async (content: Buffer, name = 'IMG_0001.HEIC', type = 'image/heic') => {
    const answer = await send(content, name, type);
    expect(answer.status, await answer.clone().text()).toBe(201);
    const address = new URL(answer.headers.get('location') ?? '');
    const got = await fetch(origin + address.pathname);
    return { address, got, bytes: Buffer.from(await got.arrayBuffer()) };
  };
  const left = () => readdir(join(dir, 'incoming')).catch(() => []);
  return { store, dir, changes, send, sent, left };
}

const red = [255, 0, 0];
const green = [0, 255, 0];
const blue = [0, 0, 255];
const white = [255, 255, 255];

/** The colors in the middle of a picture's quarters, in reading order: each channel either 0 or 255. */
async function quarters(jpeg: Buffer, within?: { width: number; height: number }): Promise<number[][]> {
  const whole = await sharp(jpeg, { failOn: 'error' }).metadata();
  const { width, height } = within ?? whole;
  const middle = (part: number, size: number) => Math.floor((size * (1 + 2 * part)) / 4);
  const colors: number[][] = [];
  for (const row of [0, 1])
    for (const column of [0, 1]) {
      const place = { left: middle(column, width), top: middle(row, height), width: 1, height: 1 };
      const pixel = await sharp(jpeg).extract(place).raw().toBuffer();
      colors.push([...pixel].map((value) => (value < 64 ? 0 : value > 191 ? 255 : value)));
    }
  return colors;
}

describe('P09 a phone’s HEIC photo', () => {
  test('becomes a JPEG: the app gets 201 and the address of a picture that browsers show', async () => {
    const { sent, store, changes, left } = await endpoint();
    const { address, got, bytes } = await sent(heic());
    expect(address.pathname).toMatch(/-img-0001\.jpg$/);
    expect(got.headers.get('content-type')).toBe('image/jpeg');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 64, height: 64 });
    expect(await quarters(bytes)).toEqual([red, green, blue, white]);
    expect((await store.list({ limit: 10 })).items).toMatchObject([
      { type: 'image/jpeg', kind: 'image', name: 'IMG_0001.jpg', width: 64, height: 64, bytes: bytes.length },
    ]);
    expect(changes).toEqual(['added']);
    expect(await left()).toEqual([]);
  });

  test.each([
    [0, [red, green, blue, white]],
    [1, [green, white, red, blue]],
    [2, [white, blue, green, red]],
    [3, [blue, red, white, green]],
  ] as const)('turned by %i quarters is shown upright', async (turns, expected) => {
    const { sent } = await endpoint();
    const { bytes } = await sent(heic({ turns }));
    expect(await quarters(bytes)).toEqual(expected);
    expect((await sharp(bytes).metadata()).orientation ?? 1).toBe(1);
  });

  test('that consists of tiles keeps its size, and its turn', async () => {
    const { sent } = await endpoint();
    const declared = { width: 180, height: 120 };
    const { bytes } = await sent(heic({ grid: { columns: 3, rows: 2 }, declared, turns: 1 }));
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 120, height: 180 });
    // The top left tile is the top right one before the turn, and is 52 pixels wide there.
    expect((await quarters(bytes, { width: 64, height: 64 }))[1]).toEqual(white);
  });

  test.each([true, false])(
    'a phone’s HEIC photo loses place and camera, whatever the setting (removal of metadata: %s)',
    async (removes) => {
      const withPlace = await withMetadata(drawing()).jpeg().toBuffer();
      const { exif, icc } = await sharp(withPlace).metadata();
      const photo = heic({ exif: exif!.subarray(6), profile: icc! });
      expect(leaksIn(photo)).toContain('place');
      const { sent } = await endpoint({ removeMetadata: () => removes });
      const { bytes } = await sent(photo);
      expect(leaksIn(bytes)).toEqual([]);
      const metadata = await sharp(bytes).metadata();
      expect(metadata.exif).toBeUndefined();
      expect(metadata.icc?.equals(icc!)).toBe(true);
    },
  );

  test('that is named and declared as a JPEG is converted', async () => {
    const { sent } = await endpoint();
    const { got, bytes } = await sent(heic(), 'photo.jpg', 'image/jpeg');
    expect(got.headers.get('content-type')).toBe('image/jpeg');
    expect(await quarters(bytes)).toEqual([red, green, blue, white]);
  });

  test('with several pictures shows its main picture', async () => {
    const { sent } = await endpoint();
    const { bytes } = await sent(heic({ more: 3 }));
    expect(await quarters(bytes)).toEqual([red, green, blue, white]);
  });

  test('with transparency is shown on white', async () => {
    const { sent } = await endpoint();
    const { bytes } = await sent(heic({ alpha: true }));
    // The transparency is the same picture, so white stays white, and blue is almost transparent.
    const [, , bottomLeft, bottomRight] = await quarters(bytes);
    expect(bottomRight).toEqual(white);
    expect(bottomLeft![0]).toBeGreaterThan(191);
  });
});

describe('a HEIC picture that can’t be converted', () => {
  const whole = heic({ grid: { columns: 3, rows: 2 } });
  test.each([
    ['is cut off', whole.subarray(0, whole.length - 90)],
    ['is cut off in its description', whole.subarray(0, 200)],
    ['contains nothing', Buffer.from('\0\0\0\u0018ftypheic\0\0\0\0mif1heic')],
    ['declares 30,000 by 30,000 pixels', heic({ declared: { width: 30_000, height: 30_000 } })],
    [
      'declares a grid of 30,000 by 30,000 pixels',
      heic({ grid: { columns: 2, rows: 2 }, declared: { width: 30_000, height: 30_000 } }),
    ],
    ['has a grid of 65,536 tiles', manyTiles()],
    ['has another codec', heic({ codec: 'av01' })],
    ['has a damaged frame', damaged()],
  ])(
    'a HEIC picture that %s gets 415 and is not stored, and the answer says what to send',
    async (_why, content) => {
      const { store, changes, send, sent, left } = await endpoint();
      for (const name of ['IMG_0001.HEIC', 'photo.jpg']) {
        const answer = await send(content, name);
        expect(answer.status).toBe(415);
        expect(answer.headers.get('location')).toBeNull();
        expect(await jsonOf(answer)).toMatchObject({
          error: 'invalid_request',
          error_description: expect.stringMatching(/as a JPEG.*Most Compatible/) as string,
        });
      }
      expect(await store.list({ limit: 10 })).toEqual({ items: [] });
      expect(changes).toEqual([]);
      expect(await left()).toEqual([]);
      // The next picture is converted.
      expect(await quarters((await sent(heic())).bytes)).toEqual([red, green, blue, white]);
    },
  );

  test('because its JPEG is larger than the limit gets 413 and is not stored', async () => {
    const photo = heic({ grid: { columns: 16, rows: 8 } });
    const { store, send, left } = await endpoint({ limitBytes: () => photo.length });
    const answer = await send(photo, 'a.heic');
    expect(answer.status).toBe(413);
    expect(await store.list({ limit: 10 })).toEqual({ items: [] });
    expect(await left()).toEqual([]);
  });

  test('because the computer is too busy gets 503, and is taken later', async () => {
    let isBusy = true;
    const busy: typeof pictures = {
      ...pictures,
      jpeg: (file, options) => (isBusy ? Promise.resolve(notNow) : pictures.jpeg(file, options)),
    };
    const { send, sent, left } = await endpoint({ pictures: busy });
    const answer = await send(heic(), 'a.heic');
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await left()).toEqual([]);
    isBusy = false;
    await sent(heic());
  });
});

test('an AVIF picture is stored as it is, also one whose first brand is HEIF’s', async () => {
  const avif = await drawing().avif().toBuffer();
  const general = Buffer.from(avif);
  general.write('mif1', 8, 'latin1');
  for (const picture of [avif, general]) {
    const { sent } = await endpoint();
    const { got, bytes } = await sent(picture, 'a.avif', 'image/avif');
    expect(got.headers.get('content-type')).toBe('image/avif');
    expect(bytes.equals(picture)).toBe(true);
  }
});

test('a HEIC photo from another server is converted as a stranger’s picture, and can be tried again', async () => {
  const asked: unknown[] = [];
  const { store } = await newMediaStore({
    pictures: {
      ...pictures,
      jpeg: (_file, { from }) => {
        asked.push(from);
        return Promise.resolve(notNow);
      },
    },
  });
  const copyOf = 'https://ann.example/photo.heic';
  await expect(store.add(streamOf(heic()), { copyOf })).rejects.toMatchObject({ status: 429 });
  expect(asked).toEqual([{ address: copyOf }]);
});

test('a HEIC photo that is in the folder already stays listed', async () => {
  const { dir, open } = await newMediaStore();
  await mkdir(join(dir, month), { recursive: true });
  await writeFile(join(dir, month, `${'a'.repeat(22)}-phone.heic`), heic());
  expect(await open().list({ limit: 10 })).toMatchObject({ items: [{ type: 'image/heic' }] });
});

test('a HEIC photo that comes back from an export of Porchlight is kept', async () => {
  const { store } = await newMediaStore();
  expect(await store.add(streamOf(heic()), { name: 'phone.heic', wasStored: true })).toMatchObject({
    type: 'image/heic',
  });
});

/** A grid whose number of tiles is far beyond what the file contains. */
function manyTiles(): Buffer {
  const photo = heic({ grid: { columns: 2, rows: 2 }, declared: { width: 7936, height: 7936 } });
  const grid = photo.indexOf(Buffer.from([0, 1, 1, 1, 0, 0, 0x1f, 0]));
  photo.writeUInt16BE(0xffff, grid + 2);
  return photo;
}

/** A picture whose frame is random data behind a genuine start. */
function damaged(): Buffer {
  const photo = heic();
  const start = photo.lastIndexOf('mdat') + 4;
  for (let at = start; at < photo.length; at += 1) photo[at] = (at * 37) & 0xff;
  return photo;
}
