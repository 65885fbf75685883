import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { nodeOperations } from '../../../src-main/storage/file-operations.ts';
import { recordsProblems } from '../../../src-main/storage/records/closed-records.ts';
import { openRecordsFile, openUnchanged } from '../../../src-main/storage/records/records-file.ts';
import type { RecordsRepair } from '../../../src-main/storage/records/repair.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';
import { limitOf, patience } from '../../support/patience.ts';
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

const fileOf = (dir: string) => join(dir, 'records.sqlite');
const knownOf = async (dir: string): Promise<unknown> =>
  JSON.parse(await readFile(join(dir, 'known.json'), 'utf8'));

/** Copies a folder as a kill at this moment would leave it. */
async function killed(dir: string): Promise<string> {
  const copy = join(await temporaryFolder(), 'data');
  await cp(dir, copy, { recursive: true, filter: (path) => !/lock\./.test(path) });
  return copy;
}

/** Starts in a folder. Returns the words in it, and the repairs of the start. */
async function started(dir: string) {
  const repairs: RecordsRepair[] = [];
  const records = await openWords({ dir, recordRepair: (repair) => void repairs.push(repair) });
  return { records, words: wordsOf(records), repairs };
}

const end = (records: WordRecords, text: string) =>
  records.write(({ run }) => run('INSERT INTO words (text) VALUES (?)', text), { ends: true });

/** Flips a bit in a write-ahead log, where SQLite then ends it. */
async function cutLog(dir: string, at: (size: number) => number): Promise<void> {
  const file = `${fileOf(dir)}-wal`;
  const bytes = await readFile(file);
  const place = at(bytes.length);
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  await writeFile(file, bytes);
}

describe('known.json', () => {
  test('known.json exists from the first row on, and counts transactions and endings', async () => {
    const records = await openWords();
    await addWord(records, 'one');
    expect(await knownOf(records.dir)).toEqual({ format: 1, commits: 1, endings: 0 });
    await end(records, 'two');
    await Promise.all([end(records, 'three'), end(records, 'four'), addWord(records, 'five')]);
    await vi.waitUntil(async () => {
      const known = (await knownOf(records.dir)) as { commits: number; endings: number };
      return known.endings === 3 && known.commits === 3;
    }, patience);
  });

  test('a refused ending isn’t counted', async () => {
    const records = await openWords();
    const refused = records.write(
      () => {
        throw new Error('no');
      },
      { ends: true },
    );
    await Promise.allSettled([refused, addWord(records, 'one')]);
    await records.close();
    expect(await knownOf(records.dir)).toEqual({ format: 1, commits: 1, endings: 0 });
  });

  test('a known.json that can’t be written delays no answer and is no damage later', async () => {
    const records = await openWords();
    vi.spyOn(nodeOperations, 'write').mockRejectedValue(
      Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }),
    );
    for (const text of ['one', 'two', 'three']) await addWord(records, text);
    vi.restoreAllMocks();
    const { words, repairs } = await started(await killed(records.dir));
    expect([words, repairs]).toEqual([['one', 'two', 'three'], []]);
  });
});

/** Makes a folder whose process was killed: two words in the database, and two only in its log, which known.json counts. */
async function folder(): Promise<string> {
  const first = await openWords();
  await addWord(first, 'one');
  await addWord(first, 'two');
  await first.close();
  await first.lock.release();
  const second = await openWords({ dir: first.dir });
  await addWord(second, 'three');
  await end(second, 'four');
  await vi.waitUntil(async () => ((await knownOf(first.dir)) as { endings: number }).endings === 1, patience);
  return killed(first.dir);
}

describe('a start finds that a database knows less than known.json says', () => {
  test.each<[string, (dir: string) => Promise<void>, readonly string[]]>([
    ['its log is gone', (dir) => rm(`${fileOf(dir)}-wal`), ['one', 'two']],
    ['a bit in its log has flipped', (dir) => cutLog(dir, (size) => size - 100), ['one', 'two', 'three']],
    ['an early bit in its log has flipped', (dir) => cutLog(dir, () => 40), ['one', 'two']],
    [
      'its log is empty',
      async (dir) => {
        for (const ending of ['-wal', '-shm']) await rm(`${fileOf(dir)}${ending}`, { force: true });
        await writeFile(`${fileOf(dir)}-wal`, '');
      },
      ['one', 'two'],
    ],
    [
      'the database is gone',
      async (dir) => {
        for (const name of await readdir(dir)) if (name.startsWith('records')) await rm(join(dir, name));
      },
      [],
    ],
  ])('if %s', async (_, damage, left) => {
    const dir = await folder();
    await damage(dir);
    expect(await recordsProblems(dir, [wordTable])).not.toEqual([]);
    const { records, words, repairs } = await started(dir);
    expect(words).toEqual(left);
    expect(repairs).toMatchObject([{ isOlder: true, isPartial: true }]);
    await records.close();
    await records.lock.release();
    // The new database knows as much.
    expect((await started(dir)).repairs).toEqual([]);
  });

  test('if an older database is in its place, whose newer rows come back from the copy', async () => {
    const records = await openWords();
    await addWord(records, 'one');
    await records.close();
    await records.lock.release();
    const older = await readFile(fileOf(records.dir));
    const again = await openWords({ dir: records.dir });
    await end(again, 'two');
    await again.snapshot();
    await again.close();
    await again.lock.release();
    await writeFile(fileOf(records.dir), older);
    const { words, repairs } = await started(records.dir);
    expect(words).toEqual(['one', 'two']);
    expect(repairs).toMatchObject([{ isOlder: true }]);
  });

  test('if a database with more transactions but fewer endings is in its place', async () => {
    const [one, other] = [await openWords(), await openWords()];
    await end(one, 'an ending');
    for (const text of ['one', 'two', 'three']) await addWord(other, text);
    for (const records of [one, other]) {
      await records.close();
      await records.lock.release();
    }
    await cp(fileOf(other.dir), fileOf(one.dir));
    expect((await started(one.dir)).repairs).toMatchObject([{ isOlder: true }]);
  });

  test('if known.json is gone with the database, but posts show that the folder was in use', async () => {
    const dir = await folder();
    for (const name of await readdir(dir)) await rm(join(dir, name));
    await mkdir(join(dir, 'posts', '2026'), { recursive: true });
    expect((await started(dir)).repairs).toMatchObject([{ isOlder: true }]);
  });
});

