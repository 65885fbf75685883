import type * as FileSystem from 'node:fs/promises';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { renamePatiently } from '../../../src-main/storage/file-operations.ts';
import { repairRecords } from '../../../src-main/storage/records/repair.ts';
import { snapshotsIn } from '../../../src-main/storage/records/snapshots.ts';
import { startPorchlight } from '../../support/porchlight.ts';
import { addWord, closeWords, openWords, wordsOf, wordTable } from '../../support/word-records.ts';

/** How a virus scanner on Windows behaves: it keeps some new files open, and nobody may rename them meanwhile. */
const scanner = vi.hoisted(() => ({
  /** One in this many renames is denied at first; 0: none is. */
  oneIn: 0,
  /** How long it keeps a file open, in ms. */
  lasts: 50,
  code: 'EPERM',
  renames: 0,
  denied: 0,
  held: new Map<string, number>(),
}));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof FileSystem>();
  const rename = async (from: string, to: string) => {
    const until = scanner.held.get(from);
    if (until === undefined) {
      scanner.renames += 1;
      if (scanner.oneIn > 0 && scanner.renames % scanner.oneIn === 0)
        scanner.held.set(from, performance.now() + scanner.lasts);
    }
    if (performance.now() < (scanner.held.get(from) ?? 0)) {
      scanner.denied += 1;
      throw Object.assign(new Error(`${scanner.code}: ${from}`), { code: scanner.code });
    }
    scanner.held.delete(from);
    return real.rename(from, to);
  };
  return { ...real, rename, default: { ...real, rename } };
});

const folder = await mkdtemp(join(tmpdir(), 'porchlight-denied-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => Object.assign(scanner, { oneIn: 0, lasts: 50, code: 'EPERM', renames: 0, denied: 0 }));

test('a folder whose files a scanner holds for 50 ms takes each of 100 changes, and a backup beside it', async () => {
  const porchlight = await startPorchlight({ dataDir: join(folder, 'data') });
  try {
    Object.assign(scanner, { oneIn: 20 });
    for (let turn = 1; turn <= 100; turn += 1)
      await porchlight.call('settings.update', { desktop: { startAtLogin: turn % 2 === 0 } });
    await porchlight.call('data.backup', { path: join(folder, 'backup.zip') });
    expect(scanner.denied).toBeGreaterThan(9);
    expect((await readdir(folder)).toSorted()).toEqual(['backup.zip', 'data']);
  } finally {
    await porchlight.remove();
  }
}, 60_000);

test('a copy and a repair of the database wait for a scanner that holds the file', async () => {
  const records = await openWords();
  const { dir, lock } = records;
  await addWord(records, 'one');
  await records.snapshot();
  await addWord(records, 'two');
  Object.assign(scanner, { oneIn: 1, code: 'EBUSY' });
  await records.snapshot();
  await records.close();
  expect(scanner.denied).toBeGreaterThan(1);
  for (const copy of snapshotsIn(dir)) expect((await readFile(copy)).length).toBeGreaterThan(0);

  const file = join(dir, 'records.sqlite');
  const denied = scanner.denied;
  await repairRecords(file, { tables: [wordTable], now: () => new Date() });
  expect(scanner.denied).toBeGreaterThan(denied);
  const repaired = await openWords({ dir, lock });
  expect(wordsOf(repaired)).toEqual(['one', 'two']);
  await closeWords();
});

test.each(['EPERM', 'EACCES', 'EBUSY'])(
  'a rename that stays denied with %s fails within 1.5 s',
  async (code) => {
    const [from, to] = [join(folder, `from-${code}`), join(folder, `to-${code}`)];
    await writeFile(from, 'new');
    await writeFile(to, 'old');
    Object.assign(scanner, { oneIn: 1, lasts: 60_000, code });
    const start = performance.now();
    await expect(renamePatiently(from, to)).rejects.toMatchObject({ code });
    expect(performance.now() - start).toBeLessThan(1500);
    expect(scanner.denied).toBeGreaterThan(5);
    expect(await readFile(to, 'utf8')).toBe('old');
  },
);

test('a rename that fails for another reason is not tried again', async () => {
  await mkdir(join(folder, 'full', 'one'), { recursive: true });
  await mkdir(join(folder, 'other'));
  await expect(renamePatiently(join(folder, 'other'), join(folder, 'full'))).rejects.toMatchObject({
    code: 'ENOTEMPTY',
  });
  expect(scanner.renames).toBe(1);
  expect(await readdir(join(folder, 'full'))).toEqual(['one']);
});
