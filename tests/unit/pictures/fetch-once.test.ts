import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { createFetchOnce, type FetchOnce } from '../../../src-main/pictures/fetch-once.ts';
import { FetchError, type FetchedResponse } from '../../../src-main/platform/guarded-fetch.ts';
import { patience } from '../../support/patience.ts';
import { readJsonFile, temporaryFolder } from '../../support/storage-folder.ts';

const minute = 60_000;
const day = 1440 * minute;
const url = 'https://bea.example/1.png';

const opened: FetchOnce[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((once) => once.stop()));
});

/** Opens a store of pictures whose other servers, and whose own disk, do what `world` says. */
async function open({ gives = true } = {}) {
  const file = join(await temporaryFolder(), 'waiting.json');
  const clock = { now: Date.parse('2026-11-20T12:00:00Z') };
  const kept = new Set<string>();
  const gone = new Map<string, string>();
  const asked: string[] = [];
  const warnings: unknown[] = [];
  let answers = 0;
  const world: {
    status: number;
    fetchError?: Error;
    keepError?: Error;
    hangs?: boolean;
    keeping?: Promise<void>;
  } = { status: 200 };
  const once = createFetchOnce({
    file,
    ...{ schedule: 'postPicture', maxBytes: 1000, timeoutMs: 1000, places: { all: 4, ofSite: 2 } },
    now: () => clock.now,
    log: { warn: (about: unknown) => void warnings.push(about) },
    fetch: async (address, { signal } = {}) => {
      asked.push(address);
      if (world.hangs === true) await new Promise((_done, fail) => signal?.addEventListener('abort', fail));
      if (world.fetchError) throw world.fetchError;
      await Promise.resolve();
      return { status: world.status } as FetchedResponse;
    },
    has: (address) => Promise.resolve(kept.has(address)),
    keep: async (picture) => {
      await world.keeping;
      if (world.keepError) throw world.keepError;
      kept.add(picture.url);
    },
    ...(gives && { givenUp: (address, why) => Promise.resolve(void gone.set(address, why)) }),
  });
  opened.push(once);
  const listed = async () => {
    const { waiting } = (await readJsonFile(file)) as {
      waiting: { url: string; tries: number; next: number }[];
    };
    return waiting;
  };
  /** Waits until the list on disk is `expected`. */
  const until = (expected: (list: Awaited<ReturnType<typeof listed>>) => boolean) =>
    vi.waitUntil(async () => expected(await listed()), patience);
  /** Resumes the work, and waits until as many requests as `more` were made. */
  const resumed = async (more: number) => {
    answers = asked.length + more;
    await once.resume();
    await vi.waitUntil(() => asked.length >= answers, patience);
  };
  return { once, clock, kept, gone, asked, warnings, world, listed, until, resumed };
}

describe('a picture', () => {
  test('is fetched once, and leaves the list', async () => {
    const { once, kept, asked, until } = await open();
    await Promise.all([once.want([url, url]), once.want([url])]);
    await until((list) => list.length === 0);
    await once.want([url]);
    expect([...kept]).toEqual([url]);
    expect(asked).toEqual([url]);
  });

  test('that is stored meanwhile is not fetched', async () => {
    const { once, clock, kept, asked, world, until } = await open();
    world.status = 503;
    await once.want([url]);
    await until(([one]) => one?.tries === 1);
    kept.add(url);
    clock.now += minute;
    await once.resume();
    await until((list) => list.length === 0);
    expect(asked).toEqual([url]);
  });

  test('at something that is no URL is not listed', async () => {
    const { once, asked, until } = await open();
    await once.want(['nothing', url]);
    await until((list) => list.length === 0);
    expect(asked).toEqual([url]);
  });
});

