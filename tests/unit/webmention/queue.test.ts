import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  openQueue,
  type Queue,
  type QueueOptions,
  type Receipt,
} from '../../../src-main/webmention/queue.ts';
import type { QueueEntry } from '../../../src-main/webmention/queue-entry.ts';
import { readQueue } from '../../../src-main/webmention/queue-file.ts';
import { failing } from '../../support/failing-files.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

vi.mock('node:fs/promises', async (original) => {
  const { failingFiles } = await import('../../support/failing-files.ts');
  return failingFiles(await original());
});

afterEach(() => {
  failing.write = false;
});

const target = 'https://ada.example/post';
const source = 'https://bea.example/1';
const day = 86_400_000;

async function opened(options: Partial<QueueOptions> = {}) {
  const dir = await temporaryFolder();
  const file = join(dir, 'queue.jsonl');
  const clock = { now: Date.parse('2026-11-20T12:00:00Z') };
  const open = () => openQueue({ file, clock: () => clock.now, ...options });
  return { dir, file, clock, open, queue: await open() };
}

function entryOf(receipt: Receipt): QueueEntry {
  if (receipt.kind !== 'queued') throw new Error(receipt.kind);
  return receipt.entry;
}

/** What is on disk: each entry as it is in the end. */
const inFile = async (file: string) => [...(await readQueue(file)).entries.values()];

const waitingSources = (queue: Queue) => Array.from(queue.waiting(), (entry) => entry.source);

test('WR-5 what was received is on disk before it is acknowledged', async () => {
  const { file, queue } = await opened();
  const entry = entryOf(await queue.receive(source, target));
  expect(await inFile(file)).toEqual([entry]);
});

test('the same pair twice at once is acknowledged only when it is on disk', async () => {
  const { file, queue } = await opened();
  const seen = await Promise.all(
    [1, 2].map(async () => {
      await queue.receive(source, target);
      return (await inFile(file)).length;
    }),
  );
  expect(seen).toEqual([1, 1]);
});

test('a queue that is opened again knows what waits, in its order, and what was settled', async () => {
  const { open, queue } = await opened();
  const done = entryOf(await queue.receive(source, target));
  await queue.receive('https://bea.example/2', target);
  const postponed = entryOf(await queue.receive('https://bea.example/3', target));
  await queue.receive('https://bea.example/4', target);
  queue.settle(done, 'failed', 'No link.');
  queue.postpone(postponed, { pauseMs: 60_000, words: 'Busy.', costs: 1 });
  await queue.flush();
  const again = await open();
  expect(waitingSources(again)).toEqual([2, 4, 3].map((number) => `https://bea.example/${number}`));
  expect(again.byToken(postponed.token)).toMatchObject({
    tries: 1,
    words: 'Busy.',
    next: '2026-11-20T12:01:00.000Z',
  });
  expect(again.byToken(done.token)).toMatchObject({ state: 'failed', words: 'No link.' });
});

test('what is settled is saved without anybody waiting for it', async () => {
  const { file, queue } = await opened();
  queue.settle(entryOf(await queue.receive(source, target)), 'success');
  await expect.poll(() => inFile(file)).toMatchObject([{ state: 'success' }]);
});

test('a try before its time changes neither its turn nor its tries, and is counted apart', async () => {
  const { clock, queue } = await opened();
  const entry = entryOf(await queue.receive(source, target));
  queue.postpone(entry, { pauseMs: 60_000, words: 'Busy.', costs: 1 });
  clock.now += 10_000;
  queue.postpone(queue.byToken(entry.token)!, { words: 'Still busy.', costs: 0 });
  expect(queue.byToken(entry.token)).toMatchObject({
    tries: 1,
    early: 1,
    next: '2026-11-20T12:01:00.000Z',
    tried: '2026-11-20T12:00:10.000Z',
    words: 'Still busy.',
  });
  clock.now += 60_000;
  queue.postpone(queue.byToken(entry.token)!, { pauseMs: 60_000, words: 'Busy.', costs: 1 });
  expect(queue.byToken(entry.token)).toMatchObject({ tries: 2, early: 0 });
});

test('a try that does not count leaves the number of tries as it is', async () => {
  const { queue } = await opened();
  const entry = entryOf(await queue.receive(source, target));
  queue.postpone(entry, { pauseMs: 1000, words: 'Offline.', costs: 0 });
  expect(queue.byToken(entry.token)?.tries).toBe(0);
});

