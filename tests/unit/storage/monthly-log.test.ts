import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ActivityItem } from '../../../src-main/contract/activity.ts';
import { documentCodec } from '../../../src-main/storage/document-format.ts';
import { logProblems, openMonthlyLog } from '../../../src-main/storage/monthly-log.ts';
import type { Recovery } from '../../../src-main/storage/recovery.ts';
import { counted, failing } from '../../support/failing-files.ts';
import { readJsonFile, temporaryFolder } from '../../support/storage-folder.ts';

vi.mock('node:fs/promises', async (original) => {
  const { failingFiles } = await import('../../support/failing-files.ts');
  return failingFiles(await original());
});

beforeEach(() => {
  Object.assign(counted, { writes: 0, syncs: 0, opens: 0 });
});
afterEach(() => {
  for (const name of Object.keys(failing)) Object.assign(failing, { [name]: false });
});

const codec = documentCodec({ schema: ActivityItem, format: 1 });
const now = () => new Date('2026-11-21T02:03:04.005Z');
const item = (id: string, at: string): ActivityItem => ({ id, at, kind: 'sign-in', words: `Item ${id}` });
const lineOf = (one: ActivityItem) => `${JSON.stringify(codec.encode(one))}\n`;
const moment = (n: number) => new Date(Date.UTC(2026, 10, 1, 0, 0, n)).toISOString();

async function openLog() {
  const dir = join(await temporaryFolder(), 'activity');
  const told: Recovery[] = [];
  const reopen = () => {
    const log = openMonthlyLog({ dir, codec, now, onRecovered: (recovery) => void told.push(recovery) });
    onTestFinished(() => log.close());
    return log;
  };
  return { dir, file: join(dir, '2026-11.jsonl'), told, reopen, log: reopen() };
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

async function fillMonth(dir: string, month: string, items: ActivityItem[]): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, `${month}.jsonl`), items.map(lineOf).join(''));
}

