import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ActivityItem } from '../../../src-main/contract/activity.ts';
import { openMonthlyLog } from '../../../src-main/storage/monthly-log.ts';
import type { Recovery } from '../../../src-main/storage/recovery.ts';
import {
  readJsonFile,
  systemError,
  temporaryFolder,
  watchedOperations,
} from '../../support/storage-folder.ts';

const item = (id: string, at: string): ActivityItem => ({ id, at, kind: 'sign-in', words: `Item ${id}` });

async function openLog() {
  const dir = join(await temporaryFolder(), 'activity');
  const operations = watchedOperations();
  const told: Recovery[] = [];
  const reopen = () =>
    openMonthlyLog({
      dir,
      schema: ActivityItem,
      operations,
      onRecovered: (recovery) => void told.push(recovery),
    });
  return { dir, operations, told, reopen, log: reopen() };
}

type Log = ReturnType<Awaited<ReturnType<typeof openLog>>['reopen']>;

/** The ids of every page. */
async function pages(log: Log, limit: number): Promise<string[][]> {
  const result: string[][] = [];
  for (let cursor: string | undefined; ;) {
    const { items, nextCursor } = await log.list({ limit, cursor });
    result.push(items.map(({ id }) => id));
    if (nextCursor === undefined) return result;
    cursor = nextCursor;
  }
}

/** A month's document as it lies on disk. */
async function fillMonth(dir: string, month: string, items: ActivityItem[]): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, `${month}.json`), JSON.stringify({ format: 1, items }));
}

