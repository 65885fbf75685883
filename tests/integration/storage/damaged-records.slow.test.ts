import { randomInt } from 'node:crypto';
import { cp, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { nodeOperations } from '../../../src-main/storage/file-operations.ts';
import { recordsProblems } from '../../../src-main/storage/records/closed-records.ts';
import { mergeRows } from '../../../src-main/storage/records/salvage.ts';
import { createTables, openUnchanged } from '../../../src-main/storage/records/records-file.ts';
import {
  type RecordsRepair,
  type RepairOptions,
  repairRecords,
} from '../../../src-main/storage/records/repair.ts';
import { snapshotsIn } from '../../../src-main/storage/records/snapshots.ts';
import { DatabaseSync } from '../../../src-main/storage/sqlite.ts';
import {
  addWord,
  closeWords,
  openWords,
  wordsOf,
  wordTable,
  type WordRecords,
} from '../../support/word-records.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await closeWords();
});

const page = 4096;
const fileOf = ({ dir }: { dir: string }) => join(dir, 'records.sqlite');

/** Adds words that fill about 34 rows a page. */
async function addWords(records: WordRecords, from: number, count: number): Promise<void> {
  await records.write(({ run }) => {
    for (let turn = from; turn < from + count; turn += 1)
      run('INSERT INTO words (text) VALUES (?)', `${turn} `.padEnd(112, 'x'));
  });
}

/** Closes a database and opens it again, after `damage` has changed its folder. */
async function reopened(
  records: WordRecords,
  damage: (file: string) => Promise<void>,
  options: Parameters<typeof openWords>[0] = {},
) {
  await records.close();
  await damage(fileOf(records));
  const repairs: RecordsRepair[] = [];
  const again = await openWords({
    dir: records.dir,
    lock: records.lock,
    recordRepair: (repair) => void repairs.push(repair),
    ...options,
  });
  return { again, repairs };
}

/** Overwrites pages of a file, counted from 0. */
async function spoil(file: string, pages: readonly number[], bytes: Buffer = Buffer.alloc(page, 0x5a)) {
  const content = await readFile(file);
  for (const one of pages) bytes.copy(content, one * page);
  await writeFile(file, content);
}

const brokenIn = async (dir: string) => (await readdir(dir)).filter((name) => name.includes('.broken-'));

/** Returns the pages of a file that are leaves of a table. */
async function tableLeaves(file: string): Promise<number[]> {
  const content = await readFile(file);
  const pages = Array.from({ length: content.length / page }, (_, index) => index);
  return pages.filter((one) => one > 0 && content[one * page] === 0x0d);
}

