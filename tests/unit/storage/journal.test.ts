import { appendFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Type } from 'typebox';
import { documentCodec } from '../../../src-main/storage/document-format.ts';
import { lockFolder } from '../../../src-main/storage/folder-lock.ts';
import { openJournal, readContent } from '../../../src-main/storage/journal.ts';
import { counted, failing, meanwhile } from '../../support/failing-files.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

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

const codec = documentCodec({
  schema: Type.Object({ number: Type.Integer(), words: Type.String() }),
  format: 1,
});
const entry = (number: number) => ({ number, words: 'Zoë' });
const textOf = (...numbers: number[]) =>
  numbers.map((one) => `${JSON.stringify({ format: 1, ...entry(one) })}\n`).join('');

async function open(file: string) {
  const journal = openJournal(file, codec, (await readContent(file, codec)).size);
  onTestFinished(() => journal.close());
  return journal;
}

async function newJournal() {
  const file = join(await temporaryFolder(), 'lines.jsonl');
  return { file, journal: await open(file), text: () => readFile(file, 'utf8') };
}

test('entries are added to a file, whether or not it exists', async () => {
  const { journal, text } = await newJournal();
  await journal.append([entry(1)]);
  await journal.append([entry(2), entry(3)]);
  await journal.rewrite(() => [entry(3)]);
  await journal.append([entry(4)]);
  expect(await text()).toBe(textOf(3, 4));
});

test('entries that come during a rewrite follow the new ones, and those before it are gone', async () => {
  const { journal, text } = await newJournal();
  const all = [
    journal.append([entry(1)]),
    journal.rewrite(() => [entry(2)]),
    journal.append([entry(3)]),
    journal.append([entry(4)]),
  ];
  await Promise.all(all);
  expect(await text()).toBe(textOf(2, 3, 4));
});

test('a hundred callers at once share one write and one fdatasync', async () => {
  const { journal, text } = await newJournal();
  const numbers = Array.from({ length: 100 }, (_, number) => number);
  await Promise.all(numbers.map((number) => journal.append([entry(number)])));
  expect(counted).toMatchObject({ writes: 1, syncs: 1 });
  expect(await text()).toBe(textOf(...numbers));
});

test('callers that come during a write share the next one, and the file is opened once', async () => {
  const { journal, text } = await newJournal();
  await journal.append([entry(0)]);
  const before = { ...counted };
  const first = journal.append([entry(1)]);
  await vi.waitFor(() => expect(counted.writes).toBe(before.writes + 1), { interval: 0 });
  await Promise.all([first, ...[2, 3, 4].map((number) => journal.append([entry(number)]))]);
  expect(counted).toEqual({ writes: before.writes + 2, syncs: before.syncs + 2, opens: before.opens });
  expect(await text()).toBe(textOf(0, 1, 2, 3, 4));
});

test('all callers of a failed write are refused, and those of the next one are not', async () => {
  const { journal, text } = await newJournal();
  failing.write = true;
  const refused = await Promise.allSettled([journal.append([entry(1)]), journal.append([entry(2)])]);
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  failing.write = false;
  await journal.append([entry(3)]);
  expect(await text()).toBe(textOf(3));
});

test.each([
  ['that the disk has no room for', 'write', 'storage_full', false],
  ['that does not reach the disk', 'sync', 'storage_unwritable', false],
  ['that does not reach the disk, on Windows', 'sync', 'storage_unwritable', true],
] as const)('an entry %s is removed from the file again', async (_, name, code, onWindows) => {
  const { journal, text } = await newJournal();
  await journal.append([entry(1)]);
  failing[name] = true;
  failing.truncateOfAppended = onWindows;
  await expect(journal.append([entry(2)])).rejects.toMatchObject({ code });
  expect(await text()).toBe(textOf(1));
  expect(journal.isClean).toBe(true);
  failing[name] = false;
  await journal.append([entry(3)]);
  expect(await text()).toBe(textOf(1, 3));
});

test.each(['write', 'sync'] as const)(
  'an entry of a failed %s that cannot be removed at once is removed by the next write',
  async (name) => {
    const { journal, text } = await newJournal();
    await journal.append([entry(1)]);
    Object.assign(failing, { [name]: true, truncate: true });
    await expect(journal.append([entry(2)])).rejects.toMatchObject({ status: name === 'write' ? 507 : 500 });
    expect(journal.isClean).toBe(false);
    Object.assign(failing, { [name]: false, truncate: false });
    await journal.append([entry(3)]);
    expect(await text()).toBe(textOf(1, 3));
    expect(journal.isClean).toBe(true);
  },
);

test('a full disk is reported as one', async () => {
  const journal = openJournal('/dev/full', codec, 0);
  onTestFinished(() => journal.close());
  await expect(journal.append([entry(1)])).rejects.toMatchObject({ code: 'storage_full', status: 507 });
});