describe('a monthly log', () => {
  test('is empty before the first item, and makes nothing', async () => {
    const { log, dir } = await openLog();
    expect(await log.list({ limit: 10 })).toEqual({ items: [] });
    await expect(readdir(dir)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('files an item under the month of its moment, on disk before the answer', async () => {
    const { log, dir } = await openLog();
    const entry = item('a', '2026-11-21T02:03:04.005Z');
    await log.append(entry);
    expect(await readJsonFile(join(dir, '2026-11.json'))).toEqual({ format: 1, items: [entry] });
  });

  test('lists newest first across months, page by page, and says where there are no more', async () => {
    const { log, reopen } = await openLog();
    const moments = ['2026-09-30T23:59:59.000Z', '2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z'];
    for (const [index, at] of moments.entries()) {
      await log.append(item(`${index}a`, at));
      await log.append(item(`${index}b`, at));
    }
    for (const opened of [log, reopen()]) {
      expect(await pages(opened, 100)).toEqual([['2b', '2a', '1b', '1a', '0b', '0a']]);
      expect(await pages(opened, 4)).toEqual([
        ['2b', '2a', '1b', '1a'],
        ['0b', '0a'],
      ]);
      expect(await pages(opened, 3)).toEqual([
        ['2b', '2a', '1b'],
        ['1a', '0b', '0a'],
      ]);
      expect(await pages(opened, 1)).toEqual([['2b'], ['2a'], ['1b'], ['1a'], ['0b'], ['0a']]);
    }
  });

  test('a page does not move when items come in', async () => {
    const { log } = await openLog();
    for (const day of [1, 2, 3]) await log.append(item(`${day}`, `2026-11-0${day}T00:00:00.000Z`));
    const first = await log.list({ limit: 2 });
    await log.append(item('4', '2026-11-04T00:00:00.000Z'));
    await log.append(item('5', '2026-12-01T00:00:00.000Z'));
    const second = await log.list({ limit: 2, cursor: first.nextCursor });
    expect(second).toEqual({ items: [item('1', '2026-11-01T00:00:00.000Z')] });
  });

  test('an item that comes late is listed at its own moment', async () => {
    const { log } = await openLog();
    await log.append(item('b', '2026-11-02T00:00:00.000Z'));
    await log.append(item('a', '2026-11-01T00:00:00.000Z'));
    expect(await pages(log, 10)).toEqual([['b', 'a']]);
  });

  test('items of a burst share one write and keep their order', async () => {
    const { log, operations } = await openLog();
    await log.append(item('first', '2026-11-01T00:00:00.000Z'));
    const before = operations.writesOf('2026-11.json');
    const ids = Array.from({ length: 100 }, (_, index) => `${index}`);
    await Promise.all(ids.map((id) => log.append(item(id, '2026-11-02T00:00:00.000Z'))));
    expect(operations.writesOf('2026-11.json') - before).toBe(1);
    expect(await pages(log, 500)).toEqual([[...ids.toReversed(), 'first']]);
  });

  test('a month keeps its newest 5,000 items', async () => {
    const { log, dir } = await openLog();
    const moment = (n: number) => new Date(Date.UTC(2026, 10, 1, 0, 0, n)).toISOString();
    const full = Array.from({ length: 5000 }, (_, index) => item(`${index}`, moment(index)));
    await fillMonth(dir, '2026-11', full);
    const { nextCursor } = await log.list({ limit: 4999 });
    await log.append(item('newest', moment(5000)));
    const { items } = await log.list({ limit: 6000 });
    expect(items).toHaveLength(5000);
    expect(items[0]?.id).toBe('newest');
    expect(items.at(-1)?.id).toBe('1');
    expect(await log.list({ limit: 10, cursor: nextCursor })).toEqual({ items: [] });
  });

  test('a cursor whose item is gone goes on with what is older', async () => {
    const { log, dir } = await openLog();
    await fillMonth(dir, '2026-10', [item('old', '2026-10-01T00:00:00.000Z')]);
    await fillMonth(dir, '2026-11', [
      item('a', '2026-11-01T00:00:00.000Z'),
      item('c', '2026-11-03T00:00:00.000Z'),
    ]);
    const { items } = await log.list({ limit: 10, cursor: '2026-11-02T00:00:00.000Z_gone' });
    expect(items.map(({ id }) => id)).toEqual(['a', 'old']);
  });

  test('an item that is none is refused alone', async () => {
    const { log } = await openLog();
    const outcomes = await Promise.allSettled([
      log.append(item('good', '2026-11-01T00:00:00.000Z')),
      log.append(item('', '2026-11-01T00:00:00.000Z')),
      log.append(item('undated', 'yesterday')),
      log.append(item('elsewhere', '../2026-11-01')),
      log.append(item('month 13', '2026-13-01T00:00:00.000Z')),
    ]);
    expect(outcomes[0].status).toBe('fulfilled');
    for (const outcome of outcomes.slice(1)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'storage_invalid' } });
    }
    expect(await pages(log, 10)).toEqual([['good']]);
  });

  test.each(['', 'x', '2026-11', '2026-11-01T00:00:00.000Z', '../../etc_passwd'])(
    'the cursor "%s", which no list gave, is refused',
    async (cursor) => {
      const { log } = await openLog();
      await expect(log.list({ limit: 1, cursor })).rejects.toMatchObject({
        code: 'invalid_request',
        status: 400,
      });
    },
  );

  test('only the months that a page needs are read', async () => {
    const { dir, operations, log } = await openLog();
    for (const month of ['08', '09', '10', '11']) {
      await fillMonth(dir, `2026-${month}`, [item(month, `2026-${month}-01T00:00:00.000Z`)]);
    }
    expect((await log.list({ limit: 1 })).items).toHaveLength(1);
    expect(operations.calls.filter((call) => call.startsWith('read '))).toEqual([
      'read 2026-11.json',
      'read 2026-10.json',
    ]);
  });

  test('months that are listed once do not stay in memory', async () => {
    const { dir, operations, log } = await openLog();
    const months = ['01', '02', '03', '04', '05', '06', '07', '08'];
    for (const month of months)
      await fillMonth(dir, `2026-${month}`, [item(month, `2026-${month}-01T00:00:00.000Z`)]);
    await log.list({ limit: 100 });
    operations.calls.length = 0;
    await log.list({ limit: 100 });
    expect(operations.calls.filter((call) => call.startsWith('read ')).length).toBeGreaterThan(0);
  });

  test('a failed write refuses the items and keeps none of them', async () => {
    const { log, operations } = await openLog();
    await log.append(item('kept', '2026-11-01T00:00:00.000Z'));
    operations.before = (name) => {
      if (name === 'write') throw systemError('ENOSPC');
    };
    await expect(log.append(item('lost', '2026-11-02T00:00:00.000Z'))).rejects.toMatchObject({
      code: 'storage_full',
    });
    operations.before = () => undefined;
    await log.append(item('later', '2026-11-03T00:00:00.000Z'));
    expect(await pages(log, 10)).toEqual([['later', 'kept']]);
  });

  test('a month of which only the version before is left is recovered, and the owner is told', async () => {
    const { log, dir, reopen, told } = await openLog();
    await log.append(item('a', '2026-11-01T00:00:00.000Z'));
    await log.append(item('b', '2026-11-02T00:00:00.000Z'));
    await rm(join(dir, '2026-11.json'));
    expect(await pages(reopen(), 10)).toEqual([['a']]);
    expect(told).toEqual([{ file: join(dir, '2026-11.json'), movedTo: null, recoveredFrom: 'previous' }]);
  });
});
