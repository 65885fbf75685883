import { createHash } from 'node:crypto';
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Fastify from 'fastify';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createGuardedFetch, type GuardedFetch } from '../../../../src-main/platform/guarded-fetch.ts';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { createPictures, type Pictures } from '../../../../src-main/untrusted/pictures/pictures.ts';
import { workTable } from '../../../../src-main/storage/work/work-rows.ts';
import type { WorkQueue } from '../../../../src-main/storage/work/work.ts';
import {
  createMentionPictures,
  type MentionPictures,
  type MentionPicturesDeps,
} from '../../../../src-main/mentions/receiving/pictures.ts';
import { openSite, type Page, type Site } from '../../../support/client-app.ts';
import { photo } from '../../../support/pictures.ts';
import { withMetadata } from '../../../support/picture-samples.ts';
import { memoryRecords } from '../../../support/memory-records.ts';
import { memoryWork } from '../../../support/memory-work.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';
import { workIn } from '../../../support/work-rows.ts';
import { patience } from '../../../support/patience.ts';

const day = 86_400_000;

/** As long as a busy computer takes. */
const until = <T>(what: () => T) => vi.waitUntil(what, { timeout: 75_000 });

let site: Site;
let dir: string;
let now: number;
let decoder: Pictures | undefined;
let records: ReturnType<typeof memoryRecords>;
let queue: WorkQueue | undefined;

/** Answers nothing until the queue stops. */
const hanging: GuardedFetch = (_url, { signal } = {}) =>
  new Promise((_done, fail) => {
    if (signal?.aborted === true) fail(new Error('aborted'));
    signal?.addEventListener('abort', fail);
  });

/** Makes of every picture its first bytes: what decoding does has its own tests. */
const quick: Pick<Pictures, 'thumbnail'> = {
  thumbnail: () => Promise.resolve(Buffer.from('small')),
};

/** Opens the pictures, as after a start. */
async function open(over: Partial<MentionPicturesDeps> = {}): Promise<MentionPictures> {
  const fetch = createGuardedFetch({ allowPrivate: true, userAgent: 'Porchlight/test' });
  const { work } = await memoryWork({ records, now: () => now });
  queue = work;
  const made = createMentionPictures({
    dir,
    work,
    fetch,
    pictures: quick,
    now: () => now,
    log: silentLog,
    ...over,
  });
  work.start();
  return made;
}

const bytes =
  (body: Uint8Array | string, status = 200): Page =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'image/png' }).end(body);

const askedFor = (path: string) => site.requests.filter((line) => line === `GET ${path}`).length;
const nameOf = (url: string) => createHash('sha256').update(url).digest('hex');
const fileOf = (url: string) => join(dir, 'pictures', `${nameOf(url)}.webp`);
const there = (pictures: MentionPictures, url: string) => until(() => pictures.shown(url));

beforeEach(async () => {
  site = await openSite();
  dir = await temporaryFolder();
  records = memoryRecords([workTable]);
  now = Date.parse('2026-11-21T12:00:00Z');
});

afterEach(async () => {
  await queue?.stop();
  await decoder?.close();
  decoder = undefined;
  await site.close();
});

