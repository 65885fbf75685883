import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { Recovery } from '../../../src-main/storage/recovery.ts';
import { queueProblems } from '../../../src-main/webmention/waiting-work.ts';
import type { QueueEntry } from '../../../src-main/webmention/queue-entry.ts';
import { openQueueFile, readQueue } from '../../../src-main/webmention/queue-file.ts';
import { failing } from '../../support/failing-files.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

vi.mock('node:fs/promises', async (original) => {
  const { failingFiles } = await import('../../support/failing-files.ts');
  return failingFiles(await original());
});

afterEach(() => {
  Object.assign(failing, { write: false, truncate: false });
});

const now = () => Date.parse('2026-11-21T02:03:04.005Z');

function entry(number: number, changes: Partial<QueueEntry> = {}): QueueEntry {
  return {
    token: `token-${number}`,
    source: `https://bea.example/${number}`,
    target: 'https://ada.example/post',
    received: '2026-11-20T12:00:00.000Z',
    state: 'waiting',
    tries: 0,
    early: 0,
    next: '2026-11-20T12:00:00.000Z',
    ...changes,
  };
}

async function opened() {
  const dir = await temporaryFolder();
  const file = join(dir, 'queue.jsonl');
  const told: Recovery[] = [];
  const open = () => openQueueFile({ file, now, onRecovered: (recovery) => void told.push(recovery) });
  return { dir, file, told, open, queue: await open() };
}

const all = (...entries: QueueEntry[]) => entries;

test('a change costs one line, and the last line of an entry counts', async () => {
  const { file, open, queue } = await opened();
  await queue.save([entry(1)], () => all(entry(1)));
  await queue.save([entry(2)], () => []);
  await queue.save([entry(1, { state: 'success' })], () => []);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    [entry(1), entry(2), entry(1, { state: 'success' })].map((one) => ({ format: 1, ...one })),
  );
  expect((await open()).entries).toEqual([entry(2), entry(1, { state: 'success' })]);
});

test('one that was tried goes behind the others; one that was sent again keeps its place', async () => {
  const { open, queue } = await opened();
  const tried = entry(1, { tries: 1, tried: '2026-11-20T12:00:01.000Z' });
  const sentAgain = entry(2, { next: '2026-11-20T12:00:02.000Z' });
  const changes = [entry(1), entry(2), entry(3), tried, sentAgain];
  await queue.save([entry(1)], () => all(entry(1)));
  await queue.save(changes, () => []);
  expect((await open()).entries).toEqual([sentAgain, entry(3), tried]);
});

test('one that was forgotten and sent again is there once, under its new name', async () => {
  const { open, queue } = await opened();
  const forgotten = entry(1, { state: 'success' });
  const anew = entry(1, { token: 'another' });
  await queue.save([forgotten], () => all(forgotten));
  await queue.save([anew], () => []);
  expect((await open()).entries).toEqual([anew]);
});

test('it is written anew when most of its lines count no more', async () => {
  const { file, open, queue } = await opened();
  await queue.save([entry(1)], () => all(entry(1)));
  for (let turn = 1; turn <= 4; turn += 1) {
    const tries = Array.from({ length: 300 }, (_, number) => entry(1, { tries: 300 * turn + number }));
    await queue.save(tries, () => tries.slice(-1));
  }
  expect((await readQueue(file)).lines).toBe(1);
  expect((await open()).entries).toEqual([entry(1, { tries: 1499 })]);
});

test('a line that a kill cut off was not acknowledged: it is passed over, and spoils no other', async () => {
  const { file, told, open, queue } = await opened();
  await queue.save([entry(1)], () => all(entry(1)));
  await appendFile(file, '{"format":1,"token":"tok');
  const again = await open();
  await again.save([entry(2)], () => all(entry(1), entry(2)));
  expect((await open()).entries).toEqual([entry(1), entry(2)]);
  expect(told).toEqual([]);
});

