import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { createFetchOnce } from '../../../src-main/media/fetch-once.ts';
import { FetchError, type FetchedResponse } from '../../../src-main/platform/guarded-fetch.ts';
import { workTable } from '../../../src-main/storage/work/work-rows.ts';
import { memoryRecords } from '../../support/memory-records.ts';
import { memoryWork } from '../../support/memory-work.ts';
import { patience } from '../../support/patience.ts';
import { workIn } from '../../support/work-rows.ts';

const minute = 60_000;
const day = 1440 * minute;
const url = 'https://bea.example/1.png';

/**
 * Opens a store of pictures whose other servers, and whose own disk, do what `world` says. `gives`: whether it is told
 * what was given up.
 */
async function open({ gives = true } = {}) {
  const records = memoryRecords([workTable]);
  const clock = { now: Date.parse('2026-11-20T12:00:00Z') };
  const kept = new Set<string>();
  const gone: string[] = [];
  const asked: string[] = [];
  const failures: unknown[] = [];
  const world: {
    status: number;
    fetchError?: Error;
    keepError?: Error;
    hangs?: boolean;
    keeping?: Promise<void>;
  } = { status: 200 };
  const { work: queue } = await memoryWork({
    records,
    now: () => clock.now,
    log: { error: (about) => void failures.push(about), warn: () => undefined },
  });
  const once = createFetchOnce({
    work: queue,
    kind: 'test-picture',
    schedule: 'postPicture',
    maxBytes: 1000,
    timeoutMs: 1000,
    places: { all: 4, ofSite: 2 },
    retriesAll: !gives,
    fetch: async (address, { signal } = {}) => {
      asked.push(address);
      if (world.hangs === true) await new Promise((_done, fail) => signal?.addEventListener('abort', fail));
      if (world.fetchError) throw world.fetchError;
      await Promise.resolve();
      return { status: world.status } as FetchedResponse;
    },
    has: (address) => kept.has(address),
    async keep(picture) {
      await world.keeping;
      if (world.keepError) throw world.keepError;
      kept.add(picture.url);
      return undefined;
    },
    ...(gives && { gaveUp: (address) => () => void gone.push(address) }),
  });
  queue.start();
  onTestFinished(() => queue.stop());
  const listed = () => workIn(records);
  /** Waits until the list on disk is `expected`. */
  const until = (expected: (list: ReturnType<typeof listed>) => boolean) =>
    vi.waitUntil(() => expected(listed()), patience);
  /** Looks for due work, and waits until as many requests as `more` were made. */
  const resumed = async (more: number) => {
    const answers = asked.length + more;
    queue.wake();
    await vi.waitUntil(() => asked.length >= answers, patience);
  };
  return { once, queue, records, clock, kept, gone, asked, failures, world, listed, until, resumed };
}

describe('a picture', () => {
  test('is fetched once, and leaves the list', async () => {
    const { once, kept, asked, until } = await open();
    await Promise.all([once.request([url, url]), once.request([url])]);
    await until((list) => list.length === 0);
    await once.request([url]);
    expect([...kept]).toEqual([url]);
    expect(asked).toEqual([url]);
  });

  test('a file that is stored in the meantime is not fetched', async () => {
    const { once, queue, clock, kept, asked, world, until } = await open();
    world.status = 503;
    await once.request([url]);
    await until(([one]) => one?.tries === 1);
    kept.add(url);
    clock.now += minute;
    queue.wake();
    await until((list) => list.length === 0);
    expect(asked).toEqual([url]);
  });

  test('at something that is no URL is not listed', async () => {
    const { once, asked, until } = await open();
    await once.request(['nothing', url]);
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
    await once.request([url]);
    await until(([one]) => one?.tries === 1);
    expect(listed()).toMatchObject([{ payload: { url }, tries: 1, due: clock.now + minute }]);
    expect(gone).toEqual([]);
  });

  test.each([
    ['a missing picture', { status: 404 }],
    ['a refused address', { status: 0, fetchError: new FetchError('fetch_refused_address') }],
    ['a page', { status: 200, keepError: new PorchlightError('invalid_request', 'No picture.', 415) }],
  ])('of %s is final', async (_, trouble) => {
    const { once, gone, world, until } = await open();
    Object.assign(world, trouble);
    await once.request([url]);
    await until((list) => list.length === 0);
    expect(gone).toEqual([url]);
  });

  test.each([
    ['an error of the disk', new Error('ENOSPC')],
    ['a full disk', new PorchlightError('storage_full', 'Full.', 507)],
  ])('of this computer (%s) counts as no attempt, and the next follows in ten minutes', async (_, error) => {
    const { once, queue, clock, asked, failures, world, listed, until, resumed } = await open();
    world.keepError = error;
    await once.request([url]);
    await vi.waitUntil(() => failures.length === 1, patience);
    clock.now += 10 * minute - 1;
    queue.wake();
    expect(asked).toHaveLength(1);
    expect(listed()).toMatchObject([{ payload: { url }, tries: 0 }]);
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
    await once.request([url]);
    await until(([one]) => one?.tries === 1);
    clock.now -= 400 * day;
    world.status = 200;
    await resumed(1);
    await until((list) => list.length === 0);
  });
});