describe('is no damage:', () => {
  const nothing = () => Promise.resolve();

  test.each<[string, (dir: string) => Promise<unknown>, unknown[]]>([
    ['a process that was killed', nothing, ['one', 'two', 'three', 'four']],
    [
      'a folder of a version without known.json',
      async (dir) => {
        await rm(join(dir, 'known.json'));
        await writeFile(join(dir, 'records.sqlite.used'), 'used');
      },
      ['one', 'two', 'three', 'four'],
    ],
    [
      'a known.json that can’t be read',
      (dir) => writeFile(join(dir, 'known.json'), '{"form'),
      ['one', 'two', 'three', 'four'],
    ],
    [
      'a folder with settings that were written before the first start',
      async (dir) => {
        for (const name of await readdir(dir)) await rm(join(dir, name));
        await writeFile(join(dir, 'settings.json'), '{}');
      },
      [],
    ],
    [
      'a folder of a version without a database',
      async (dir) => {
        for (const name of await readdir(dir)) await rm(join(dir, name));
        await mkdir(join(dir, 'posts', '2025'), { recursive: true });
        await writeFile(join(dir, 'grants.json'), '{}');
      },
      [],
    ],
    [
      'a log that another program has moved into the database',
      async (dir) => {
        const { database, log } = await openRecordsFile(fileOf(dir), []);
        await log?.close();
        database.close();
        expect(await readdir(dir)).not.toContain('records.sqlite-wal');
      },
      ['one', 'two', 'three', 'four'],
    ],
  ])('%s', async (_, change, left) => {
    const dir = await folder();
    await change(dir);
    const { words, repairs, records } = await started(dir);
    expect([words, repairs]).toEqual([left, []]);
    expect(await readdir(records.dir)).toContain('known.json');
  });

  test(
    'a kill at any step from the first row to the end of a process',
    { timeout: limitOf(120_000) },
    async () => {
      const steps: { readonly copy: string; readonly saved: readonly string[] }[] = [];
      let saved: readonly string[] = [];
      const dir = join(await temporaryFolder(), 'data');
      const step = async (): Promise<void> => void steps.push({ saved, copy: await killed(dir) });
      for (const name of ['write', 'rename'] as const) {
        const real: (...paths: [string, string]) => Promise<void> = nodeOperations[name];
        vi.spyOn(nodeOperations, name).mockImplementation(async (...paths: [string, string]) => {
          const isKnown = paths[0].startsWith(join(dir, 'known.json'));
          if (isKnown) await step();
          await real(...paths);
          if (isKnown) await step();
        });
      }
      for (const run of ['first', 'second']) {
        const records = await openWords({ dir });
        for (const text of [`${run} one`, `${run} two`]) {
          await end(records, text);
          saved = [...saved, text];
        }
        await step();
        // The last checkpoint comes before known.json is written, and the log is removed after that.
        await records.close();
        await records.lock.release();
        await step();
      }
      vi.restoreAllMocks();
      expect(steps.length).toBeGreaterThan(12);
      for (const { copy, saved: left } of steps) {
        const { words, repairs, records } = await started(copy);
        expect(repairs).toEqual([]);
        expect(words).toEqual(expect.arrayContaining([...left]));
        await records.close();
      }
    },
  );
});

test('the log is moved into the database after a quiet time, without any size', async () => {
  const records = await openWords({ quietMs: 2000 });
  await addWord(records, 'one');
  const inDatabase = async () => {
    const copy = join(await temporaryFolder(), 'copy.sqlite');
    await cp(fileOf(records.dir), copy);
    const database = openUnchanged(copy);
    try {
      return database.prepare('SELECT text FROM words').all().length === 1;
    } catch {
      return false;
    } finally {
      database.close();
    }
  };
  expect(await inDatabase()).toBe(false);
  await vi.waitUntil(inDatabase, patience);
});
