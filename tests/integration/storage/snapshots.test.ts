import { readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSnapshotKeeper } from '../../../src-main/data/part.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { nodeOperations } from '../../../src-main/storage/file-operations.ts';
import { recordTable } from '../../../src-main/storage/records/record-table.ts';
import { openUnchanged } from '../../../src-main/storage/records/records-file.ts';
import { snapshotsIn } from '../../../src-main/storage/records/snapshots.ts';
import { whilePaused } from '../../../src-main/storage/pacing.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { addWord, closeWords, openWords, wordsOf, wordTable } from '../../support/word-records.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await closeWords();
});

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Returns the words in a copy. */
function wordsIn(file: string): unknown[] {
  const database = openUnchanged(file);
  try {
    return database
      .prepare('SELECT text FROM words ORDER BY id')
      .all()
      .map(({ text }) => text);
  } finally {
    database.close();
  }
}

describe('the copy of the database', () => {
  test('is a whole database that only its owner can read, and one of an earlier day is kept', async () => {
    const records = await openWords();
    const [newest, previous] = snapshotsIn(records.dir) as [string, string];
    await addWord(records, 'one');
    await records.snapshot();
    const yesterday = Date.now() / 1000 - 86_400;
    await utimes(newest, yesterday, yesterday);
    for (const text of ['two', 'three']) {
      await addWord(records, text);
      await records.snapshot();
    }
    expect(wordsIn(newest)).toEqual(['one', 'two', 'three']);
    expect(wordsIn(previous)).toEqual(['one']);
    expect((await stat(newest)).mode & 0o777).toBe(0o600);
    expect((await readdir(records.dir)).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  test('is not made again if nothing has changed, so that the one before stays different', async () => {
    const records = await openWords();
    const [newest, previous] = snapshotsIn(records.dir) as [string, string];
    await addWord(records, 'one');
    await records.snapshot();
    await addWord(records, 'two');
    await records.snapshot();
    await utimes(newest, 1, 1);
    await records.snapshot();
    expect([wordsIn(newest), wordsIn(previous)]).toEqual([['one', 'two'], ['one']]);
    expect((await stat(newest)).mtimeMs).toBeGreaterThan(Date.now() - dayMs);
  });

  test('leaves whole copies if the process is killed between any two steps', async () => {
    for (let step = 0; step < 5; step += 1) {
      const records = await openWords();
      const [newest, previous] = snapshotsIn(records.dir) as [string, string];
      for (const text of ['one', 'two']) {
        await addWord(records, text);
        await records.snapshot();
      }
      await addWord(records, 'three');
      let left = step;
      for (const name of ['rename', 'remove', 'syncFolder'] as const) {
        const real: (...paths: [string, string]) => Promise<void> = nodeOperations[name];
        vi.spyOn(nodeOperations, name).mockImplementation(async (...paths: [string, string]) => {
          if (left === 0) throw new Error('killed');
          left -= 1;
          await real(...paths);
        });
      }
      await records.snapshot().catch(() => undefined);
      vi.restoreAllMocks();
      const files = await readdir(records.dir);
      const whole = [newest, previous].filter((file) => files.some((name) => file.endsWith(`/${name}`)));
      expect(whole.length, `step ${step}`).toBeGreaterThan(0);
      expect(wordsIn(whole[0] ?? '').slice(0, 2)).toEqual(['one', 'two']);
      await records.snapshot();
      expect(wordsIn(newest)).toEqual(['one', 'two', 'three']);
    }
  });

  test('never replaces a good copy by a damaged one', async () => {
    const records = await openWords();
    for (let turn = 0; turn < 200; turn += 1) await addWord(records, `${turn} `.repeat(100));
    await records.snapshot();
    const [newest] = snapshotsIn(records.dir) as [string];
    const before = await readFile(newest);
    const file = join(records.dir, 'records.sqlite');
    await records.close();
    const content = await readFile(file);
    content.fill(0x5a, 4096 * 5, 4096 * 6);
    await writeFile(file, content);
    const again = await openWords({ dir: records.dir, lock: records.lock });
    await again.snapshot().catch(() => undefined);
    expect(await readFile(newest)).toEqual(before);
  });

  test('never replaces a good copy by one with a row that can’t be read, which comes back from that copy', async () => {
    const tables = [recordTable({ ...wordTable, isSound: ({ text }) => text !== 'unsound' })];
    const records = await openWords({ tables });
    await addWord(records, 'one');
    await records.snapshot();
    const [newest = ''] = snapshotsIn(records.dir);
    await records.write(({ run }) => run("UPDATE words SET text = 'unsound'"));
    await addWord(records, 'two');
    await expect(records.snapshot()).rejects.toMatchObject({ code: 'storage_damaged' });
    expect(wordsIn(newest)).toEqual(['one']);
    await records.whenSound(() => expect(wordsOf(records)).toEqual(['one', 'two']));
    await records.snapshot();
    expect(wordsIn(newest)).toEqual(['one', 'two']);
  });

  test('that the disk has no room for is named, and is tried again', async (context) => {
    const disk = await mountSmallDisk(context, '4m');
    try {
      const records = await openWords({ dir: join(disk.dir, 'data') });
      await addWord(records, 'one');
      const changed = vi.fn<() => void>();
      const keeper = createSnapshotKeeper({
        dataDir: records.dir,
        records,
        now: Date.now,
        log: silentLog,
        changed,
      });
      await writeFile(join(disk.dir, 'filler'), Buffer.alloc(3_500_000));
      await keeper.makeIfDue();
      expect(keeper.problem).toMatchObject({ code: 'snapshot_failed' });
      expect(keeper.problem?.message).toContain('too little room');
      await disk.free();
      await keeper.makeIfDue();
      expect(keeper.problem).toBeUndefined();
      expect(changed).toHaveBeenCalledTimes(2);
      expect(wordsIn(snapshotsIn(records.dir)[0] ?? '')).toEqual(['one']);
      await closeWords();
    } finally {
      await disk.remove();
    }
  });

  test('is made although the folder was away for a moment', async () => {
    const records = await openWords();
    await addWord(records, 'one');
    const away = `${records.dir}-away`;
    const { remove } = nodeOperations;
    let removals = 0;
    vi.spyOn(nodeOperations, 'remove').mockImplementation(async (path) => {
      removals += 1;
      if (removals === 2) await rename(away, records.dir);
      await remove(path);
      if (removals === 1) await rename(records.dir, away);
    });
    await records.snapshot();
    expect(removals).toBeGreaterThan(2);
    expect(wordsIn(snapshotsIn(records.dir)[0] ?? '')).toEqual(['one']);
  });

  test('waits for a backup, which pauses the changes of files, and doesn’t stop it', async () => {
    const records = await openWords();
    await addWord(records, 'one');
    let snapshot: Promise<void> | undefined;
    await whilePaused(async () => {
      snapshot = records.snapshot();
      await new Promise((resolve) => setTimeout(resolve, 50));
      (await records.lines('backup')).end();
    });
    await snapshot;
    expect(wordsIn(snapshotsIn(records.dir)[0] ?? '')).toEqual(['one']);
  });

  /** A keeper at a time that passes, and how many rows were changed. */
  async function keeping() {
    const records = await openWords();
    const time = { now: Date.now() };
    const snapshot = vi.fn<() => Promise<void>>(() => records.snapshot());
    const counted = { snapshot, changes: 0 };
    const keeper = createSnapshotKeeper({
      dataDir: records.dir,
      records: counted,
      now: () => time.now,
      log: silentLog,
      changed: () => undefined,
    });
    await keeper.makeIfDue();
    expect(snapshot).toHaveBeenCalledTimes(1);
    return { keeper, snapshot, time, counted };
  }

  test.each([
    ['after an import', 20, true],
    ['after 2,000 changes', 2000, false],
  ])('is made %s, but at most once an hour', async (_, changes, wasImported) => {
    const { keeper, snapshot, time, counted } = await keeping();
    counted.changes += changes - 1;
    if (wasImported) keeper.imported();
    // The time of the file is real.
    time.now = Date.now() + hourMs;
    await keeper.makeIfDue();
    expect(snapshot).toHaveBeenCalledTimes(1);
    counted.changes += 1;
    time.now -= hourMs / 2;
    await keeper.makeIfDue();
    expect(snapshot).toHaveBeenCalledTimes(1);
    time.now += hourMs / 2;
    await keeper.makeIfDue();
    expect(snapshot).toHaveBeenCalledTimes(2);
    await keeper.makeIfDue();
    expect(snapshot).toHaveBeenCalledTimes(2);
  });

  test('is made once a day', async () => {
    const { keeper, snapshot, time } = await keeping();
    await keeper.makeIfDue();
    expect(snapshot).toHaveBeenCalledTimes(1);
    time.now = Date.now() + dayMs;
    await keeper.makeIfDue();
    expect(snapshot).toHaveBeenCalledTimes(2);
  });
});