test('a picture whose entry can’t be read is set aside, and fetched when it is wanted again', async () => {
  const { once, queue, records, clock, asked, kept, world, until } = await open();
  world.status = 503;
  await once.request([url]);
  await until(([one]) => one?.tries === 1);
  await records.write(({ run }) => run(`UPDATE work SET payload = '{"url":7}'`));
  clock.now += minute;
  world.status = 200;
  queue.wake();
  await until(([one]) => one?.state === 'unreadable');
  expect(asked).toHaveLength(1);
  await once.request([url]);
  await until((list) => list.length === 0);
  expect([...kept]).toEqual([url]);
});

describe('without a listener for failures', () => {
  test('a missing picture is asked for again, and stays listed in the end', async () => {
    const { once, queue, clock, asked, world, listed, until, resumed } = await open({ gives: false });
    world.status = 404;
    await once.request([url]);
    for (const tries of [1, 2, 3, 4, 5]) {
      await until(([one]) => one?.tries === tries);
      clock.now += day;
      await resumed(1);
    }
    await until(([one]) => one?.state === 'given-up');
    queue.wake();
    await once.request([url]);
    expect(asked).toHaveLength(6);
    expect(listed()).toMatchObject([{ payload: { url }, state: 'given-up' }]);
  });

  test('a server in trouble is left alone for ten minutes, with all of its pictures', async () => {
    const other = 'https://bea.example/2.png';
    const { once, queue, clock, asked, world, until, resumed } = await open({ gives: false });
    world.status = 500;
    await once.request([url, other]);
    await until(([one]) => one?.tries === 1);
    clock.now += 10 * minute - 1;
    world.status = 200;
    queue.wake();
    await once.request(['https://ann.example/3.png']);
    await vi.waitUntil(() => asked.length === 2, patience);
    expect(asked).toEqual([url, 'https://ann.example/3.png']);
    clock.now += 1;
    await resumed(2);
    expect(asked.slice(2).toSorted()).toEqual([url, other]);
    await until((list) => list.length === 0);
  });
});

test('a fetch that was stopped is no failed attempt', async () => {
  const { once, queue, asked, world, listed } = await open();
  world.hangs = true;
  await once.request([url]);
  await vi.waitUntil(() => asked.length === 1, patience);
  await queue.stop();
  expect(listed()).toMatchObject([{ payload: { url }, tries: 0 }]);
});

test('a picture whose decoding is closed after an interruption counts no attempt', async () => {
  const { once, queue, asked, world, listed } = await open();
  let close: (error: Error) => void = () => undefined;
  world.keeping = new Promise((_done, fail) => (close = fail));
  await once.request([url]);
  await vi.waitUntil(() => asked.length === 1, patience);
  const stopped = queue.stop();
  close(new PorchlightError('busy', 'The pictures are closed.', 429));
  await stopped;
  expect(listed()).toMatchObject([{ payload: { url }, tries: 0 }]);
});
