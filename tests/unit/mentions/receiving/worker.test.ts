import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { Settings } from '../../../../src-main/contract/settings.ts';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { noBlocks } from '../../../../src-main/mentions/blocked.ts';
import type { SourceResult } from '../../../../src-main/mentions/receiving/read-source.ts';
import { ownSites } from '../../../../src-main/mentions/own-sites.ts';
import { MentionWorker } from '../../../../src-main/mentions/receiving/worker.ts';
import { operationsOf } from '../../../support/operations.ts';
import { memoryMentions } from '../../../support/memory-mentions.ts';
import { memoryWork } from '../../../support/memory-work.ts';
import { patience } from '../../../support/patience.ts';

const target = 'https://ada.example/post';
const minute = 60_000;
const day = 24 * 60 * minute;
const settings = { hold: 'nothing', trustedDomains: [] as string[] } as Settings['webmention'];
const links = (url: string): SourceResult => ({
  kind: 'links',
  facts: { type: 'reply', property: 'in-reply-to' },
  url,
  text: '',
});
const busy: SourceResult = { kind: 'failed', words: 'The other server answered 503.', mayPass: true };
const slow: SourceResult = { ...busy, words: 'This page takes too long to read.', wasSlow: true };

/** A worker with a reader that answers when the test lets it. `later`: so many mentions are due in a minute. */
async function bench(later = 0) {
  const clock = { now: Date.parse('2026-11-20T12:00:00Z') };
  const now = () => clock.now;
  const state = { online: true };
  const { records, work } = await memoryWork({ now, online: () => state.online }, ({ write }) =>
    write(({ run }) =>
      run(
        `INSERT INTO work (kind, key, party, host, due, tries, early, state, payload)
           WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ?)
           SELECT 'mention', 'token-' || i, 's' || i % 900, 's' || i % 900, ?, 1, 0, 'waiting', '{}' FROM n LIMIT ?`,
        ...[later, now() + minute, later],
      ),
    ),
  );
  const store = memoryMentions(now, undefined, records);
  const reads: {
    source: string;
    answer: (reading: SourceResult) => void;
    isFollowed: () => boolean | undefined;
  }[] = [];
  const reached = vi.fn();
  const checking = new MentionWorker({
    records,
    work,
    reached,
    store,
    settings: () => settings,
    ownSites: () => ownSites({ base: '', me: null, folderSite: '', hosts: [] }),
    blocks: noBlocks,
    clock: now,
    events: { received: () => undefined, changed: () => undefined, refused: () => undefined },
    readSource: (source, _target, isFollowed) =>
      new Promise<SourceResult>((answer) => reads.push({ source, answer, isFollowed: () => isFollowed?.() })),
    log: silentLog,
  });
  const { queue } = checking;
  const worker = Object.assign(checking, {
    receive: queue.receive.bind(queue),
    byToken: queue.byToken.bind(queue),
    resume: queue.resume.bind(queue),
    start: () => work.start(),
    wake: () => work.wake(),
    stop: () => work.stop(),
  });

  return {
    clock,
    store,
    worker,
    reads,
    state,
    records,
    receive: async (...sources: string[]) => {
      for (const source of sources) await queue.receive({ source, target });
    },
    /** The same through the tunnel, from a visitor's network. */
    receiveFrom: async (visitor: string, ...sources: string[]) => {
      for (const source of sources) await queue.receive({ source, target, visitor });
    },
    sources: () => reads.map(({ source }) => source),
    /** Answers what is being read, and lets the worker go on. */
    answer: async (reading: (source: string) => SourceResult) => {
      for (const read of reads.splice(0)) read.answer(reading(read.source));
      await turn();
    },
    /** The first entry of the queue. */
    entry: () => {
      const [entry] = records.rows(
        ({ key, state: at, tries, early, due }) => ({
          token: String(key),
          state: at,
          tries,
          early,
          next: new Date(Number(due)).toISOString(),
        }),
        'SELECT * FROM work ORDER BY seq',
      );
      return entry;
    },
  };
}