describe('a pair that is sent again', () => {
  test('while it waits for another try, has its turn now, or 30 seconds after its last try', async () => {
    const { clock, queue } = await opened();
    const first = entryOf(await queue.receive(source, target));
    queue.postpone(first, { pauseMs: 3_600_000, words: 'Busy.', costs: 1 });
    clock.now += 10_000;
    expect(entryOf(await queue.receive(source, target)).next).toBe('2026-11-20T12:00:30.000Z');
    clock.now += 30_000;
    const again = entryOf(await queue.receive(source, target));
    expect(again).toMatchObject({ token: first.token, tries: 1, next: '2026-11-20T12:00:40.000Z' });
    expect(queue.size).toBe(1);
  });

  test('while it is being looked at, is looked at once more', async () => {
    const { queue } = await opened();
    const underWay = entryOf(await queue.receive(source, target));
    await queue.receive(source, target);
    queue.settle(underWay, 'success');
    expect(waitingSources(queue)).toEqual([source]);
    queue.settle(queue.byToken(underWay.token)!, 'success');
    expect(queue.size).toBe(0);
  });

  test('WR-5 within 30 seconds after it was settled, is due once when they are over, also after a restart', async () => {
    const { clock, queue, open } = await opened();
    const { token } = entryOf(await queue.receive(source, target));
    queue.settle(queue.byToken(token)!, 'failed', 'No link.');
    clock.now += 10_000;
    const entry = entryOf(await queue.receive(source, target));
    expect(entry).toEqual({
      token,
      source,
      target,
      received: '2026-11-20T12:00:10.000Z',
      state: 'waiting',
      tries: 0,
      early: 0,
      tried: '2026-11-20T12:00:00.000Z',
      next: '2026-11-20T12:00:30.000Z',
    });
    clock.now += 10_000;
    expect(entryOf(await queue.receive(source, target))).toBe(entry);
    expect(queue.takeDue()).toEqual([]);

    const later = await open();
    clock.now += 9_999;
    expect(later.takeDue()).toEqual([]);
    clock.now += 1;
    expect(later.takeDue()).toEqual([entry]);
    expect(later.takeDue()).toEqual([]);
  });

  test('30 seconds after it was settled, waits anew', async () => {
    const { clock, queue } = await opened();
    const { token } = entryOf(await queue.receive(source, target));
    queue.settle(queue.byToken(token)!, 'success');
    clock.now += 30_000;
    const entry = entryOf(await queue.receive(source, target));
    expect(entry).toMatchObject({ token, state: 'waiting', next: '2026-11-20T12:00:30.000Z' });
    expect(queue.takeDue()).toEqual([entry]);
  });
});

describe('a pair that arrived elsewhere', () => {
  const arrived = Date.parse('2026-11-20T11:00:00Z');

  test('is received once, however often it is handed over, also after it was settled and after a restart', async () => {
    const { clock, queue, open } = await opened();
    const first = await queue.receive(source, target, undefined, arrived);
    expect(first).toMatchObject({ isKnown: false, entry: { received: '2026-11-20T11:00:00.000Z' } });
    expect(await queue.receive(source, target, undefined, arrived)).toMatchObject({ isKnown: true });
    queue.settle(entryOf(first), 'success');
    clock.now += day;
    expect(await queue.receive(source, target, undefined, arrived)).toMatchObject({ isKnown: true });
    expect(queue.size).toBe(0);
    await queue.flush();
    const later = await open();
    expect(await later.receive(source, target, undefined, arrived)).toMatchObject({ isKnown: true });
    expect(later.size).toBe(0);
  });

  test('is checked again though a clock that was ahead says that it came later, and waits once', async () => {
    const { queue } = await opened();
    queue.settle(entryOf(await queue.receive(source, target)), 'success');
    expect(await queue.receive(source, target, undefined, arrived)).toMatchObject({ isKnown: false });
    expect(waitingSources(queue)).toEqual([source]);
  });

  test('is known when it is handed over again, also if the same pair was waiting here already', async () => {
    const { queue } = await opened();
    await queue.receive(source, target);
    expect(await queue.receive(source, target, undefined, arrived)).toMatchObject({ isKnown: false });
    expect(await queue.receive(source, target, undefined, arrived)).toMatchObject({ isKnown: true });
    expect(waitingSources(queue)).toEqual([source]);
  });
});

