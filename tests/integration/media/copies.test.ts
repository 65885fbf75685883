import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { createCopies } from '../../../src-main/media/part.ts';
import type { MediaFile, NewMedia } from '../../../src-main/media/media-store.ts';
import { createGuardedFetch } from '../../../src-main/platform/guarded-fetch.ts';
import { workTable } from '../../../src-main/storage/work/work-rows.ts';
import type { WorkQueue } from '../../../src-main/storage/work/work.ts';
import { openSite, page, type Site } from '../../support/client-app.ts';
import { memoryRecords } from '../../support/memory-records.ts';
import { memoryWork } from '../../support/memory-work.ts';
import { patience } from '../../support/patience.ts';
import { workIn } from '../../support/work-rows.ts';

const png = { 'content-type': 'image/png' };
const hour = 3_600_000;

/** A store that keeps files in memory. It believes the type that it is told. */
function memoryStore() {
  const files = new Map<string, MediaFile>();
  return {
    files,
    async add(content: AsyncIterable<Uint8Array>, { name = '', claimedType = '', copyOf }: NewMedia) {
      let bytes = 0;
      for await (const chunk of content) bytes += chunk.length;
      if (claimedType.startsWith('text/html')) throw new PorchlightError('invalid_request', 'No.', 415);
      const kind =
        (['image', 'video', 'audio'] as const).find((one) => claimedType.startsWith(one)) ??
        ('document' as const);
      const path = `/media/2026/11/${files.size}-${name}`;
      const rest = { kind, bytes, width: null, height: null, uploadedAt: '2026-11-21T00:00:00.000Z' };
      const file = { path, name, type: claimedType, copyOf: copyOf ?? null, ...rest };
      files.set(path, file);
      return file;
    },
    copyOf: (url: string) => Promise.resolve([...files.values()].find((file) => file.copyOf === url)),
    wasCopyDeleted: () => Promise.resolve(false),
    delete: (path: string) => {
      const file = files.get(path);
      files.delete(path);
      return file ? Promise.resolve(file) : Promise.reject(new PorchlightError('invalid_request', 'None.'));
    },
  };
}

let site: Site;
let records: ReturnType<typeof memoryRecords>;
let queue: WorkQueue;
let store: ReturnType<typeof memoryStore>;
let now: number;

/** Opens the copies, as after a start. */
async function open(allowPrivate = true, changed = () => undefined) {
  const fetch = createGuardedFetch({ allowPrivate, userAgent: 'Porchlight/test' });
  queue = (await memoryWork({ records, now: () => now })).work;
  const copies = createCopies(queue, fetch, store, changed);
  queue.start();
  return copies;
}

beforeEach(async () => {
  site = await openSite();
  records = memoryRecords([workTable]);
  store = memoryStore();
  now = Date.parse('2026-11-21T12:00:00Z');
});

afterEach(async () => {
  await queue.stop();
  await site.close();
});

const askedFor = (path: string) => site.requests.filter((line) => line === `GET ${path}`).length;