describe('how much at once', () => {
  test('64 sources are read at a time, one of each host: a few slow ones hold up nobody', async () => {
    const { receive, worker, sources, answer } = await bench();
    const sites = Array.from({ length: 65 }, (_, index) => `https://site-${index}.example/1`);
    await receive('https://a.example/1', 'https://a.example/2', ...sites);
    const run = worker.processNow();
    expect(sources()).toEqual(['https://a.example/1', ...sites.slice(0, 63)]);
    await answer(links);
    expect(sources()).toEqual([...sites.slice(63), 'https://a.example/2']);
    await answer(links);
    expect(await run).toMatchObject({ processed: 67, approved: 67, waiting: 0 });
  });

  test('a source is followed by another one only while one of the same host waits', async () => {
    const { worker, receive, reads } = await bench();
    worker.start();
    await receive('https://a.example/1', 'https://b.example/1');
    await vi.waitUntil(() => reads.length === 2, patience);
    expect(reads.map(({ isFollowed }) => isFollowed())).toEqual([false, false]);
    await receive('https://a.example/2');
    await vi.waitUntil(() => reads[0]?.isFollowed() === true, patience);
    expect(reads[1]?.isFollowed()).toBe(false);
  });

  test('four of one site are read at a time, whatever names it has', async () => {
    const { receive, worker, sources, answer } = await bench();
    const names = Array.from({ length: 10 }, (_, index) => `https://n${index}.mallory.example/1`);
    await receive(...names, 'https://bea.example/1');
    worker.start();
    expect(sources()).toEqual([...names.slice(0, 4), 'https://bea.example/1']);
    await answer(links);
    expect(sources()).toEqual(names.slice(4, 8));
    await worker.stop();
  });

  test('the spelling of a host makes it no other site', async () => {
    const { receive, worker, sources } = await bench();
    await receive('https://a.example/1', 'https://A.example./2', 'http://a.example/3');
    void worker.processNow();
    expect(sources()).toEqual(['https://a.example/1']);
  });
});

describe('in the background', () => {
  test('nothing is read before the start; then what waits is', async () => {
    const { receive, worker, sources } = await bench();
    await receive('https://a.example/1');
    worker.wake();
    expect(sources()).toEqual([]);
    worker.start();
    expect(sources()).toEqual(['https://a.example/1']);
    await worker.stop();
  });

  test('the pauses between attempts grow: a minute, ten, an hour, six, a day; then the mention fails', async () => {
    const { receive, worker, clock, sources, answer, entry } = await bench();
    await receive('https://a.example/1');
    worker.start();
    for (const pause of [1, 10, 60, 360, 1440]) {
      await answer(() => busy);
      clock.now += pause * minute - 1;
      worker.wake();
      expect(sources()).toEqual([]);
      clock.now += 1;
      worker.wake();
      expect(sources()).toEqual(['https://a.example/1']);
    }
    const token = entry()?.token ?? '';
    await answer(() => busy);
    expect(worker.byToken(token)).toMatchObject({ state: 'failed', words: 'The other server answered 503.' });
    await worker.stop();
  });

  test.each([
    ['at first', 0],
    ['after it did not answer', 2],
  ])('a page that is too slow to read, %s, is tried once more, after an hour', async (_, before) => {
    const { receive, worker, clock, sources, answer, entry } = await bench();
    await receive('https://a.example/1');
    worker.start();
    for (let tries = 0; tries < before; tries += 1) {
      await answer(() => busy);
      clock.now += 10 * minute;
      worker.wake();
    }
    await answer(() => slow);
    const token = entry()?.token ?? '';
    clock.now += 60 * minute - 1;
    worker.wake();
    expect(sources()).toEqual([]);
    clock.now += 1;
    worker.wake();
    expect(sources()).toEqual(['https://a.example/1']);
    await answer(() => slow);
    expect(worker.byToken(token)).toMatchObject({ state: 'failed', words: slow.words });
    await worker.stop();
  });

  test('a page that is too slow to read is not retried endlessly because somebody asks for it', async () => {
    const { receive, worker, answer } = await bench();
    await receive('https://a.example/1');
    const outcomes: object[] = [];
    for (let asked = 0; asked < 3; asked += 1) {
      const run = worker.processNow();
      await answer(() => slow);
      outcomes.push(await run);
    }
    expect(outcomes).toMatchObject([
      { processed: 1, failed: 0, waiting: 1 },
      { processed: 1, failed: 1, waiting: 0 },
      { processed: 0, failed: 0, waiting: 0 },
    ]);
  });

  test('while this computer is not connected, no tries are used up', async () => {
    const { receive, worker, clock, state, sources, answer, entry } = await bench();
    await receive('https://a.example/1');
    worker.start();
    state.online = false;
    clock.now += 3 * minute; // long after the last mention came in
    for (let tries = 0; tries < 20; tries += 1) {
      await answer(() => busy);
      expect(entry()).toMatchObject({ state: 'waiting', tries: 0 });
      clock.now += 5 * minute;
      worker.wake();
    }
    state.online = true;
    await answer(() => busy);
    expect(entry()?.tries).toBe(1);
    expect(sources()).toEqual([]);
    await worker.stop();
  });

  test.each([
    ['connected', true],
    ['not connected', false],
  ])('a mention that waited for a month elsewhere has the usual tries here, %s', async (_, online) => {
    const { worker, clock, state, answer, entry } = await bench();
    const arrived = clock.now - 31 * day;
    await worker.receive({ source: 'https://a.example/1', target, arrived });
    state.online = online;
    clock.now += 3 * minute; // long after the last mention came in
    worker.start();
    await answer(() => busy);
    expect(entry()).toMatchObject({ state: 'waiting', tries: online ? 1 : 0 });
    await worker.stop();
  });

  test('a mention that this computer slept on for a month is not given up because of one more try', async () => {
    const { receive, worker, clock, state, answer, entry } = await bench();
    await receive('https://a.example/1');
    worker.start();
    await answer(() => busy);
    for (const online of [false, true]) {
      state.online = online;
      clock.now += 31 * day;
      worker.wake();
      await answer(() => busy);
      expect(entry()).toMatchObject({ state: 'waiting', tries: online ? 2 : 1 });
    }
    await worker.stop();
  });

  test('a mention that is tried every five minutes for a month, without a connection, fails', async () => {
    const { receive, worker, clock, state, answer } = await bench();
    await receive('https://a.example/1');
    state.online = false;
    clock.now += 3 * minute; // long after the last mention came in
    worker.start();
    let tries = 0;
    for (; worker.waiting() > 0; tries += 1) {
      await answer(() => busy);
      clock.now += 5 * minute;
      worker.wake();
    }
    expect((tries * 5 * minute) / day).toBeCloseTo(30);
    await worker.stop();
  });
});