describe('a clock that was set back', () => {
  test('makes nobody wait for longer than 30 seconds', async () => {
    const { clock, queue } = await opened();
    queue.settle(entryOf(await queue.receive(source, target)), 'success');
    clock.now -= day;
    expect(entryOf(await queue.receive(source, target)).next).toBe('2026-11-19T12:00:30.000Z');
  });

  test('gives those a turn whose turn it put 400 days away, at once and at a start', async () => {
    const { clock, queue, open } = await opened();
    clock.now += 400 * day;
    const first = entryOf(await queue.receive(source, target));
    expect(queue.takeDue()).toEqual([first]);
    queue.postpone(first, { pauseMs: 60_000, words: 'Busy.', costs: 1 });
    await queue.flush();
    clock.now -= 400 * day;
    expect(queue.takeDue().map(({ token }) => token)).toEqual([first.token]);
    const later = await open();
    expect(later.takeDue().map(({ token }) => token)).toEqual([first.token]);
  });
});

describe('bounds', () => {
  test('no more wait than may; one that waits already may be sent again', async () => {
    const { queue } = await opened({ limits: { waiting: 2, settled: 2 } });
    await queue.receive(source, target);
    const second = entryOf(await queue.receive('https://bea.example/2', target));
    expect(await queue.receive('https://bea.example/3', target)).toEqual({ kind: 'full', of: 'all' });
    expect((await queue.receive(source, target)).kind).toBe('queued');
    queue.settle(second, 'success');
    expect((await queue.receive('https://bea.example/3', target)).kind).toBe('queued');
  });

  test('where no more may wait, nothing that was acknowledged is given up', async () => {
    const { queue } = await opened({ limits: { waiting: 2, settled: 10 } });
    const first = entryOf(await queue.receive(source, target));
    const second = entryOf(await queue.receive('https://bea.example/2', target));
    queue.postpone(second, { pauseMs: 60_000, words: 'No answer.', costs: 1 });
    expect(await queue.receive('https://bea.example/3', target)).toEqual({ kind: 'full', of: 'all' });
    expect(waitingSources(queue)).toEqual([first.source, second.source]);
  });

  /** Sends so many mentions and answers how many of them wait. */
  async function queuedOf(queue: Queue, count: number, source: (index: number) => string, visitor?: string) {
    const receipts = Array.from({ length: count }, (_, index) =>
      queue.receive(source(index), target, visitor),
    );
    return (await Promise.all(receipts)).filter(({ kind }) => kind === 'queued').length;
  }

  test('no site has more than a tenth of it, whatever its hosts are called, and others have room', async () => {
    const { queue } = await opened();
    const mallory = (index: number) => `https://n${index % 700}.mallory.example/${index}`;
    expect(await queuedOf(queue, 1200, mallory)).toBe(1000);
    expect(await queue.receive('https://mallory.example/', target)).toEqual({ kind: 'full', of: 'site' });
    expect(await queuedOf(queue, 500, (index) => `https://bridge.test/${index}`)).toBe(500);
  });

  test('no visitor has more than a tenth of it, wherever the sources are', async () => {
    const { queue } = await opened();
    const anywhere = (index: number) => `https://site-${index}.example/`;
    expect(await queuedOf(queue, 1200, anywhere, '203.0.113.9')).toBe(1000);
    const refused = await queue.receive('https://cyd.example/', target, '203.0.113.9');
    expect(refused).toEqual({ kind: 'full', of: 'visitor' });
    expect(await queuedOf(queue, 500, (index) => `https://s${index}.test/`, '198.51.100.1')).toBe(500);
  });

  test('what did not come through the tunnel may be many senders: together half of it', async () => {
    const { queue } = await opened({ limits: { waiting: 1000, settled: 10 } });
    expect(await queuedOf(queue, 600, (index) => `https://site-${index}.example/`)).toBe(500);
  });

  test('twenty sites and visitors that fill it leave room for a newcomer', async () => {
    const { queue } = await opened({ limits: { waiting: 1000, settled: 10 } });
    let waiting = 0;
    for (let party = 0; party < 20; party += 1)
      waiting += await queuedOf(
        queue,
        100,
        (index) => `https://m${party}.example/${index}`,
        `192.0.2.${party}`,
      );
    expect(waiting).toBeLessThan(900);
    expect((await queue.receive(source, target, '198.51.100.1')).kind).toBe('queued');
  });

  test('what was waiting when the queue was opened counts for its site', async () => {
    const limits = { waiting: 1000, settled: 10 };
    const { queue, open } = await opened({ limits });
    await queuedOf(queue, 100, (index) => `https://mallory.example/${index}`, '203.0.113.9');
    const again = await open();
    expect(await again.receive('https://mallory.example/', target, '198.51.100.1')).toEqual({
      kind: 'full',
      of: 'site',
    });
    for (const entry of [...again.waiting()].slice(0, 50)) again.settle(entry, 'failed', 'No link.');
    expect((await again.receive('https://mallory.example/', target)).kind).toBe('queued');
  });

  test('long addresses fill it sooner, so that memory stays bounded', async () => {
    const { queue } = await opened({ limits: { waiting: 100, settled: 10, characters: 4000 } });
    const kinds: string[] = [];
    for (const number of [1, 2, 3]) {
      const long = `https://bea-${number}.example/${'x'.repeat(2000)}`;
      kinds.push((await queue.receive(long, target, `192.0.2.${number}`)).kind);
    }
    expect(kinds).toEqual(['queued', 'queued', 'full']);
  });

  test('a mention that finds it full tells all the same that this computer is connected', async () => {
    const { clock, queue } = await opened({ limits: { waiting: 1, settled: 10 } });
    await queue.receive(source, target);
    clock.now += day;
    expect(await queue.receive('https://bea.example/2', target)).toEqual({ kind: 'full', of: 'all' });
    expect(queue.lastReceived).toBe(clock.now);
  });

  test('WR-11 what became of a mention is known for three days, then forgotten', async () => {
    const { clock, queue, open } = await opened();
    const { token } = entryOf(await queue.receive(source, target));
    queue.settle(queue.byToken(token)!, 'success');
    clock.now += 3 * day;
    const other = entryOf(await queue.receive('https://bea.example/2', target));
    queue.settle(other, 'success');
    expect(queue.byToken(token)?.state).toBe('success');
    await queue.flush();
    clock.now += 1;
    const again = await open();
    expect([again.byToken(token), again.byToken(other.token)?.state]).toEqual([undefined, 'success']);
  });

  test('of the settled ones the newest are remembered', async () => {
    const { queue } = await opened({ limits: { waiting: 10, settled: 2 } });
    const tokens: string[] = [];
    for (const number of [1, 2, 3]) {
      const entry = entryOf(await queue.receive(`https://bea.example/${number}`, target));
      queue.settle(entry, 'success');
      tokens.push(entry.token);
    }
    expect(tokens.map((token) => queue.byToken(token)?.state)).toEqual([undefined, 'success', 'success']);
  });
});