test.each([
  ['are no JSON', '\0\0\0'],
  ['are no entries', '{"format":1,"token":"x"}'],
])('lines that %s are kept aside with the file, the others count, and the owner is told', async (_, line) => {
  const { dir, file, told, open, queue } = await opened();
  await queue.save([entry(1)], () => all(entry(1)));
  await appendFile(file, `${line}\n`);
  const broken = await readFile(file, 'utf8');
  expect(await queueProblems(dir)).toEqual(['The queue has lines that cannot be read.']);

  expect((await open()).entries).toEqual([entry(1)]);
  const aside = `${file}.broken-2026-11-21T02-03-04.005Z`;
  expect(told).toEqual([{ file, movedTo: aside, recoveredFrom: 'rest' }]);
  expect(await readFile(aside, 'utf8')).toBe(broken);
  expect(await queueProblems(dir)).toEqual([]);
});

test('with nobody to tell, a file with such lines is refused and left as it is', async () => {
  const { file } = await opened();
  await writeFile(file, 'nonsense\n');
  await expect(openQueueFile({ file, now })).rejects.toMatchObject({ code: 'storage_broken' });
  expect(await readFile(file, 'utf8')).toBe('nonsense\n');
});

test('a file of a newer Porchlight is refused and left as it is', async () => {
  const { file, open } = await opened();
  const text = `${JSON.stringify({ format: 2, ...entry(1) })}\n`;
  await writeFile(file, text);
  await expect(open()).rejects.toMatchObject({ code: 'storage_newer' });
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('what could not be written is made good by the next write, of all', async () => {
  const { file, open, queue } = await opened();
  await queue.save([entry(1)], () => all(entry(1)));
  await rm(file);
  await mkdir(file);
  await expect(queue.save([entry(2)], () => [])).rejects.toMatchObject({ code: 'storage_unwritable' });
  await rm(file, { recursive: true });
  await queue.save([], () => all(entry(1), entry(3)));
  expect((await open()).entries).toEqual([entry(1), entry(3)]);
});

const notWhole = () => {
  throw new Error('The whole file was to be written.');
};

test('after a write that failed and was taken back, the next one costs no more than its lines', async () => {
  const { dir, open, queue } = await opened();
  await queue.save([entry(1)], () => all(entry(1)));
  failing.write = true;
  await expect(queue.save([entry(2)], notWhole)).rejects.toMatchObject({ code: 'storage_full' });
  failing.write = false;
  await queue.save([], notWhole);
  expect((await open()).entries).toEqual([entry(1)]);
  await queue.save([entry(3)], notWhole);
  expect((await open()).entries).toEqual([entry(1), entry(3)]);
  expect(await readdir(dir)).toEqual(['queue.jsonl']);
});

test('after a write that could not be taken back, the next one is of all', async () => {
  const { file, open, queue } = await opened();
  await queue.save([entry(1)], () => all(entry(1)));
  Object.assign(failing, { write: true, truncate: true });
  await expect(queue.save([entry(2)], notWhole)).rejects.toMatchObject({ code: 'storage_full' });
  Object.assign(failing, { write: false, truncate: false });
  await queue.save([entry(3)], () => all(entry(1), entry(3)));
  expect((await open()).entries).toEqual([entry(1), entry(3)]);
  expect((await readQueue(file)).unread).toBe(0);
});

test('where there is no room to write it anew, a long file grows, and is written anew later', async () => {
  const { file, open, queue } = await opened();
  await queue.save([entry(1)], () => all(entry(1)));
  // A folder in the place of the file that is written first.
  await mkdir(`${file}.tmp`);
  let asked = 0;
  const whole = () => {
    asked += 1;
    return all(entry(1, { tries: 9 }));
  };
  const tries = Array.from({ length: 1002 }, (_, number) => entry(1, { tries: number }));
  await queue.save(tries, whole);
  await queue.save(tries.slice(0, 900), whole);
  expect(asked).toBe(1);
  expect((await open()).entries).toEqual([entry(1, { tries: 899 })]);
  await rm(`${file}.tmp`, { recursive: true });
  await queue.save(tries.slice(0, 200), whole);
  expect((await readQueue(file)).lines).toBe(1);
});

test('opening and saving nothing leaves no file', async () => {
  const { dir, queue } = await opened();
  await queue.save([], () => []);
  expect(await readdir(dir)).toEqual([]);
});