describe('sources that hang', () => {
  /** Sources on hosts of different sites. */
  const hanging = (count: number, name = 'slow') =>
    Array.from({ length: count }, (_, index) => `https://${name}-${index}.example/1`);

  test.each([6, 50])('%i of them keep nobody else waiting', async (count) => {
    const { receive, worker, sources } = await bench();
    await receive(...hanging(count));
    worker.start();
    expect(sources()).toEqual(hanging(count));
    await receive('https://bea.example/1');
    worker.wake();
    expect(sources()).toEqual([...hanging(count), 'https://bea.example/1']);
    await worker.stop();
  });

  test('any number of hanging sources from one visitor keep nobody else waiting', async () => {
    const { receiveFrom, worker, sources } = await bench();
    await receiveFrom('203.0.113.9', ...hanging(500));
    worker.start();
    // Twenty until the visitor's time is used up, and four in the late places.
    expect(sources()).toEqual(hanging(24));
    await receiveFrom('198.51.100.1', 'https://bea.example/1');
    worker.wake();
    expect(sources().slice(24)).toEqual(['https://bea.example/1']);
    await worker.stop();
  });

  test('one visitor over the limit leaves late places to another', async () => {
    const { receiveFrom, worker, sources } = await bench();
    await receiveFrom('203.0.113.9', ...hanging(500));
    await receiveFrom('198.51.100.2', ...hanging(100, 'other'));
    worker.start();
    // Twenty of each until their time is used up, and four of each in the late places.
    expect(sources().filter((source) => source.includes('slow'))).toEqual(hanging(24));
    expect(sources().filter((source) => source.includes('other'))).toEqual(hanging(24, 'other'));
    await worker.stop();
  });

  test('a site of them reads in the late places, where debtors take turns, until its time is back', async () => {
    const { receive, receiveFrom, worker, clock, sources, answer } = await bench();
    const names = (count: number, site: string) =>
      Array.from({ length: count }, (_, index) => `https://n${index}.${site}.example/1`);
    await receive(...names(30, 'mallory'));
    worker.start();
    for (let round = 0; round < 5; round += 1) {
      expect(sources()).toEqual(names(30, 'mallory').slice(4 * round, 4 * round + 4));
      clock.now += 10_000;
      await answer(() => busy);
    }
    // In debt by now, it still reads: the late places are free.
    expect(sources()).toEqual(names(30, 'mallory').slice(20, 24));
    await receiveFrom('203.0.113.9', ...hanging(100));
    worker.wake();
    expect(sources().slice(4)).toEqual(hanging(24));
    await worker.stop();
  });

  test('a thousand that wait for another try cost the others nothing', async () => {
    const { receive, worker, clock, sources, answer } = await bench();
    await receive(...Array.from({ length: 1000 }, (_, index) => `https://mallory.example/${index}`));
    worker.start();
    for (let tries = 0; tries < 10; tries += 1) await answer(() => busy);
    clock.now += minute;
    await receive('https://bea.example/1');
    worker.wake();
    expect(sources()).toEqual(['https://mallory.example/10', 'https://bea.example/1']);
    await worker.stop();
  });

  test(
    'an event costs as many steps with 9,000 mentions waiting as with 90',
    { timeout: 180_000 },
    async () => {
      const [few, many] = [await stepsPerEvent(90), await stepsPerEvent(9000)];
      expect(few).toBeGreaterThan(10);
      expect(many).toBeLessThan(1.2 * few);
    },
  );
});

