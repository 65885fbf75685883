import { describe, expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../../src-main/contract/error.ts';
import { scheduleOf } from '../../../../src-main/platform/retry-schedule.ts';
import {
  MentionQueue,
  createWaitingSenders,
  MentionToCheck,
  mentionWork,
  noteState,
  type Receipt,
} from '../../../../src-main/mentions/receiving/queue.ts';
import type { Attempt, Outcome } from '../../../../src-main/storage/work/work-kind.ts';
import type { ReceivedMention } from '../../../../src-main/mentions/receiving/received-mentions.ts';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { openWork } from '../../../../src-main/storage/work/work.ts';
import { memoryWork } from '../../../support/memory-work.ts';

const target = 'https://ada.example/post';
const source = 'https://bea.example/1';
const second = 1000;
const day = 86_400 * second;
const start = Date.parse('2026-11-20T12:00:00Z');

async function opened({ waiting = 10_000, settled = 2000 } = {}) {
  const clock = { now: start };
  const now = () => clock.now;
  const first = await memoryWork({ now });
  const { records } = first;
  const reached = vi.fn();
  let check: (attempt: Attempt<MentionToCheck>) => Promise<Outcome<MentionToCheck>> = () =>
    new Promise(() => undefined);
  const checked: string[] = [];

  function door(queueOfWork: Awaited<ReturnType<typeof openWork>>) {
    const senders = createWaitingSenders({ waiting });
    const work = queueOfWork.defineWork({
      kind: mentionWork,
      payload: MentionToCheck,
      retries: scheduleOf('source'),
      run(attempt) {
        checked.push(attempt.payload.source);
        return check(attempt);
      },
      added: ({ key, party }) => senders.add(key, party),
      removed: ({ key }) => senders.drop(key),
    });
    return {
      senders,
      work,
      queue: new MentionQueue({ records, work, senders, clock: now, reached, limits: { settled } }),
    };
  }

  const one = door(first.work);
  return {
    ...one,
    clock,
    records,
    reached,
    checked,
    queueOfWork: first.work,
    onCheck: (next: typeof check) => void (check = next),
    /** Settles a mention as a check does. */
    settle: async (token: string, state: ReceivedMention['state'] = 'success', words?: string) => {
      await records.write((transaction) => {
        one.work.cancelIn(transaction, token);
        noteState(transaction, token, { state, at: clock.now, words });
      });
    },
    reopen: async () => door(await openWork({ records, now, online: () => true, log: silentLog })),
    rows: () =>
      records.rows(({ source: from, state }) => `${from} ${state}`, 'SELECT * FROM received_mentions'),
  };
}

function entryOf(receipt: Receipt): ReceivedMention {
  if (receipt.kind !== 'queued') throw new Error(receipt.kind);
  return receipt.entry;
}

const sent = (from: string, visitor?: string) => ({ source: from, target, visitor });
const received = async (queue: MentionQueue, from = source) => entryOf(await queue.receive(sent(from)));

test('WR-5 a received mention is on disk before it is acknowledged, together with its work', async () => {
  const { queue, work, rows } = await opened();
  const entry = await received(queue);
  expect(rows()).toEqual([`${source} waiting`]);
  expect(work.find(entry.token)?.payload).toEqual({ source, target });
});

test('a queue that is opened again knows its waiting and settled mentions', async () => {
  const { queue, settle, reopen } = await opened();
  const done = await received(queue);
  const left = await received(queue, 'https://bea.example/2');
  await settle(done.token, 'failed', 'No link.');
  const again = await reopen();
  expect(Array.from(again.work.entries(), ({ key }) => key)).toEqual([left.token]);
  expect(again.queue.byToken(done.token)).toMatchObject({ state: 'failed', words: 'No link.' });
});

test('a waiting mention without work, as after a restore, gets some', async () => {
  const { queue, work, records } = await opened();
  const { token } = await received(queue);
  await records.write(({ run }) => run('DELETE FROM work'));
  await queue.resume();
  expect(work.find(token)?.payload).toEqual({ source, target });
});

describe('a pair that is sent again', () => {
  test('while it waits for another try, has its turn now, or 30 seconds after its last try', async () => {
    const { clock, queue, work, records, queueOfWork, onCheck } = await opened();
    onCheck((attempt) =>
      Promise.resolve({
        kind: 'failed',
        words: 'Busy.',
        mayPass: true,
        also: (transaction) =>
          noteState(transaction, attempt.key, { state: 'waiting', at: clock.now, words: 'Busy.' }),
      }),
    );
    const first = await received(queue);
    queueOfWork.start();
    await vi.waitFor(() => expect(work.entry(first.token)?.tries).toBe(1));
    clock.now += 10 * second;
    expect(await received(queue)).toMatchObject({ token: first.token, words: 'Busy.' });
    expect(work.entry(first.token)).toMatchObject({ due: start + 30 * second, tries: 1 });
    onCheck(() => new Promise(() => undefined));
    clock.now += 30 * second;
    await received(queue);
    expect(work.entry(first.token)).toMatchObject({ due: start + 40 * second, tries: 1 });
    expect(records.rows(({ key }) => key, 'SELECT key FROM work')).toEqual([first.token]);
  });

  test('while it is being verified, is verified once more', async () => {
    const { queue, queueOfWork, onCheck, checked, work } = await opened();
    let release: () => void = () => undefined;
    onCheck(() => new Promise((resolve) => (release = () => resolve({ kind: 'done' }))));
    await received(queue);
    queueOfWork.start();
    await vi.waitFor(() => expect(checked).toHaveLength(1));
    await received(queue);
    onCheck(() => Promise.resolve({ kind: 'done' }));
    release();
    await vi.waitFor(() => expect(work.size).toBe(0));
    expect(checked).toEqual([source, source]);
  });

  test('WR-5 within 30 seconds after it was settled, is due once when they are over, also after a restart', async () => {
    const { clock, queue, work, settle, reopen } = await opened();
    const { token } = await received(queue);
    await settle(token, 'failed', 'No link.');
    clock.now += 10 * second;
    expect(await received(queue)).toEqual({
      token,
      source,
      target,
      state: 'waiting',
      received: '2026-11-20T12:00:10.000Z',
      tried: '2026-11-20T12:00:00.000Z',
      words: undefined,
    });
    const { seq } = work.entry(token)!;
    clock.now += 10 * second;
    await received(queue);
    expect(work.entry(token)).toMatchObject({ seq, due: start + 30 * second });
    expect((await reopen()).work.entry(token)).toMatchObject({ seq, due: start + 30 * second });
  });

  test('30 seconds after it was settled, waits again', async () => {
    const { clock, queue, work, settle } = await opened();
    const { token } = await received(queue);
    await settle(token);
    clock.now += 30 * second;
    expect(await received(queue)).toMatchObject({ token, state: 'waiting', tried: undefined });
    expect(work.entry(token)?.due).toBe(clock.now);
  });
});

describe('a pair that arrived elsewhere', () => {
  const arrived = Date.parse('2026-11-20T11:00:00Z');
  const pair = { source, target, arrived };

  test('is received once, however often it is handed over, also after it was settled and after a restart', async () => {
    const { clock, queue, work, settle, reopen } = await opened();
    const first = await queue.receive(pair);
    expect(first).toMatchObject({ isKnown: false, entry: { received: '2026-11-20T11:00:00.000Z' } });
    expect(await queue.receive(pair)).toMatchObject({ isKnown: true });
    await settle(entryOf(first).token);
    clock.now += day;
    expect(await queue.receive(pair)).toMatchObject({ isKnown: true });
    expect(work.size).toBe(0);
    expect(await (await reopen()).queue.receive(pair)).toMatchObject({ isKnown: true });
  });

  test('is checked again though a clock that was ahead says that it came later, and waits once', async () => {
    const { queue, work, settle } = await opened();
    await settle((await received(queue)).token);
    expect(await queue.receive(pair)).toMatchObject({ isKnown: false });
    expect(work.size).toBe(1);
  });

  test('is known when it is handed over again, also if the same pair was waiting here already', async () => {
    const { queue, work } = await opened();
    await received(queue);
    expect(await queue.receive(pair)).toMatchObject({ isKnown: false });
    expect(await queue.receive(pair)).toMatchObject({ isKnown: true });
    expect(work.size).toBe(1);
  });
});

test('a clock that was set back makes nobody wait for longer than 30 seconds', async () => {
  const { clock, queue, work, settle } = await opened();
  const { token } = await received(queue);
  await settle(token);
  clock.now -= day;
  await received(queue);
  expect(work.entry(token)?.due).toBe(clock.now + 30 * second);
});

describe('bounds', () => {
  test('no more than the limit wait; a waiting mention may be sent again', async () => {
    const { queue, settle } = await opened({ waiting: 2 });
    await received(queue);
    const { token } = await received(queue, 'https://bea.example/2');
    expect(await queue.receive(sent('https://bea.example/3'))).toEqual({ kind: 'full', of: 'all' });
    expect((await queue.receive(sent(source))).kind).toBe('queued');
    await settle(token);
    expect((await queue.receive(sent('https://bea.example/3'))).kind).toBe('queued');
  });

  test('a mention for which there is no room is refused without a write', async () => {
    const { queue, records } = await opened({ waiting: 1 });
    await received(queue);
    const write = vi.spyOn(records, 'write');
    expect((await queue.receive(sent('https://bea.example/2'))).kind).toBe('full');
    expect(write).not.toHaveBeenCalled();
  });

  /** Sends so many mentions and answers how many of them wait. */
  async function queuedOf(
    queue: MentionQueue,
    count: number,
    from: (index: number) => string,
    visitor?: string,
  ) {
    const receipts = Array.from({ length: count }, (_, index) => queue.receive(sent(from(index), visitor)));
    return (await Promise.all(receipts)).filter(({ kind }) => kind === 'queued').length;
  }

  test('no site has more than a tenth of the queue, whatever its hosts are called, and others have room', async () => {
    const { queue } = await opened();
    const mallory = (index: number) => `https://n${index % 700}.mallory.example/${index}`;
    expect(await queuedOf(queue, 1200, mallory)).toBe(1000);
    expect(await queue.receive(sent('https://mallory.example/'))).toEqual({ kind: 'full', of: 'site' });
    expect(await queuedOf(queue, 500, (index) => `https://bridge.test/${index}`)).toBe(500);
  });

  test('no visitor has more than a tenth of the queue, wherever the sources are', async () => {
    const { queue } = await opened();
    const anywhere = (index: number) => `https://site-${index}.example/`;
    expect(await queuedOf(queue, 1200, anywhere, '203.0.113.9')).toBe(1000);
    const refused = await queue.receive(sent('https://cyd.example/', '203.0.113.9'));
    expect(refused).toEqual({ kind: 'full', of: 'visitor' });
    expect(await queuedOf(queue, 500, (index) => `https://s${index}.test/`, '198.51.100.1')).toBe(500);
  });

  test('what did not come through the tunnel may be many senders: together half of it', async () => {
    const { queue } = await opened({ waiting: 1000 });
    expect(await queuedOf(queue, 600, (index) => `https://site-${index}.example/`)).toBe(500);
  });

  test('10,010 mentions from one host leave room for others', async () => {
    const { queue } = await opened();
    expect(await queuedOf(queue, 10_010, (index) => `https://one.example/${index}`)).toBe(1000);
    expect((await queue.receive(sent(source))).kind).toBe('queued');
  });

  test('twenty sites and visitors that fill it leave room for a newcomer', async () => {
    const { queue } = await opened({ waiting: 1000 });
    let waiting = 0;
    for (let party = 0; party < 20; party += 1)
      waiting += await queuedOf(
        ...([
          queue,
          100,
          (index: number) => `https://m${party}.example/${index}`,
          `192.0.2.${party}`,
        ] as const),
      );
    expect(waiting).toBeLessThan(900);
    expect((await queue.receive(sent(source, '198.51.100.1'))).kind).toBe('queued');
  });

  test('mentions that were waiting when the queue was opened count for their site', async () => {
    const { queue, settle, reopen } = await opened({ waiting: 1000 });
    await queuedOf(queue, 100, (index) => `https://mallory.example/${index}`, '203.0.113.9');
    const again = await reopen();
    const more = sent('https://mallory.example/', '198.51.100.1');
    expect(await again.queue.receive(more)).toEqual({ kind: 'full', of: 'site' });
    for (const { key } of [...again.work.entries()].slice(0, 50)) {
      await again.work.cancel(key);
      await settle(key, 'failed', 'No link.');
    }
    expect((await again.queue.receive(more)).kind).toBe('queued');
  });

  test('a mention that finds it full tells all the same that this computer is connected', async () => {
    const { queue, reached } = await opened({ waiting: 1 });
    await received(queue);
    expect((await queue.receive(sent('https://bea.example/2'))).kind).toBe('full');
    expect(reached).toHaveBeenCalledTimes(2);
  });

  test('WR-11 what became of a mention is known for three days, then forgotten', async () => {
    const { clock, queue, settle, rows } = await opened();
    const { token } = await received(queue);
    await settle(token);
    clock.now += 3 * day;
    expect(queue.byToken(token)?.state).toBe('success');
    clock.now += 1;
    expect(queue.byToken(token)).toBeUndefined();
    for (let index = 0; index < 100; index += 1) await received(queue, `https://cyd.example/${index}`);
    expect(rows()).not.toContain(`${source} success`);
  });

  test('only the newest settled mentions are kept', async () => {
    const { clock, queue, settle, rows } = await opened({ settled: 20 });
    for (let index = 0; index < 201; index += 1) {
      const { token } = await received(queue, `https://s${index}.example/`);
      if (index < 200) await settle(token);
      clock.now += second;
    }
    const settled = rows().filter((row) => row.endsWith('success'));
    expect(settled).toHaveLength(20);
    expect(settled).toContain('https://s199.example/ success');
  });
});

test('a mention that the disk refuses is refused, and leaves no trace', async () => {
  const { queue, work, records, settle, rows } = await opened({ waiting: 3 });
  const done = await received(queue);
  await settle(done.token);
  const full = new PorchlightError('storage_full', 'The disk is full.');
  const write = vi.spyOn(records, 'write').mockImplementation(() => Promise.reject(full));
  for (const from of [source, 'https://bea.example/2', 'https://bea.example/3', 'https://bea.example/4'])
    await expect(queue.receive(sent(from))).rejects.toBe(full);
  expect(queue.byToken(done.token)?.state).toBe('success');
  expect(work.size).toBe(0);
  write.mockRestore();
  for (const index of [2, 3, 4]) await received(queue, `https://bea.example/${index}`);
  expect(rows()).toHaveLength(4);
});

test('a mention whose transaction fails takes no place in the queue', async () => {
  const { queue, records } = await opened({ waiting: 1 });
  const full = new PorchlightError('storage_full', 'The disk is full.');
  const write = records.write.bind(records);
  vi.spyOn(records, 'write').mockImplementationOnce((change) =>
    write((transaction) => {
      change(transaction);
      throw full;
    }),
  );
  await expect(queue.receive(sent(source))).rejects.toBe(full);
  expect(await queue.receive(sent('https://bea.example/2'))).toMatchObject({ kind: 'queued' });
});