test('what can not be saved was not received, and leaves no trace', async () => {
  const { dir, file, clock, queue } = await opened();
  const settled = entryOf(await queue.receive(source, target));
  const waiting = entryOf(await queue.receive('https://bea.example/2', target));
  queue.settle(settled, 'success');
  await queue.flush();
  clock.now += 60_000;
  await rm(dir, { recursive: true });
  await writeFile(dir, 'a file where the folder was');
  const refused = { code: 'storage_unwritable' };
  await expect(queue.receive('https://bea.example/3', target)).rejects.toMatchObject(refused);
  await expect(queue.receive(source, target)).rejects.toMatchObject(refused);
  await expect(queue.receive('https://bea.example/2', target)).rejects.toMatchObject(refused);
  expect(Array.from(queue.waiting())).toEqual([waiting]);
  expect(queue.byToken(settled.token)?.state).toBe('success');
  await rm(dir);
  expect((await queue.receive('https://bea.example/3', target)).kind).toBe('queued');
  expect(await inFile(file)).toMatchObject([{}, {}, { state: 'success' }]);
});

test('what was settled before a write that failed is saved with the next one; what was refused is not', async () => {
  const { file, open, queue } = await opened();
  const first = entryOf(await queue.receive(source, target));
  queue.settle(first, 'success');
  failing.write = true;
  const refused = { code: 'storage_full' };
  await expect(queue.receive('https://bea.example/2', target)).rejects.toMatchObject(refused);
  await expect(queue.flush()).rejects.toMatchObject(refused);
  failing.write = false;
  const third = entryOf(await queue.receive('https://bea.example/3', target));
  expect(await inFile(file)).toMatchObject([{ token: first.token, state: 'success' }, third]);
  const again = await open();
  expect(again.byToken(first.token)?.state).toBe('success');
  expect(waitingSources(again)).toEqual(['https://bea.example/3']);
});
