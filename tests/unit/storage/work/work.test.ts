import { Type } from 'typebox';
import { expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../../src-main/contract/error.ts';
import { openWork } from '../../../../src-main/storage/work/work.ts';
import type { Attempt, KindRules, Outcome, WorkKind } from '../../../../src-main/storage/work/work-kind.ts';
import { workTable } from '../../../../src-main/storage/work/work-rows.ts';
import { memoryRecords } from '../../../support/memory-records.ts';

const Payload = Type.Object({ what: Type.String() });
type Payload = { what: string };
interface Batch {
  readonly keys: string[];
  readonly attempts: readonly Attempt<Payload>[];
  readonly outcomes: Record<string, Outcome<Payload>>;
  end(outcomes: Batch['outcomes']): void;
  fail(error: Error): void;
}
const minute = 60_000;
const start = Date.parse('2026-05-01T12:00:00Z');

function scene() {
  const records = memoryRecords([workTable]);
  let now = start;
  let online = true;
  const log = { error: vi.fn(), warn: vi.fn() };
  const setAside = vi.fn();
  const tried: string[] = [];
  let answer: (attempt: Attempt<Payload>) => Promise<Outcome<Payload>> = () =>
    Promise.resolve({ kind: 'done' });
  const open = async (more: Partial<WorkKind<typeof Payload>> = {}) => {
    const queue = await openWork({ records, now: () => now, online: () => online, log, setAside });
    const work = queue.defineWork({
      kind: 'test',
      payload: Payload,
      retries: { pauses: [minute, 10 * minute] },
      run(attempt) {
        tried.push(attempt.payload.what);
        return answer(attempt);
      },
      ...more,
    });
    return { queue, work };
  };
  /** Work that is done together. Each batch waits in `batches` until `end` is called with its outcomes. */
  const openTogether = async (most: number, more: Pick<KindRules<typeof Payload>, 'tried'> = {}) => {
    const batches: Batch[] = [];
    const queue = await openWork({ records, now: () => now, online: () => online, log, setAside });
    const work = queue.defineWork({
      kind: 'test',
      payload: Payload,
      retries: { pauses: [minute, 10 * minute] },
      ...more,
      batch: {
        room() {
          let count = 0;
          return () => (count += 1) < most;
        },
        run: (attempts) =>
          new Promise((resolve, reject) => {
            const keys = attempts.map(({ key }) => key);
            const end = (outcomes: Batch['outcomes']) => resolve(new Map(Object.entries(outcomes)));
            batches.push({ keys, attempts, end, fail: reject, outcomes: {} });
          }),
      },
    });
    return { queue, work, batches };
  };
  return {
    records,
    log,
    setAside,
    tried,
    open,
    openTogether,
    at: (ms: number) => void (now = start + ms),
    goOffline: (isOnline = false) => void (online = isOnline),
    answer: (next: typeof answer) => void (answer = next),
    rows: () =>
      records.rows(({ key, state, tries }) => `${key} ${state} ${tries}`, 'SELECT * FROM work ORDER BY seq'),
  };
}

const one = (key: string, host = `${key}.example`, party = host) => ({
  key,
  host,
  party,
  payload: { what: key },
});
const failed = (mayPass = true) => ({ kind: 'failed', words: 'No answer.', mayPass }) as const;

test('work is tried once it is on disk, and removed when it is done', async () => {
  const { open, tried, rows } = scene();
  const { queue, work } = await open();
  await work.add(one('a'), one('b'));
  expect(rows()).toEqual(['a waiting 0', 'b waiting 0']);
  queue.start();
  await vi.waitFor(() => expect(rows()).toEqual([]));
  expect(tried).toEqual(['a', 'b']);
  expect(work.size).toBe(0);
});

test('what a change leads to is added in its transaction, and not if that fails', async () => {
  const { open, records, tried } = scene();
  const { queue, work } = await open();
  queue.start();
  const change = records.write((transaction) => {
    work.addIn(transaction, one('a'));
    throw new PorchlightError('invalid_request', 'No.');
  });
  await expect(change).rejects.toThrow('No.');
  expect(work.size).toBe(0);
  expect(work.find('a')).toBeUndefined();
  expect(tried).toEqual([]);
});

test('work that its attempt cancels in a transaction stays if that fails, and is not written again when the attempt ends', async () => {
  const { open, records, answer, rows } = scene();
  const write = vi.spyOn(records, 'write');
  const { queue, work } = await open();
  answer(async ({ key }) => {
    await records
      .write((transaction) => {
        work.cancelIn(transaction, key);
        throw new PorchlightError('storage_full', 'The disk is full.');
      })
      .catch(() => undefined);
    expect(rows()).toEqual(['a waiting 0']);
    await records.write((transaction) => work.cancelIn(transaction, key));
    return { kind: 'done' };
  });
  await work.add(one('a'));
  write.mockClear();
  queue.start();
  await work.runNow();
  expect(rows()).toEqual([]);
  expect(write).toHaveBeenCalledTimes(2);
});

test('failed work is tried again after the pauses of its kind, and then given up', async () => {
  const { open, answer, tried, at, rows, records } = scene();
  const gaveUp = vi.fn(() => ({ state: 'lost' }));
  const { queue, work } = await open({ gaveUp });
  answer(() => Promise.resolve(failed()));
  await work.add(one('a'));
  queue.start();
  await vi.waitFor(() => expect(rows()).toEqual(['a waiting 1']));
  at(minute - 1);
  queue.wake();
  expect(tried).toHaveLength(1);
  at(minute);
  queue.wake();
  await vi.waitFor(() => expect(rows()).toEqual(['a waiting 2']));
  at(11 * minute);
  queue.wake();
  await vi.waitFor(() => expect(rows()).toEqual(['a lost 2']));
  expect(gaveUp).toHaveBeenCalledOnce();
  expect(records.rows(({ words }) => words, 'SELECT words FROM work')).toEqual(['No answer.']);
  at(1000 * minute);
  queue.wake();
  expect(tried).toHaveLength(3);
});

test('no failure counts while offline, and work is tried when the network returns', async () => {
  const { open, answer, tried, goOffline, rows } = scene();
  const { queue, work } = await open();
  goOffline();
  answer(() => Promise.resolve(failed()));
  await work.add(one('a'));
  queue.start();
  await vi.waitFor(() => expect(tried).toHaveLength(1));
  await vi.waitFor(() => expect(work.entry('a')?.due).toBe(start + 5 * minute));
  expect(rows()).toEqual(['a waiting 0']);
  goOffline(true);
  answer(() => Promise.resolve({ kind: 'done' }));
  queue.wake();
  await vi.waitFor(() => expect(rows()).toEqual([]));
});

test('a failure after the network returned counts, and a later wake does not bring its next attempt forward', async () => {
  const { open, answer, tried, goOffline, rows } = scene();
  const { queue, work } = await open();
  goOffline();
  answer(() => Promise.resolve(failed()));
  await work.add(one('a'));
  queue.start();
  await vi.waitFor(() => expect(work.entry('a')?.due).toBe(start + 5 * minute));
  goOffline(true);
  queue.wake();
  await vi.waitFor(() => expect(rows()).toEqual(['a waiting 1']));
  queue.wake();
  await work.add(one('b'));
  await vi.waitFor(() => expect(tried).toContain('b'));
  expect(tried).toEqual(['a', 'a', 'b']);
  expect(work.entry('a')?.due).toBe(start + minute);
});

test('work that this computer could not store is tried as soon as the queue is woken, its host too', async () => {
  const { open, answer, rows, log } = scene();
  const { queue, work } = await open({ hostRests: { pauses: [minute], isEndless: true } });
  answer(() => Promise.reject(new Error('The disk is full.')));
  await work.add(one('a', 'x.example'), one('b', 'x.example'));
  queue.start();
  await vi.waitFor(() => expect(log.error).toHaveBeenCalledOnce());
  answer(() => Promise.resolve({ kind: 'done' }));
  queue.wake();
  await vi.waitFor(() => expect(rows()).toEqual([]));
});

test('work that is added again while it is being tried is tried once more', async () => {
  const { open, answer, tried, rows } = scene();
  const { queue, work } = await open();
  let release: () => void = () => undefined;
  answer(() => new Promise((resolve) => (release = () => resolve({ kind: 'done' }))));
  await work.add(one('a'));
  queue.start();
  await vi.waitFor(() => expect(tried).toEqual(['a']));
  await work.add({ ...one('a'), payload: { what: 'newer' } });
  answer(() => Promise.resolve({ kind: 'done' }));
  release();
  await vi.waitFor(() => expect(tried).toEqual(['a', 'newer']));
  await vi.waitFor(() => expect(rows()).toEqual([]));
});

test('work that is added again for another host is not tried twice at the same time', async () => {
  const { open, answer, tried } = scene();
  const { queue, work } = await open();
  const releases: (() => void)[] = [];
  answer(() => new Promise((resolve) => void releases.push(() => resolve({ kind: 'done' }))));
  await work.add(one('a', 'x.example'));
  queue.start();
  await vi.waitFor(() => expect(tried).toEqual(['a']));
  await work.add({ ...one('a', 'y.example'), payload: { what: 'newer' } }, one('b', 'z.example'));
  await vi.waitFor(() => expect(tried).toContain('b'));
  expect(tried).toEqual(['a', 'b']);
  releases[0]?.();
  await vi.waitFor(() => expect(tried).toEqual(['a', 'b', 'newer']));
});

test('work that is added again comes last', async () => {
  const { open } = scene();
  const { work } = await open();
  await work.add(one('a'), one('b'));
  await work.add(one('a'));
  expect(Array.from(work.entries(), ({ key }) => key)).toEqual(['b', 'a']);
  expect(work.list().map(({ key }) => key)).toEqual(['b', 'a']);
});

test('long words about a failure are cut', async () => {
  const { open, answer } = scene();
  const { queue, work } = await open();
  answer(() => Promise.resolve({ ...failed(), words: 'No answer. '.repeat(100) }));
  await work.add(one('a'));
  queue.start();
  await vi.waitFor(() => expect(work.entry('a')?.tries).toBe(1));
  expect(work.find('a')?.words).toHaveLength(500);
});

test('work is still there after a start, and a failure of this computer counts nothing', async () => {
  const { open, answer, log, tried, rows } = scene();
  const first = await open();
  answer(() => Promise.reject(new Error('The disk is full.')));
  await first.work.add(one('a'));
  first.queue.start();
  await vi.waitFor(() => expect(log.error).toHaveBeenCalledOnce());
  await first.queue.stop();
  answer(() => Promise.resolve({ kind: 'done' }));
  const second = await open();
  second.queue.start();
  await vi.waitFor(() => expect(rows()).toEqual([]));
  expect(tried).toEqual(['a', 'a']);
});

test('a payload that can’t be read is set aside with words, and never tried', async () => {
  const { open, records, rows, setAside, tried } = scene();
  await records.write(({ run }) =>
    run(
      "INSERT INTO work (kind, key, party, host, due, tries, early, state, payload) VALUES ('test', 'bad', '', '', 0, 0, 0, 'waiting', '{\"what\": 7}')",
    ),
  );
  const { queue, work } = await open();
  await work.add(one('good'));
  queue.start();
  await vi.waitFor(() => expect(rows()).toEqual(['bad unreadable 0']));
  expect(setAside).toHaveBeenCalledExactlyOnceWith('test');
  expect(tried).toEqual(['good']);
  expect(work.list()).toEqual([]);
});

test('a host has one attempt at a time, and a party as many as the kind allows', async () => {
  const { open, answer, tried } = scene();
  const { queue, work } = await open({ perParty: 2, total: 3 });
  answer(() => new Promise(() => undefined));
  await work.add(
    ...[one('a1', 'a.example', 'A'), one('a2', 'a.example', 'A'), one('b', 'b.example', 'A')],
    ...[one('c', 'c.example', 'A'), one('d', 'd.example', 'D'), one('e', 'e.example', 'E')],
  );
  queue.start();
  await vi.waitFor(() => expect(tried).toEqual(['a1', 'b', 'd']));
});

test('a clock that was far ahead doesn’t keep work waiting, except for a time that somebody chose', async () => {
  const { open, tried, at } = scene();
  const { queue, work } = await open();
  const year = 365 * 86_400_000;
  await work.add(
    { ...one('wrong'), due: start + year },
    { ...one('chosen'), due: start + year, state: 'planned' },
  );
  queue.start();
  at(-1000);
  queue.wake();
  await vi.waitFor(() => expect(tried).toEqual(['wrong']));
  at(year);
  queue.wake();
  await vi.waitFor(() => expect(tried).toEqual(['wrong', 'chosen']));
});

test('an attempt before the work is due changes its schedule only if it succeeds', async () => {
  const { open, answer, rows } = scene();
  const { queue, work } = await open();
  answer(() => Promise.resolve(failed()));
  await work.add({ ...one('a'), due: start + minute });
  queue.start();
  const outcomes = await work.runNow();
  expect(outcomes.get('a')).toMatchObject({ kind: 'failed' });
  expect(work.entry('a')).toMatchObject({ due: start + minute, early: 1, tries: 0 });
  answer(() => Promise.resolve({ kind: 'done' }));
  await work.runNow();
  expect(rows()).toEqual([]);
});

test('work of a host that rests waits until the pause is over', async () => {
  const { open, answer, tried, at } = scene();
  const { queue, work } = await open({ hostRests: { pauses: [minute], isEndless: true } });
  answer(() => Promise.resolve({ ...failed(false), restsHost: true }));
  await work.add(one('a', 'x.example'), one('b', 'x.example'), one('c', 'y.example'));
  queue.start();
  await vi.waitFor(() => expect(tried).toEqual(['a', 'c']));
  await vi.waitFor(() => expect(work.size).toBe(1));
  at(minute);
  queue.wake();
  await vi.waitFor(() => expect(tried).toEqual(['a', 'c', 'b']));
});

test('after a failure of this computer, other work of the host waits, too', async () => {
  const { open, answer, tried, at, log } = scene();
  const { queue, work } = await open({ hostRests: { pauses: [10 * minute], isEndless: true } });
  answer(() => Promise.reject(new Error('The disk is full.')));
  await work.add(one('a', 'x.example'), one('b', 'x.example'));
  queue.start();
  await vi.waitFor(() => expect(log.error).toHaveBeenCalledOnce());
  answer(() => Promise.resolve({ kind: 'done' }));
  at(10 * minute - 1);
  await work.add(one('c', 'y.example'));
  await vi.waitFor(() => expect(tried).toEqual(['a', 'c']));
  at(10 * minute);
  await work.add(one('d', 'z.example'));
  await vi.waitFor(() => expect(tried.toSorted()).toEqual(['a', 'a', 'b', 'c', 'd']));
});

test('a host rests no longer after a clock that was far ahead is right again', async () => {
  const { open, answer, tried, at } = scene();
  const { queue, work } = await open({ hostRests: { pauses: [minute], isEndless: true } });
  answer(() => Promise.resolve({ ...failed(false), restsHost: true }));
  at(400 * 24 * 60 * minute);
  await work.add(one('a', 'x.example'), one('b', 'x.example'));
  queue.start();
  await vi.waitFor(() => expect(work.size).toBe(1));
  at(0);
  queue.wake();
  await vi.waitFor(() => expect(tried).toEqual(['a', 'b']));
});

test('held work waits until it may run, and wake tries it', async () => {
  const { open, tried } = scene();
  let isOpen = false;
  const { queue, work } = await open({ mayRun: () => isOpen });
  queue.start();
  await work.add(one('a'));
  await work.runNow();
  expect(tried).toEqual([]);
  isOpen = true;
  work.wake();
  await vi.waitFor(() => expect(tried).toEqual(['a']));
});

test('work that its attempt holds back waits until the queue is woken, also if that happens meanwhile', async () => {
  const { open, answer, tried, at, rows } = scene();
  const { queue, work } = await open();
  const releases: (() => void)[] = [];
  answer(() => new Promise((resolve) => releases.push(() => resolve({ kind: 'held' }))));
  await work.add(one('a'));
  queue.start();
  await vi.waitFor(() => expect(releases).toHaveLength(1));
  work.wake();
  releases[0]?.();
  await vi.waitFor(() => expect(releases).toHaveLength(2));
  releases[1]?.();
  await vi.waitFor(() => expect(work.isUnderWay('a')).toBe(false));
  at(100 * minute);
  await work.add(one('b'));
  await vi.waitFor(() => expect(releases).toHaveLength(3));
  expect(tried).toEqual(['a', 'a', 'b']);
  expect(rows()).toEqual(['a waiting 0', 'b waiting 0']);
  work.wake();
  await vi.waitFor(() => expect(tried).toEqual(['a', 'a', 'b', 'a']));
  for (const release of releases) release();
});

test('changes that come with a failure know whether another attempt follows', async () => {
  const { open, answer, at, rows } = scene();
  const { queue, work } = await open();
  const over: boolean[] = [];
  answer(() =>
    Promise.resolve({ ...failed(), also: (_transaction, _isCurrent, isOver) => over.push(isOver) }),
  );
  await work.add(one('a'));
  queue.start();
  for (const [count, passed] of [0, minute, 11 * minute].entries()) {
    at(passed);
    queue.wake();
    await vi.waitFor(() => expect(over).toHaveLength(count + 1));
  }
  expect(over).toEqual([false, false, true]);
  expect(rows()).toEqual([]);
});

test('50,000 entries are read in steps when the queue opens', async () => {
  const { open, records } = scene();
  await records.write(({ run }) =>
    run(
      `INSERT INTO work (kind, key, party, host, due, tries, early, state, payload)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
       SELECT 'test', 'k' || i, 'p' || i % 100, 'h' || i % 1000, 0, 0, 0, 'waiting', '{"what":"x"}' FROM n`,
    ),
  );
  const from = performance.now();
  const { work } = await open();
  console.log(`50,000 entries: ${(performance.now() - from).toFixed(0)} ms`);
  expect(work.size).toBe(50_000);
});

const done = { kind: 'done' } as const;

test('work of a host that is done together is tried in batches, one after the other', async () => {
  const { openTogether, rows } = scene();
  const { queue, work, batches } = await openTogether(3);
  await work.add(...['a', 'b', 'c', 'd', 'e'].map((key) => one(key, 'x.example')), one('z', 'y.example'));
  queue.start();
  await vi.waitFor(() => expect(batches.map(({ keys }) => keys)).toEqual([['a', 'b', 'c'], ['z']]));
  // Each has its own outcome. What has none waits for the next turn, and is not changed.
  batches[0]?.end({ a: done, b: failed() });
  await vi.waitFor(() => expect(batches[2]?.keys).toEqual(['d', 'e', 'c']));
  await vi.waitFor(() =>
    expect(rows()).toEqual(['b waiting 1', ...['c', 'd', 'e', 'z'].map((key) => `${key} waiting 0`)]),
  );
  batches[1]?.end({ z: done });
  batches[2]?.end({ c: done, d: done, e: { kind: 'stays', state: 'conflict' } });
  await vi.waitFor(() => expect(rows()).toEqual(['b waiting 1', 'e conflict 0']));
});

test('a long queue is drained in linear time: no work is read before its batch, and none twice', async () => {
  const { openTogether, records } = scene();
  const rows = vi.spyOn(records, 'rows');
  const count = 2000;
  const { queue, work, batches } = await openTogether(50);
  await work.add(...Array.from({ length: count }, (_, number) => one(`n${number}`, 'x.example')));
  rows.mockClear();
  queue.start();
  for (let batch = 0; batch < count / 50; batch += 1) {
    await vi.waitFor(() => expect(batches.length).toBe(batch + 1), { interval: 1 });
    const keys = batches[batch]?.keys ?? [];
    expect(keys).toEqual(Array.from({ length: 50 }, (_, number) => `n${batch * 50 + number}`));
    batches[batch]?.end(Object.fromEntries(keys.map((key) => [key, done])));
  }
  await vi.waitFor(() => expect(work.size).toBe(0));
  expect(rows.mock.calls.filter(([, sql]) => sql.startsWith('SELECT payload'))).toHaveLength(count);
});

test('a batch that fails on this computer is logged once, and counts nothing', async () => {
  const { openTogether, rows, log, at } = scene();
  const { queue, work, batches } = await openTogether(3);
  await work.add(one('a', 'x.example'), one('b', 'x.example'));
  queue.start();
  await vi.waitFor(() => expect(batches).toHaveLength(1));
  batches[0]?.fail(new Error('The disk is full.'));
  await vi.waitFor(() => expect(work.entry('b')?.due).toBe(start + 5 * minute));
  expect(log.error).toHaveBeenCalledOnce();
  expect(rows()).toEqual(['a waiting 0', 'b waiting 0']);
  at(5 * minute);
  queue.wake();
  await vi.waitFor(() => expect(batches[1]?.keys).toEqual(['a', 'b']));
});

test('one piece of a batch that was added again is tried once more, and the others are done', async () => {
  const { openTogether, rows } = scene();
  const { queue, work, batches } = await openTogether(3);
  await work.add(one('a', 'x.example'), one('b', 'x.example'));
  queue.start();
  await vi.waitFor(() => expect(batches).toHaveLength(1));
  await work.add(one('a', 'x.example'));
  batches[0]?.end({ a: done, b: done });
  await vi.waitFor(() => expect(batches[1]?.keys).toEqual(['a']));
  expect(rows()).toEqual(['a waiting 0']);
});

test('a kind may have its own words for work that is tried', async () => {
  const { openTogether, rows, at } = scene();
  const { queue, work, batches } = await openTogether(1, { tried: ['watched'] });
  await work.add({ ...one('a'), state: 'watched' }, { ...one('b'), due: start + minute, state: 'planned' });
  queue.start();
  await vi.waitFor(() => expect(batches).toHaveLength(1));
  batches[0]?.end({ a: failed() });
  await vi.waitFor(() => expect(rows()).toEqual(['a watched 1', 'b planned 0']));
  at(minute);
  queue.wake();
  await vi.waitFor(() => expect(batches).toHaveLength(3));
  // Nobody chose the time of the next attempt.
  batches[1]?.end({ b: failed() });
  batches[2]?.end({ a: { ...failed(), state: 'waiting' } });
  await vi.waitFor(() => expect(rows()).toEqual(['a waiting 2', 'b waiting 1']));
});

test('a payload that changes while the work is tried is kept by its outcome', async () => {
  const { open, records, answer } = scene();
  const { queue, work } = await open();
  answer(async ({ key }) => {
    await records.write((transaction) =>
      work.changeIn(transaction, key, ({ what }) => ({ what: `${what}!` })),
    );
    return failed();
  });
  await work.add(one('a'));
  queue.start();
  await vi.waitFor(() => expect(work.entry('a')?.tries).toBe(1));
  expect(work.find('a')).toMatchObject({ payload: { what: 'a!' }, due: start + minute });
  await records.write((transaction) => work.changeIn(transaction, 'missing', (payload) => payload));
  expect(work.size).toBe(1);
});
