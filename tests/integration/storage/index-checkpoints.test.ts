import { readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import {
  type IndexPart,
  openIndex,
  openIndexBeside,
  sharedTransactions,
} from '../../../src-main/storage/index/index-database.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const texts: IndexPart = { name: 'texts', tables: 'CREATE TABLE texts (text TEXT NOT NULL) STRICT;' };
const text = 'x'.repeat(100_000);
const largest = 1_000_000;
const insert = 'INSERT INTO texts VALUES (?)';

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

async function opened(largestLogBytes?: number) {
  const file = join(await temporaryFolder(), 'index.sqlite');
  const index = openIndex(file, [texts], undefined, largestLogBytes);
  onTestFinished(async () => {
    await index.endThread();
    index.close();
  });
  const count = () => index.rows(({ n }) => n, 'SELECT count(*) AS n FROM texts')[0];
  return { file, index, count };
}

test('a write never moves the log of an index into the file, however large the log is', async () => {
  const { file, index } = await opened();
  const before = sizeOf(file);
  for (let number = 0; number < 400; number += 1) index.run(insert, text);
  expect(sizeOf(`${file}-wal`)).toBeGreaterThan(40_000_000);
  expect(sizeOf(file)).toBe(before);
});

test('another thread moves a large log into the file and begins it anew, while others write', async () => {
  const { file, index, count } = await opened(largest);
  const change = sharedTransactions(index);
  let written = 0;
  const write = async () => {
    await change(() => void index.run(insert, text));
    written += 1;
  };
  await expect
    .poll(
      async () => {
        await Promise.all([write(), write()]);
        return sizeOf(file) > largest && sizeOf(`${file}-wal`) < largest / 2;
      },
      { timeout: 90_000, interval: 20 },
    )
    .toBe(true);
  expect(count()).toBe(written);
  await index.endThread();
  const again = openIndexBeside(file);
  expect(again.rows(({ n }) => n, 'SELECT count(*) AS n FROM texts')).toEqual([written]);
  again.close();
});

test('what another thread wrote is moved into the file, too', async () => {
  const { file, index } = await opened(largest);
  const beside = openIndexBeside(file);
  onTestFinished(() => beside.close());
  for (let number = 0; number < 30; number += 1) beside.run(insert, text);
  await expect
    .poll(
      () => {
        index.wasWritten();
        return sizeOf(file) > largest && sizeOf(`${file}-wal`) < largest / 2;
      },
      { timeout: 90_000 },
    )
    .toBe(true);
});

test('an index that was replaced at its path is left alone', async () => {
  const { file, index } = await opened(largest);
  const other = join(await temporaryFolder(), 'index.sqlite');
  openIndex(other, [texts]).close();
  const bytes = readFileSync(other);
  renameSync(other, file);
  for (let number = 0; number < 30; number += 1) index.run(insert, text);
  // The size of the log is looked at twice a second.
  await delay(1000);
  index.wasWritten();
  await index.endThread();
  expect(readFileSync(file)).toEqual(bytes);
});