describe('a monthly log', () => {
  test('is empty before the first item, and makes nothing', async () => {
    const { log, dir } = await openLog();
    expect(await log.list({ limit: 10 })).toEqual({ items: [] });
    await expect(readdir(dir)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('files an item under the month of its moment, on disk before the answer', async () => {
    const { log, file } = await openLog();
    const entry = item('a', '2026-11-21T02:03:04.005Z');
    await log.append(entry);
    expect(await readJsonFile(file)).toEqual({ format: 1, ...entry });
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
    const { log, told } = await openLog();
    await log.append(item('b', '2026-11-02T00:00:00.000Z'));
    await log.append(item('a', '2026-11-01T00:00:00.000Z'));
    expect(await pages(log, 10)).toEqual([['b', 'a']]);
    await log.append(item('c', '2026-11-01T12:00:00.000Z'));
    await log.append(item('d', '2026-11-03T00:00:00.000Z'));
    expect(await pages(log, 1)).toEqual([['d'], ['b'], ['c'], ['a']]);
    expect(told).toEqual([]);
  });

  test('a late item moves no page that was listed before', async () => {
    const { log } = await openLog();
    for (const day of [1, 3, 5]) await log.append(item(`${day}`, `2026-11-0${day}T00:00:00.000Z`));
    const first = await log.list({ limit: 1 });
    await log.append(item('2', '2026-11-02T00:00:00.000Z'));
    await log.append(item('6', '2026-11-06T00:00:00.000Z'));
    expect(await pages(log, 9)).toEqual([['6', '5', '3', '2', '1']]);
    const rest = await log.list({ limit: 9, cursor: first.nextCursor });
    expect(rest.items.map(({ id }) => id)).toEqual(['3', '2', '1']);
  });

  test('items of a burst share one write and keep their order', async () => {
    const { log } = await openLog();
    await log.append(item('first', '2026-11-01T00:00:00.000Z'));
    const { syncs } = counted;
    const ids = Array.from({ length: 100 }, (_, index) => `${index}`);
    await Promise.all(ids.map((id) => log.append(item(id, '2026-11-02T00:00:00.000Z'))));
    expect(counted.syncs - syncs).toBe(1);
    expect(await pages(log, 500)).toEqual([[...ids.toReversed(), 'first']]);
  });

  test('a month keeps all of its items, and only the lines that a page needs are read', async () => {
    const { log, dir, file, told } = await openLog();
    const full = Array.from({ length: 20_000 }, (_, index) => item(`${index}`, moment(index)));
    await fillMonth(dir, '2026-11', full);
    // A damaged first line would be reported if it were read.
    await writeFile(file, (await readFile(file, 'utf8')).replace('{', '['));
    const { items, nextCursor } = await log.list({ limit: 100 });
    expect(items.map(({ id }) => id)).toEqual(
      full
        .slice(-100)
        .map(({ id }) => id)
        .reverse(),
    );
    await log.append(item('newest', moment(20_000)));
    const second = await log.list({ limit: 100, cursor: nextCursor });
    expect(second.items[0]?.id).toBe('19899');
    expect(told).toEqual([]);
    expect((await pages(log, 1000)).flat()).toHaveLength(20_000);
    expect(told).toHaveLength(1);
  });

  test('a cursor whose item is gone goes on with what is older', async () => {
    const { log, dir } = await openLog();
    await fillMonth(dir, '2026-10', [item('old', '2026-10-01T00:00:00.000Z')]);
    await fillMonth(dir, '2026-11', [
      item('a', '2026-11-01T00:00:00.000Z'),
      item('c', '2026-11-03T00:00:00.000Z'),
    ]);
    for (const end of ['gone', 'gone_0', 'gone_99', 'c_5', 'a_999999']) {
      const { items } = await log.list({ limit: 10, cursor: `2026-11-02T00:00:00.000Z_${end}` });
      expect(items.map(({ id }) => id)).toEqual(['a', 'old']);
    }
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
    const { dir, log } = await openLog();
    for (const month of ['10', '11'])
      await fillMonth(dir, `2026-${month}`, [item(month, `2026-${month}-01T00:00:00.000Z`)]);
    await mkdir(join(dir, '2026-09.jsonl'));
    expect((await log.list({ limit: 1 })).items).toHaveLength(1);
    await expect(log.list({ limit: 3 })).rejects.toMatchObject({ code: 'storage_unreadable' });
  });

  test('a failed write refuses the items and keeps none of them', async () => {
    const { log } = await openLog();
    await log.append(item('kept', '2026-11-01T00:00:00.000Z'));
    failing.write = true;
    await expect(log.append(item('lost', '2026-11-02T00:00:00.000Z'))).rejects.toMatchObject({
      code: 'storage_full',
    });
    failing.write = false;
    await log.append(item('later', '2026-11-03T00:00:00.000Z'));
    expect(await pages(log, 10)).toEqual([['later', 'kept']]);
  });

  test.each([
    ['is no JSON', 'nonsense\n'],
    ['is endless', `${'x'.repeat(3_000_000)}\n`],
    ['has no id', '{"format":1,"at":"2026-11-02T00:00:00.000Z","kind":"a","words":"b"}\n'],
    ['belongs to another month', lineOf(item('x', '2027-01-01T00:00:00.000Z'))],
  ])('a line that %s costs only itself: the file is kept aside, and the owner is told', async (_, line) => {
    const { dir, file, log, told } = await openLog();
    const [a, b] = [item('a', '2026-11-01T00:00:00.000Z'), item('b', '2026-11-03T00:00:00.000Z')];
    await fillMonth(dir, '2026-11', [a]);
    await appendFile(file, `${line}${lineOf(b)}`);
    const damaged = await readFile(file, 'utf8');
    expect(await logProblems({ dir, codec })).toEqual(['The log of 2026-11 has lines that cannot be read.']);

    expect(await pages(log, 1)).toEqual([['b'], ['a']]);
    const aside = `${file}.broken-2026-11-21T02-03-04.005Z`;
    expect(told).toEqual([{ file, movedTo: aside, recoveredFrom: 'rest' }]);
    expect(await readFile(aside, 'utf8')).toBe(damaged);
    expect(await readFile(file, 'utf8')).toBe(lineOf(a) + lineOf(b));
    expect(await logProblems({ dir, codec })).toEqual([]);
  });

  test('a damaged month is listed although the disk has no room to put it in order', async () => {
    const { dir, file, log } = await openLog();
    await fillMonth(dir, '2026-11', [item('b', '2026-11-03T00:00:00.000Z')]);
    await appendFile(file, `nonsense\n${lineOf(item('a', '2026-11-01T00:00:00.000Z'))}`);
    await appendFile(file, lineOf(item('c', '2026-11-02T00:00:00.000Z')));
    failing.write = true;
    expect(await pages(log, 1)).toEqual([['c'], ['a'], ['b']]);
    failing.write = false;
    expect(await pages(log, 9)).toEqual([['b', 'c', 'a']]);
  });

  test('a line that a kill cut off is ignored, and the next one takes its place', async () => {
    const { dir, file, log, told } = await openLog();
    await fillMonth(dir, '2026-11', [item('a', '2026-11-01T00:00:00.000Z')]);
    await appendFile(file, '{"format":1,"id":"cut');
    expect(await pages(log, 10)).toEqual([['a']]);
    await log.append(item('b', '2026-11-02T00:00:00.000Z'));
    expect(await pages(log, 10)).toEqual([['b', 'a']]);
    expect(told).toEqual([]);
  });

  test('a month of a newer format is refused and left as it is', async () => {
    const { dir, file, log } = await openLog();
    await mkdir(dir);
    const text = lineOf(item('a', '2026-11-01T00:00:00.000Z')).replace('"format":1', '"format":2');
    await writeFile(file, text);
    await expect(log.list({ limit: 1 })).rejects.toMatchObject({ code: 'storage_newer' });
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});
