import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { durableJournal } from '../../../src-main/storage/durable-journal.ts';
import { failing } from '../../support/failing-files.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

vi.mock('node:fs/promises', async (original) => {
  const { failingFiles } = await import('../../support/failing-files.ts');
  return failingFiles(await original());
});

afterEach(() => {
  for (const name of Object.keys(failing)) Object.assign(failing, { [name]: false });
});

async function newJournal() {
  const file = join(await temporaryFolder(), 'lines.jsonl');
  const journal = durableJournal(file, { whole: true });
  return { file, journal, text: () => readFile(file, 'utf8') };
}

const line = (number: number) => ({ number, words: 'Zoë' });
const textOf = (...numbers: number[]) => numbers.map((one) => `${JSON.stringify(line(one))}\n`).join('');

test('lines are added to a file, there or not', async () => {
  const { journal, text } = await newJournal();
  await journal.append([line(1)]);
  await journal.append([line(2), line(3)]);
  await journal.rewrite([line(3)]);
  await journal.append([line(4)]);
  expect(await text()).toBe(textOf(3, 4));
});

test('what is added while all lines are replaced comes after them, and what came before is gone', async () => {
  const { journal, text } = await newJournal();
  const all = [journal.append([line(1)]), journal.rewrite([line(2)]), journal.append([line(3)])];
  await Promise.all(all);
  expect(await text()).toBe(textOf(2, 3));
});

test.each([
  ['that the disk has no room for', 'write', 'storage_full', false],
  ['that does not reach the disk', 'sync', 'storage_unwritable', false],
  ['that does not reach the disk, on Windows', 'sync', 'storage_unwritable', true],
] as const)('a line %s is taken back, and the file is what it was', async (_, name, code, onWindows) => {
  const { journal, text } = await newJournal();
  await journal.append([line(1)]);
  failing[name] = true;
  failing.truncateOfAppended = onWindows;
  await expect(journal.append([line(2)])).rejects.toMatchObject({ code });
  expect(await text()).toBe(textOf(1));
  expect(journal.isClean).toBe(true);
  failing[name] = false;
  await journal.append([line(3)]);
  expect(await text()).toBe(textOf(1, 3));
});

test('a line that can not be taken back spoils none but itself, until all is written anew', async () => {
  const { journal, text } = await newJournal();
  await journal.append([line(1)]);
  Object.assign(failing, { write: true, truncate: true });
  await expect(journal.append([line(2)])).rejects.toMatchObject({ code: 'storage_full' });
  expect(journal.isClean).toBe(false);
  Object.assign(failing, { write: false, truncate: false });
  await journal.append([line(3)]);
  expect((await text()).split('\n').at(-2)).toBe(textOf(3).trimEnd());
  expect(journal.isClean).toBe(false);
  await journal.rewrite([line(1), line(3)]);
  expect(journal.isClean).toBe(true);
  expect(await text()).toBe(textOf(1, 3));
});

test('a file that can not be written anew stays as it is, and nothing is left beside it', async () => {
  const { file, journal, text } = await newJournal();
  await journal.append([line(1)]);
  failing.write = true;
  await expect(journal.rewrite([line(1), line(2)])).rejects.toMatchObject({ code: 'storage_full' });
  expect(await text()).toBe(textOf(1));
  expect(await readdir(dirname(file))).toEqual(['lines.jsonl']);
});