describe('a failure', () => {
  test.each([
    ['a busy server', { status: 503 }],
    ['a server that asks for patience', { status: 429 }],
    ['no connection', { status: 0, fetchError: new FetchError('fetch_timeout') }],
    ['something unknown', { status: 0, fetchError: new Error('socket') }],
    [
      'a busy decoder',
      { status: 200, keepError: new PorchlightError('temporarily_unavailable', 'Later.', 429) },
    ],
  ])('of %s may pass: the next attempt follows in a minute', async (_, trouble) => {
    const { once, clock, gone, world, listed, until } = await open();
    Object.assign(world, trouble);
    await once.want([url]);
    await until(([one]) => one?.tries === 1);
    expect(await listed()).toEqual([{ url, tries: 1, next: clock.now + minute }]);
    expect(gone.size).toBe(0);
  });

  test.each([
    ['a missing picture', { status: 404 }, 'The other server answered with status 404.'],
    [
      'a refused address',
      { status: 0, fetchError: new FetchError('fetch_refused_address') },
      expect.any(String),
    ],
    [
      'a page',
      { status: 200, keepError: new PorchlightError('invalid_request', 'No picture.', 415) },
      'No picture.',
    ],
  ])('of %s is final', async (_, trouble, why) => {
    const { once, gone, world, until } = await open();
    Object.assign(world, trouble);
    await once.want([url]);
    await until((list) => list.length === 0);
    expect(gone.get(url)).toEqual(why);
  });

  test.each([
    ['an error of the disk', new Error('ENOSPC')],
    ['a full disk', new PorchlightError('storage_full', 'Full.', 507)],
  ])('of this computer (%s) counts as no attempt, and the next follows in ten minutes', async (_, error) => {
    const { once, clock, asked, warnings, world, listed, until, resumed } = await open();
    world.keepError = error;
    await once.want([url]);
    await vi.waitUntil(() => warnings.length === 1, patience);
    clock.now += 10 * minute - 1;
    await once.resume();
    expect(asked).toHaveLength(1);
    expect(await listed()).toMatchObject([{ url, tries: 0 }]);
    delete world.keepError;
    clock.now += 1;
    await resumed(1);
    await until((list) => list.length === 0);
    expect(asked).toHaveLength(2);
  });

  test('that a wrong clock dated 400 days ahead keeps no picture waiting', async () => {
    const { once, clock, world, until, resumed } = await open();
    clock.now += 400 * day;
    world.status = 503;
    await once.want([url]);
    await until(([one]) => one?.tries === 1);
    clock.now -= 400 * day;
    world.status = 200;
    await resumed(1);
    await until((list) => list.length === 0);
  });
});

describe('where nobody is told what was given up', () => {
  test('a missing picture is asked for again, and stays listed in the end', async () => {
    const { once, clock, asked, world, listed, until, resumed } = await open({ gives: false });
    world.status = 404;
    await once.want([url]);
    for (const tries of [1, 2, 3, 4, 5, 6]) {
      await until(([one]) => one?.tries === tries);
      clock.now += day;
      if (tries < 6) await resumed(1);
    }
    await once.resume();
    await once.want([url]);
    expect(asked).toHaveLength(6);
    expect(await listed()).toMatchObject([{ url, tries: 6 }]);
  });

  test('a server in trouble is left alone for ten minutes, with all of its pictures', async () => {
    const other = 'https://bea.example/2.png';
    const { once, clock, asked, world, until, resumed } = await open({ gives: false });
    world.status = 500;
    await once.want([url, other]);
    await until(([one]) => one?.tries === 1);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await once.resume();
    expect(timers.mock.calls.map(([, ms]) => ms)).toContain(10 * minute);
    timers.mockRestore();
    expect(asked).toEqual([url]);
    clock.now += 10 * minute;
    world.status = 200;
    await resumed(2);
    expect(asked.slice(1).toSorted()).toEqual([url, other]);
    await until((list) => list.length === 0);
  });
});

test('a fetch that was stopped is no failed attempt', async () => {
  const { once, asked, world, listed } = await open();
  world.hangs = true;
  await once.want([url]);
  await vi.waitUntil(() => asked.length === 1, patience);
  await once.stop();
  expect(await listed()).toMatchObject([{ url, tries: 0 }]);
});

test('a picture whose decoding is closed after an interruption counts no attempt', async () => {
  const { once, asked, world, listed, until } = await open();
  let close: (error: Error) => void = () => undefined;
  world.keeping = new Promise((_done, fail) => (close = fail));
  await once.want([url]);
  await vi.waitUntil(() => asked.length === 1, patience);
  once.interrupt();
  close(new PorchlightError('busy', 'The pictures are closed.', 429));
  await once.stop();
  await until((list) => list.length === 1);
  expect(await listed()).toMatchObject([{ url, tries: 0 }]);
});