describe('a damaged database', () => {
  test('a damaged database loses only the rows of the damaged page: 19,966 of 20,000 are left without any copy', async () => {
    const records = await openWords();
    await addWords(records, 0, 20_000);
    const { again, repairs } = await reopened(records, async (file) => {
      const leaves = await tableLeaves(file);
      await spoil(file, [leaves[300] ?? 0]);
    });
    // The damage is found by whoever reads there.
    expect(() => wordsOf(again)).toThrow(/damaged/);
    await addWord(again, 'later');
    const left = wordsOf(again);
    expect(left.length).toBeGreaterThanOrEqual(19_966);
    expect(left.at(-1)).toBe('later');
    expect(repairs).toEqual([
      {
        movedTo: expect.stringContaining('records.sqlite.broken-') as string,
        copyFrom: null,
        isPartial: true,
        isOlder: false,
      },
    ]);
  });

  test('gets the rows of damaged pages from the newest whole copy', async () => {
    const records = await openWords();
    await addWords(records, 0, 2000);
    await records.snapshot();
    await addWord(records, 'newer than the copy');
    const before = wordsOf(records);
    const { again, repairs } = await reopened(records, async (file) => {
      const leaves = await tableLeaves(file);
      await spoil(file, [leaves[5] ?? 0, leaves[20] ?? 0, leaves[21] ?? 0]);
    });
    await again.snapshot().catch(() => undefined);
    await again.settled();
    expect(wordsOf(again)).toEqual(before);
    expect(repairs[0]?.copyFrom).toBeInstanceOf(Date);
  });

  test.each([
    ['is gone', (file: string) => rm(file)],
    ['is empty', (file: string) => truncate(file, 0)],
    ['was cut off within its header', (file: string) => truncate(file, 50)],
    ['was cut off', (file: string) => truncate(file, 5 * page)],
    ['is something else', (file: string) => writeFile(file, 'This is a text.'.repeat(1000))],
    ['has lost its first page', (file: string) => spoil(file, [0])],
  ])('that %s comes back from its copy, and is reported', async (_, damage) => {
    const records = await openWords();
    await addWords(records, 0, 500);
    const before = wordsOf(records);
    await records.snapshot();
    const { again, repairs } = await reopened(records, damage);
    expect(wordsOf(again)).toEqual(before);
    expect(repairs).toHaveLength(1);
    expect(repairs[0]).toMatchObject({ isPartial: true });
    expect(repairs[0]?.copyFrom).toBeInstanceOf(Date);
  });

  test('is reported if it is missing, even without a copy', async () => {
    const records = await openWords();
    await addWord(records, 'one');
    const { again, repairs } = await reopened(records, async (file) => {
      await rm(file);
      expect(await recordsProblems(records.dir, [wordTable])).toEqual([
        'The database records.sqlite is missing.',
      ]);
    });
    expect(wordsOf(again)).toEqual([]);
    expect(repairs).toEqual([{ movedTo: null, copyFrom: null, isPartial: true, isOlder: true }]);
  });

  test('is not reported at a first start, nor in a folder that never had a database', async () => {
    const repairs: RecordsRepair[] = [];
    const records = await openWords({ recordRepair: (repair) => void repairs.push(repair) });
    await records.close();
    const other = await openWords({ recordRepair: (repair) => void repairs.push(repair) });
    // The process is killed before it has written anything.
    await other.close();
    for (const name of await readdir(other.dir))
      if (name.startsWith('records.')) await rm(join(other.dir, name));
    await writeFile(fileOf(other), '');
    const third = await openWords({
      dir: other.dir,
      lock: other.lock,
      recordRepair: (one) => void repairs.push(one),
    });
    await addWord(third, 'one');
    expect(repairs).toEqual([]);
  });

  test('that is a copy beside the log of another database keeps the rows of the copy', async () => {
    const records = await openWords();
    await addWords(records, 0, 2000);
    await records.snapshot();
    const before = wordsOf(records);
    await records.write(({ run }) => run('UPDATE words SET text = text || id WHERE id < 1500'));
    const log = await readFile(`${fileOf(records)}-wal`);
    const { again } = await reopened(records, async (file) => {
      await rename(snapshotsIn(records.dir)[0] ?? '', file);
      await writeFile(`${file}-wal`, log);
    });
    await again.snapshot().catch(() => undefined);
    await again.settled();
    expect(wordsOf(again)).toHaveLength(before.length);
  });

  test('is kept aside with the files beside it', async () => {
    const records = await openWords();
    await addWords(records, 0, 500);
    await records.snapshot();
    await addWord(records, 'in the log');
    const copy = `${records.dir}-copy`;
    await cp(records.dir, copy, { recursive: true });
    await spoil(join(copy, 'records.sqlite'), [0]);
    await rm(join(copy, 'lock.json'));
    const repairs: RecordsRepair[] = [];
    const again = await openWords({ dir: copy, recordRepair: (repair) => void repairs.push(repair) });
    const kept = await brokenIn(copy);
    expect(kept.map((name) => name.replace(/.*Z/, '')).toSorted()).toEqual(['', '-shm', '-wal']);
    expect(repairs[0]?.movedTo).toBe(join(copy, kept.toSorted()[0] ?? ''));
    expect((await stat(fileOf(again))).mode & 0o777).toBe(0o600);
  });

  test.each(['damaged', 'gone'] as const)(
    'a damaged database that is %s ends the same if the process is killed in any step',
    async (how) => {
      const origin = await openWords();
      await addWords(origin, 0, 300);
      await origin.snapshot();
      await addWords(origin, 300, 300);
      await origin.close();
      if (how === 'damaged') await spoil(fileOf(origin), [(await tableLeaves(fileOf(origin)))[3] ?? 0]);
      else await rm(fileOf(origin));
      const results: unknown[] = [];
      for (let step = 0; ; step += 1) {
        const dir = `${origin.dir}-${how}-${step}`;
        await cp(origin.dir, dir, { recursive: true });
        const repairs: unknown[] = [];
        const record: RepairOptions['record'] = ({ isPartial, copyFrom }, run) => {
          repairs.push([isPartial, copyFrom !== null]);
          run('INSERT INTO words (text) VALUES (?)', 'repaired');
        };
        const options = { tables: [wordTable], now: () => new Date(), record };
        let left = step;
        for (const name of ['rename', 'remove', 'syncFolder'] as const) {
          const real: (...paths: [string, string]) => Promise<void> = nodeOperations[name];
          vi.spyOn(nodeOperations, name).mockImplementation(async (...paths: [string, string]) => {
            if (left === 0) throw new Error('killed');
            left -= 1;
            await real(...paths);
          });
        }
        const wasKilled = await repairRecords(fileOf({ dir }), options).then(
          () => false,
          () => true,
        );
        vi.restoreAllMocks();
        const again = await openWords({ dir, recordRepair: record });
        await again.snapshot().catch(() => undefined);
        await again.settled();
        results.push([wordsOf(again), (await brokenIn(dir)).length > 0]);
        if (!wasKilled) break;
      }
      expect(results.length).toBeGreaterThan(5);
      expect(new Set(results.map((one) => JSON.stringify(one))).size).toBe(1);
    },
  );

  test('a database with damage in random pages loses no row that is readable or in the copy, in 200 rounds', async () => {
    const origin = await openWords();
    await addWords(origin, 0, 400);
    await origin.snapshot();
    await addWords(origin, 400, 300);
    const all = new Set(wordsOf(origin));
    const inCopy = [...all].slice(0, 400);
    await origin.close();
    const file = fileOf(origin);
    const content = await readFile(file);
    const pages = content.length / page;
    const leaves = new Set(await tableLeaves(file));
    const fillings = [Buffer.alloc(page), Buffer.alloc(page, 0xff), content.subarray(page * 7, page * 8)];
    for (let round = 0; round < 200; round += 1) {
      const spoiled = Array.from({ length: randomInt(1, 4) }, () => randomInt(0, pages));
      await writeFile(file, content);
      await spoil(file, spoiled, fillings[round % fillings.length]);
      const left = await mergedWords(file, snapshotsIn(origin.dir)[0] ?? '');
      const about = `pages ${spoiled.join(', ')} of ${pages}, filled in way ${round % fillings.length}`;
      expect(
        inCopy.filter((text) => !left.has(text)),
        about,
      ).toEqual([]);
      expect(
        [...left].filter((text) => !all.has(text)),
        about,
      ).toEqual([]);
      // Pages that lead to others are the exception: what is new since the copy may be out of reach.
      if (spoiled.every((one) => leaves.has(one)))
        expect(left.size, about).toBeGreaterThanOrEqual(700 - 34 * spoiled.length);
    }
  });
});

/** Returns the words that a new database gets from a damaged one and its copy. */
async function mergedWords(file: string, copyFile: string): Promise<Set<unknown>> {
  const [database, copy] = [new DatabaseSync(':memory:'), openUnchanged(copyFile)];
  const damaged = openUnchanged(file);
  try {
    createTables(database, [wordTable]);
    await mergeRows(database, wordTable, { damaged, copy, withoutLog: undefined });
    return new Set(
      database
        .prepare('SELECT text FROM words')
        .all()
        .map(({ text }) => text),
    );
  } finally {
    for (const one of [database, copy, damaged]) one.close();
  }
}