describe('pictures that posts name by their address', () => {
  test('a listener learns of a copy when it can be shown', async () => {
    site.pages.set('/a.png', page('picture', png));
    const url = `${site.origin}/a.png`;
    const found: Promise<unknown>[] = [];
    const copies: Awaited<ReturnType<typeof open>> = await open(
      true,
      () => void found.push(copies.copyOf(url)),
    );
    await copies.request([url]);
    await vi.waitUntil(() => found.length > 0, patience);
    expect(await found[0]).toMatchObject({ copyOf: url });
  });

  test('MP-25 a picture is fetched once, and its copy is known after a restart', async () => {
    site.pages.set('/cat%20one.png', page('picture', png));
    const url = `${site.origin}/cat%20one.png`;
    const first = await open();
    await Promise.all([first.request([url, url]), first.request([url])]);
    const copy = await vi.waitUntil(() => first.copyOf(url), patience);
    expect(copy).toMatchObject({ name: 'cat one.png', copyOf: url, bytes: 7 });
    await first.request([url]);
    await queue.stop();

    const second = await open();
    expect(await second.copyOf(url)).toEqual(copy);
    await second.request([url]);
    expect(askedFor('/cat%20one.png')).toBe(1);
  });

  test.each(['video/mp4', 'audio/mpeg'])('a file of the type %s is copied, too', async (type) => {
    site.pages.set('/rain', page('rain', { 'content-type': type }));
    const copies = await open();
    await copies.request([`${site.origin}/rain`]);
    const copy = await vi.waitUntil(() => copies.copyOf(`${site.origin}/rain`), patience);
    expect(copy.type).toBe(type);
  });

  test('copies that were wanted before a kill are fetched after it', async () => {
    const url = `${site.origin}/late.png`;
    site.pages.set('/late.png', () => undefined); // hangs
    const first = await open();
    await first.request([url]);
    await vi.waitUntil(() => askedFor('/late.png') === 1, patience);
    await queue.stop();
    site.pages.set('/late.png', page('picture', png));
    const second = await open();
    await vi.waitUntil(() => second.copyOf(url), patience);
    expect(store.files.size).toBe(1);
  });

  test('a copy that was stored just before a kill is not stored again', async () => {
    const url = `${site.origin}/a.png`;
    site.pages.set('/a.png', () => undefined); // hangs
    const first = await open();
    await first.request([url]);
    await vi.waitUntil(() => askedFor('/a.png') === 1, patience);
    await queue.stop();
    await store.add(ofBytes('picture'), { name: 'a.png', claimedType: 'image/png', copyOf: url });
    await open();
    await vi.waitUntil(isOver, patience);
    expect(store.files.size).toBe(1);
    expect(askedFor('/a.png')).toBe(1);
  });

  test('a server in trouble is asked again later, with growing pauses, and in the end no more', async () => {
    const url = `${site.origin}/busy.png`;
    site.pages.set('/busy.png', page('', {}, 503));
    let tries = 0;
    const copies = await open();
    await copies.request([url]);
    for (const pause of [0, hour / 60, hour / 6, hour, 6 * hour, 24 * hour]) {
      now += pause;
      await vi.waitUntil(() => {
        queue.wake();
        return askedFor('/busy.png') > tries;
      }, patience);
      tries = askedFor('/busy.png');
      // The next pause counts from when the failure is written down, so the clock stands still until then.
      await vi.waitUntil(() => workIn(records)[0]?.tries === tries || isOver(), patience);
    }
    expect(tries).toBe(6);
    now += 1000 * hour;
    await vi.waitUntil(isOver, patience);
    queue.wake();
    expect(askedFor('/busy.png')).toBe(6);
  });

  test.each([
    ['a page', page('<p>no</p>')],
    ['a document', page('pages', { 'content-type': 'application/pdf' })],
    ['nothing', page('', {}, 404)],
  ])('%s is not kept, and not asked for again until a change wants it', async (_what, answer) => {
    site.pages.set('/thing', answer);
    const url = `${site.origin}/thing`;
    const copies = await open();
    await copies.request([url]);
    await vi.waitUntil(isOver, patience);
    now += 1000 * hour;
    queue.wake();
    expect(await copies.copyOf(url)).toBeUndefined();
    expect(store.files.size).toBe(0);
    expect(askedFor('/thing')).toBe(1);
    await copies.request([url]);
    await vi.waitUntil(() => askedFor('/thing') === 2, patience);
  });

  test('the owner’s own network gets no request for a picture of a post', async () => {
    site.pages.set('/router.png', page('secret', png));
    const copies = await open(false);
    await copies.request([
      `${site.origin}/router.png`,
      'http://[::ffff:127.0.0.1]/x.png',
      'http://169.254.169.254/',
    ]);
    await vi.waitUntil(isOver, patience);
    expect(site.requests).toEqual([]);
    expect(store.files.size).toBe(0);
  });

  test('a copy that was deleted is no copy any more', async () => {
    site.pages.set('/a.png', page('picture', png));
    const url = `${site.origin}/a.png`;
    const copies = await open();
    await copies.request([url]);
    const copy = await vi.waitUntil(() => copies.copyOf(url), patience);
    await store.delete(copy.path);
    expect(await copies.copyOf(url)).toBeUndefined();
  });
});

async function* ofBytes(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}

/** Returns whether nothing is left in the queue. */
const isOver = () => workIn(records).length === 0;