describe('pictures that mentions name', () => {
  test('are fetched once, made small and still, and lose all metadata', async () => {
    decoder = createPictures({ log: silentLog });
    const original = await withMetadata(photo(800, 600)).jpeg().toBuffer();
    site.pages.set('/me.jpg', bytes(original));
    site.pages.set('/photo.jpg', bytes(original));
    const pictures = await open({ pictures: decoder });
    const avatar = `${site.origin}/me.jpg`;
    const large = `${site.origin}/photo.jpg`;
    await Promise.all([pictures.request([avatar, avatar]), pictures.request([large], 'photo')]);
    expect(await there(pictures, avatar)).toBe(`/webmention-pictures/${nameOf(avatar)}.webp`);
    await there(pictures, large);
    for (const [url, width, height] of [
      [avatar, 96, 72],
      [large, 480, 360],
    ] as const) {
      const about = await sharp(fileOf(url)).metadata();
      expect(about).toMatchObject({ format: 'webp', width, height });
      expect([about.exif, about.xmp, about.icc, about.pages]).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
    }
    const text = await pictures.dataUrl(avatar);
    expect(text).toMatch(/^data:image\/webp;base64,/);
    await pictures.request([avatar]);
    // A site is asked for one picture at a time, so this one comes after whatever is asked for the first.
    site.pages.set('/next.jpg', bytes(original));
    await pictures.request([`${site.origin}/next.jpg`]);
    await there(pictures, `${site.origin}/next.jpg`);
    expect(askedFor('/me.jpg')).toBe(1);
    // A picture is here before the list of those that wait knows so.
    const leftOver = async () =>
      (await readdir(join(dir, 'pictures'))).filter((name) => !/\.(webp|json|previous)$/.test(name));
    await vi.waitUntil(async () => (await leftOver()).length === 0, { timeout: 75_000 });
  });

  test('a requested picture that is missing is wanted, also after a restart', async () => {
    site.pages.set('/a.png', bytes('a'));
    const url = `${site.origin}/a.png`;
    const first = await open();
    expect(await first.shown(url)).toBe(undefined);
    expect(await first.dataUrl(url)).toBe(null);
    await there(first, url);
    await queue?.stop();
    expect(await (await open()).shown(url)).toBe(`/webmention-pictures/${nameOf(url)}.webp`);
    expect(askedFor('/a.png')).toBe(1);
  });

  test('pictures that were wanted before a stop are fetched after it, and leftovers of a kill are deleted', async () => {
    const url = `${site.origin}/late.png`;
    site.pages.set('/late.png', () => undefined); // hangs
    const first = await open();
    await first.request([url]);
    await until(() => askedFor('/late.png') === 1);
    await queue?.stop();
    const left = join(dir, 'pictures', `${nameOf(url)}.fetched`);
    await mkdir(join(dir, 'pictures'));
    await writeFile(left, 'half');
    site.pages.set('/late.png', bytes('late'));
    await open();
    await until(() => stat(fileOf(url)).then(Boolean, () => false));
    await expect(stat(left)).rejects.toThrow('ENOENT');
  });

  test.each([
    ['a server in trouble', bytes('', 503)],
    ['no picture', bytes('<p>', 404)],
  ])('%s is asked again after a day, five times in all', async (_what, answer) => {
    site.pages.set('/busy.png', answer);
    const url = `${site.origin}/busy.png`;
    const pictures = await open();
    await pictures.request([url]);
    for (let tries = 1; tries <= 5; tries++) {
      await until(() => triesOf(url) === tries || isGivenUp(url));
      expect(askedFor('/busy.png')).toBe(tries);
      now += day - 1;
      queue?.wake();
      await pictures.shown(url);
      expect(askedFor('/busy.png')).toBe(tries);
      now += 1;
      queue?.wake();
    }
    now += 100 * day;
    queue?.wake();
    await pictures.request([url]);
    // A site is asked for one picture at a time, so this one comes after a sixth attempt.
    site.pages.set('/next.png', bytes('x'));
    await pictures.request([`${site.origin}/next.png`]);
    await until(() => askedFor('/next.png') === 1);
    expect(askedFor('/busy.png')).toBe(5);
  });

  test('a picture that cannot be decoded or is too large is not kept', async () => {
    decoder = createPictures({ log: silentLog });
    site.pages.set('/page', bytes('<!doctype html><p>no picture</p>'));
    site.pages.set('/large', bytes(Buffer.alloc(5_000_001)));
    const pictures = await open({ pictures: decoder });
    for (const path of ['/page', '/large']) {
      const url = site.origin + path;
      await pictures.request([url]);
      now += 600_000; // a server that sent too much rests for a while
      queue?.wake();
      await until(() => triesOf(url) === 1);
      expect(await pictures.shown(url)).toBe(undefined);
    }
  });

  test('one server is asked for one picture at a time', async () => {
    const others = await Promise.all(['127.0.0.2', '127.0.0.3'].map((host) => openSite(host)));
    const waiting: (() => void)[] = [];
    const answered: string[] = [];
    for (const one of [site, ...others])
      for (const path of ['/1.png', '/2.png'])
        one.pages.set(
          path,
          (request, response) =>
            void waiting.push(() => {
              if (one === site) answered.push(path);
              bytes('x')(request, response);
            }),
        );
    const all = [site, ...others];
    const urls = all.flatMap(({ origin }) => [`${origin}/1.png`, `${origin}/2.png`]);
    const pictures = await open();
    await pictures.request(urls);
    for (let served = 0; served < urls.length; served++) {
      await until(() => waiting.length > 0);
      expect(site.requests.length).toBeLessThanOrEqual(answered.length + 1);
      waiting.shift()?.();
      await until(async () => (await countOnDisk()) === served + 1);
    }
    expect(site.requests).toEqual(['GET /1.png', 'GET /2.png']);
    await Promise.all(others.map((one) => one.close()));
  });

  test('six servers that hang delay no other picture', async () => {
    const hanging = await Promise.all(Array.from({ length: 6 }, () => openSite()));
    for (const one of hanging) one.pages.set('/1.png', () => undefined);
    site.pages.set('/face.png', bytes('x'));
    const pictures = await open();
    await pictures.request(hanging.map(({ origin }) => `${origin}/1.png`));
    await until(() => hanging.every(({ requests }) => requests.length === 1));
    await pictures.request([`${site.origin}/face.png`]);
    // The others hang for ten seconds.
    await vi.waitUntil(() => askedFor('/face.png') === 1, patience);
    await queue?.stop();
    await Promise.all(hanging.map((one) => one.close()));
  });

  test('one site’s pictures can’t fill the list: those of others find a place', async () => {
    const pictures = await open({ fetch: hanging });
    await pictures.request(
      Array.from({ length: 2000 }, (_, index) => `https://n${index}.mallory.example/${index}.png`),
    );
    const friends = ['https://friend.example/face.png', 'https://bea.example/face.png'];
    await pictures.request(friends);
    const urls = notes().map(({ url }) => url);
    expect(urls).toHaveLength(2000);
    expect(urls).toEqual(expect.arrayContaining(friends));
  });

  test('the owner’s own network gets no request for a picture, and neither does anything that isn’t a web address', async () => {
    const fetch = createGuardedFetch({ allowPrivate: false, userAgent: 'Porchlight/test' });
    const pictures = await open({ fetch });
    const refused = `${site.origin}/router.png`;
    const odd = [
      'javascript:alert(1)',
      'data:image/png;base64,AA',
      'file:///etc/passwd',
      '/a.png',
      '',
      'https://a:b@c.example/',
    ];
    await pictures.request([...odd, `https://a.example/${'a'.repeat(3000)}`, refused]);
    await until(() => triesOf(refused) === 1);
    for (const url of odd) expect(await pictures.shown(url)).toBe(undefined);
    expect(site.requests).toEqual([]);
    expect(notes()).toEqual([{ url: refused, tries: 1, state: 'waiting' }]);
  });

  test('only a limited number of wanted pictures is recorded', async () => {
    const pictures = await open({ fetch: hanging });
    await pictures.request(Array.from({ length: 5000 }, (_, index) => `https://a.example/${index}.png`));
    expect(notes()).toHaveLength(2000);
  });

  test('if no more can be recorded, failed ones make room', async () => {
    let refuses = true;
    const pictures = await open({
      fetch: (url, options) => (refuses ? Promise.reject(new Error('no')) : hanging(url, options)),
    });
    const failed = ['https://dead-1.example/1.png', 'https://dead-2.example/2.png'];
    await pictures.request(failed);
    for (const url of failed) await until(() => triesOf(url) === 1);
    refuses = false;
    await pictures.request(Array.from({ length: 1998 }, (_, index) => `https://a-${index}.example/face.png`));
    await pictures.request(['https://friend.example/face.png']);
    const urls = notes().map(({ url }) => url);
    expect(urls).toHaveLength(2000);
    expect(urls).toContain('https://friend.example/face.png');
    expect(urls).not.toEqual(expect.arrayContaining(failed));
  });

  test('past the limit those not used for longest go', async () => {
    const thumbnail = () => Promise.resolve(Buffer.alloc(1000));
    const pictures = await open({ pictures: { thumbnail }, mostBytes: 5000 });
    const urls = Array.from({ length: 5 }, (_, index) => `${site.origin}/${index}.png`);
    for (const [index, url] of urls.entries()) {
      site.pages.set(`/${index}.png`, bytes('x'));
      await pictures.request([url]);
      await there(pictures, url);
      const at = new Date(now - (10 - index) * day);
      await utimes(fileOf(url), at, at);
    }
    expect(await pictures.shown(urls[0]!)).toBeDefined(); // used now
    const last = `${site.origin}/last.png`;
    site.pages.set('/last.png', bytes('x'));
    await pictures.request([last]);
    await there(pictures, last);
    await until(async () => (await countOnDisk()) === 4);
    const left = new Set(await readdir(join(dir, 'pictures')));
    expect(urls.map((url) => left.has(`${nameOf(url)}.webp`))).toEqual([true, false, false, true, true]);
  });
});