test('a file that cannot be rewritten stays as it is, and no temporary file is left', async () => {
  const { file, journal, text } = await newJournal();
  await journal.append([entry(1)]);
  failing.write = true;
  await expect(journal.rewrite(() => [entry(1), entry(2)])).rejects.toMatchObject({ code: 'storage_full' });
  expect(await text()).toBe(textOf(1));
  expect(await readdir(dirname(file))).toEqual(['lines.jsonl']);
  failing.write = false;
  await journal.append([entry(3)]);
  expect(await text()).toBe(textOf(1, 3));
});

test('a temporary file that a killed rewrite left changes nothing', async () => {
  const { file, journal } = await newJournal();
  await journal.append([entry(1)]);
  await writeFile(`${file}.tmp`, textOf(2).slice(0, 9));
  const again = await open(file);
  await again.append([entry(3)]);
  expect((await readContent(file, codec)).entries).toEqual([entry(1), entry(3)]);
  await again.rewrite(() => [entry(3)]);
  expect(await readdir(dirname(file))).toEqual(['lines.jsonl']);
});

test('a last line that was cut off is ignored, and the first write cuts it off', async () => {
  const { file, text } = await newJournal();
  const cut = `${textOf(1)}{"format":1,"number":2,"words":"${'x'.repeat(500)}`;
  await writeFile(file, cut);
  expect(await readContent(file, codec)).toMatchObject({ entries: [entry(1)], unread: 0 });
  const journal = await open(file);
  expect(await text()).toBe(cut);
  await journal.append([entry(3)]);
  expect(await text()).toBe(textOf(1, 3));
});

test('lines that cannot be read are counted, and stay', async () => {
  const { file, text } = await newJournal();
  const damaged = `nonsense\n{"format":1,"number":"x"}\n\n`;
  await writeFile(file, textOf(1) + damaged);
  expect(await readContent(file, codec)).toMatchObject({ entries: [entry(1)], unread: 2 });
  await (await open(file)).append([entry(2)]);
  expect(await text()).toBe(textOf(1) + damaged + textOf(2));
});

test('entries go to the file at the path, not to the one that was opened before', async () => {
  const { file, journal, text } = await newJournal();
  await journal.append([entry(1)]);
  await rename(file, `${file}.away`);
  await writeFile(file, textOf(7));
  await journal.append([entry(2)]);
  expect(await text()).toBe(textOf(7, 2));
  expect(journal.isClean).toBe(false);
  await rm(file);
  await journal.append([entry(3)]);
  expect(await text()).toBe(textOf(3));
  expect(await readFile(`${file}.away`, 'utf8')).toBe(textOf(1));
  await journal.rewrite(() => [1, 2, 3].map(entry));
  expect(journal.isClean).toBe(true);
});

test('an entry is not acknowledged if its file was replaced during the write', async () => {
  const { file, journal, text } = await newJournal();
  await journal.append([entry(1)]);
  meanwhile.beforeSync = async () => {
    await rename(file, `${file}.away`);
    await writeFile(file, textOf(7));
  };
  await journal.append([entry(2)]);
  expect(await text()).toBe(textOf(7, 2));
  expect(await readFile(`${file}.away`, 'utf8')).toBe(textOf(1));
});

test('lines that another program added are kept', async () => {
  const { file, journal, text } = await newJournal();
  await journal.append([entry(1)]);
  await appendFile(file, textOf(7));
  await journal.append([entry(2)]);
  expect(await text()).toBe(textOf(1, 7, 2));
});

test.each(['while nothing is written', 'during a write'])(
  'no entry is acknowledged after its folder was renamed %s, and all works when it is back',
  async (when) => {
    const beside = await temporaryFolder();
    const [dir, away] = [join(beside, 'data'), join(beside, 'away')];
    const lock = await lockFolder(dir);
    onTestFinished(() => lock.release());
    const file = join(dir, 'lines.jsonl');
    const journal = await open(file);
    await journal.append([entry(1)]);
    if (when === 'during a write') {
      meanwhile.beforeSync = () => rename(dir, away);
      await expect(journal.append([entry(2)])).rejects.toMatchObject({ code: 'storage_gone', status: 507 });
    } else await rename(dir, away);
    await mkdir(dir);
    await writeFile(file, '');
    await expect(journal.append([entry(3)])).rejects.toMatchObject({ code: 'storage_gone', status: 507 });
    expect((await stat(file)).size).toBe(0);
    await rm(dir, { recursive: true });
    await rename(away, dir);
    await journal.append([entry(4)]);
    expect((await readContent(file, codec)).entries).toEqual([entry(1), entry(4)]);
  },
);

test('a journal that was closed opens again', async () => {
  const { journal, text } = await newJournal();
  await journal.append([entry(1)]);
  await journal.close();
  await journal.append([entry(2)]);
  expect(await text()).toBe(textOf(1, 2));
});

test('a journal that is not used is closed after a while, and opens again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { journal, text } = await newJournal();
  await journal.append([entry(1)]);
  const { opens } = counted;
  vi.advanceTimersByTime(9_000);
  await journal.append([entry(2)]);
  expect(counted.opens).toBe(opens);
  vi.advanceTimersByTime(11_000);
  await journal.append([entry(3)]);
  expect(counted.opens).toBe(opens + 1);
  expect(await text()).toBe(textOf(1, 2, 3));
});