/** Counts the steps for each mention that comes in, is read and is refused, while `waiting` others wait for a retry. */
async function stepsPerEvent(waiting: number): Promise<number> {
  const { worker, answer } = await bench(waiting);
  worker.start();
  const events = 50;
  const steps = await operationsOf(async () => {
    for (let event = 0; event < events; event += 1) {
      const source = `https://new-${event}.example/`;
      await worker.receive({ source, target, visitor: `203.0.113.${event}` });
      await answer(() => busy);
    }
  });
  await worker.stop();
  return steps / events;
}

describe('processing on demand', () => {
  test('tries what waits for another try, once, and takes none of its tries away', async () => {
    const { receive, worker, answer, entry } = await bench();
    await receive('https://a.example/1');
    for (const early of [0, 1, 2, 3, 4]) {
      const run = worker.processNow();
      await answer(() => busy);
      expect(await run).toMatchObject({ processed: 1, failed: 0, waiting: 1 });
      expect(entry()).toMatchObject({ tries: 1, early, next: '2026-11-20T12:01:00.000Z' });
    }
  });

  test('for anybody, a source at fault is tried a few times before its time and then not until it is due', async () => {
    const { receive, worker, clock, answer } = await bench();
    await receive('https://a.example/1');
    const processed: number[] = [];
    for (let asked = 0; asked < 6; asked += 1) {
      if (asked === 5) clock.now += minute;
      const run = worker.processNow({ earlyTries: 3 });
      await answer(() => busy);
      processed.push((await run).processed);
    }
    expect(processed).toEqual([1, 1, 1, 1, 0, 1]);
  });

  test('a second call shares the run, which includes mentions that arrived since', async () => {
    const { receive, worker, reads, answer } = await bench();
    await receive('https://a.example/1');
    const first = worker.processNow();
    await receive('https://b.example/1');
    const second = worker.processNow();
    expect(reads).toHaveLength(2);
    await answer(links);
    const counts = { processed: 2, approved: 2, updated: 0, removed: 0, failed: 0, waiting: 0 };
    expect(await Promise.all([first, second])).toEqual([counts, counts]);
  });

  test('with nothing to do it is done', async () => {
    const { worker } = await bench();
    expect(await worker.processNow()).toMatchObject({ processed: 0, waiting: 0 });
  });

  test('with a limit it answers with the results so far, and continues', async () => {
    const { receive, worker, store, answer } = await bench();
    await receive('https://a.example/1');
    expect(await worker.processNow({ limitMs: 1 })).toMatchObject({ processed: 0, waiting: 1 });
    await answer(links);
    expect(store.size).toBe(1);
  });
});

describe('at the end', () => {
  test('a mention that was being read keeps its turn, and nobody waits for the reading', async () => {
    const { receive, worker, store, reads, entry } = await bench();
    await receive('https://a.example/1');
    const run = worker.processNow();
    await worker.stop();
    expect(await run).toMatchObject({ waiting: 1 });
    reads[0]?.answer(links('https://a.example/1'));
    await turn();
    expect(store.size).toBe(0);
    expect(entry()).toMatchObject({ state: 'waiting', tries: 0, early: 0 });
  });

  test('after it nothing more is read', async () => {
    const { receive, worker, sources } = await bench();
    await worker.stop();
    await receive('https://a.example/1');
    worker.start();
    worker.wake();
    expect(await worker.processNow()).toMatchObject({ processed: 0, waiting: 1 });
    expect(sources()).toEqual([]);
  });
});

test('a mention that cannot be stored (a full disk) has another turn, which uses up no attempt', async () => {
  const { receive, worker, store, answer, entry, clock, sources } = await bench();
  await receive('https://a.example/1');
  store.keep = () => Promise.reject(new Error('The disk is full.'));
  worker.start();
  await answer(links);
  expect(entry()).toMatchObject({ state: 'waiting', tries: 0 });
  clock.now += 5 * minute;
  worker.wake();
  expect(sources()).toEqual(['https://a.example/1']);
  await worker.stop();
});