test('a copy is public for good, and can only be viewed', async () => {
  site.pages.set('/a.png', bytes('a'));
  const url = `${site.origin}/a.png`;
  const pictures = await open();
  await pictures.request([url]);
  const path = (await there(pictures, url))!;
  const app = Fastify();
  await app.register(pictures.routes);
  const answer = await app.inject(path);
  expect(answer.body).toBe('small');
  expect(answer.headers).toMatchObject({
    'content-type': 'image/webp',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  const missing = [nameOf('other'), `${nameOf(url)}x`, '..%2fwaiting', '..%2f..%2fsequence', 'waiting'];
  for (const name of missing) {
    const { statusCode, headers } = await app.inject(`/webmention-pictures/${name}.webp`);
    expect([name, statusCode, headers['cache-control']]).toEqual([name, 404, undefined]);
  }
  await app.close();
});

const notes = () =>
  workIn(records).map(({ payload, tries, state }) => ({ url: payload['url'], tries, state }));

const isGivenUp = (url: string) => notes().find((one) => one.url === url)?.state === 'given-up';

const triesOf = (url: string) => notes().find((one) => one.url === url)?.tries;

const countOnDisk = async () =>
  (await readdir(join(dir, 'pictures')).catch(() => [])).filter((name) => name.endsWith('.webp')).length;
