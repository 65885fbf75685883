import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { recordTables, repairing } from '../../../../src-main/app/tables.ts';
import { findData } from '../../../../src-main/data/backup/find-data.ts';
import { prepareMove } from '../../../../src-main/data/backup/move.ts';
import { openRecords, type Records } from '../../../../src-main/storage/records/records.ts';
import { rowsIn } from '../../../../src-main/storage/records/closed-records.ts';
import { workTable } from '../../../../src-main/storage/work/work-rows.ts';
import { subscriptionTable } from '../../../../src-main/site/websub/subscription.ts';
import { quietWork, writeTree } from '../../../support/backup-scene.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';

const isOpen: Records[] = [];
afterEach(async () => {
  for (const one of isOpen.splice(0)) await one.close();
});

const repair = repairing(() => Date.UTC(2026, 10, 21));

async function scene() {
  const home = await temporaryFolder();
  const [dataDir, target, placeFile] = ['data', 'moved', 'place.json'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  await writeTree(dataDir, { 'settings.json': 'mine' });
  const records = await openRecords({ dir: dataDir, tables: recordTables, log: silentLog });
  isOpen.push(records);
  return {
    dataDir,
    target,
    records,
    add: (callback: string, secret: string | null = 'pssst') =>
      records.write(({ run }) =>
        run(
          "INSERT INTO websub_subscriptions (callback, topic, secret, expires, has) VALUES (?, 't', ?, ?, '')",
          ...[callback, secret, '2030-01-01T00:00:00.000Z'],
        ),
      ),
    move: () => prepareMove({ dataDir, target, placeFile, now: Date.now(), records, work: quietWork() }),
    startAgain: () => findData(placeFile, dataDir, repair),
  };
}

const callbacks = async (dir: string) =>
  (await rowsIn(dir, subscriptionTable)).map(({ callback, secret }) => [callback, secret]);

test('a move takes every row along, with secrets and with work, but not the file of the database', async () => {
  const { dataDir, target, records, add, move, startAgain } = await scene();
  await add('https://early.example/');
  await records.write(({ run }) =>
    run("INSERT INTO work VALUES (NULL, 'send', 'key', 'party', '', 1, 0, 0, 'waiting', '{}', NULL)"),
  );
  await add('https://deleted.example/');
  await records.snapshot();
  await move();
  await add('https://late.example/', null);
  await records.write(({ run }) =>
    run("DELETE FROM websub_subscriptions WHERE callback = 'https://deleted.example/'"),
  );
  await records.close();
  const rest = 'deleted.example';
  expect((await readFile(join(dataDir, 'records.sqlite'))).includes(rest)).toBe(true);

  expect(await startAgain()).toEqual({ folder: target });
  expect(await callbacks(target)).toEqual([
    ['https://early.example/', 'pssst'],
    ['https://late.example/', null],
  ]);
  expect(await rowsIn(target, workTable)).toMatchObject([{ kind: 'send', key: 'key' }]);
  expect((await readFile(join(target, 'records.sqlite'))).includes(rest)).toBe(false);
  expect((await readdir(target)).sort()).toEqual(['known.json', 'records.sqlite', 'settings.json']);
});

test('a row that Porchlight could not have written is named, and stays in the old folder', async () => {
  const { dataDir, target, records, add, move, startAgain } = await scene();
  await add('https://sound.example/');
  await add('no address');
  await move();
  await records.close();
  const { folder, problem } = await startAgain();
  expect(folder).toBe(target);
  expect(problem).toMatch(
    /1 of the rows of “websub_subscriptions” can’t be read.*The old folder, “.*data\.moved-/,
  );
  expect(await callbacks(target)).toEqual([['https://sound.example/', 'pssst']]);
  const kept = (await readdir(join(dataDir, '..'))).find((name) => name.startsWith('data.moved-')) ?? '';
  const old = await openRecords({ dir: join(dataDir, '..', kept), tables: recordTables, log: silentLog });
  isOpen.push(old);
  expect(old.rows(({ callback }) => callback, 'SELECT callback FROM websub_subscriptions')).toHaveLength(2);
});

test('a move whose old folder is gone at the next start has the rows that were copied', async () => {
  const { dataDir, target, records, add, move, startAgain } = await scene();
  await add('https://early.example/');
  await move();
  await records.close();
  await rm(dataDir, { recursive: true });
  const { folder, problem } = await startAgain();
  expect(folder).toBe(target);
  expect(problem).toContain('was gone or empty');
  expect(await callbacks(target)).toEqual([['https://early.example/', 'pssst']]);
  expect((await readdir(target)).sort()).toEqual(['known.json', 'records.sqlite', 'settings.json']);
});

test('a damaged database is repaired before it is moved, and the owner is told', async () => {
  const { dataDir, target, records, add, move, startAgain } = await scene();
  await add('https://early.example/');
  await records.snapshot();
  await move();
  await records.close();
  await writeFile(join(dataDir, 'records.sqlite'), 'no database');
  expect(await startAgain()).toEqual({ folder: target });
  expect(await callbacks(target)).toEqual([['https://early.example/', 'pssst']]);
  const moved = await openRecords({ dir: target, tables: recordTables, log: silentLog });
  isOpen.push(moved);
  expect(moved.rows(({ n }) => n, 'SELECT count(*) AS n FROM news')).toEqual([1]);
  expect(await readdir(target)).toContainEqual(expect.stringMatching(/^records\.sqlite\.broken-/));
});

test('a database of a newer format is not moved, and nothing is left in the new folder', async () => {
  const { dataDir, target, records, add, move, startAgain } = await scene();
  await add('https://early.example/');
  await move();
  await records.close();
  const file = join(dataDir, 'records.sqlite');
  const bytes = await readFile(file);
  bytes.writeUInt32BE(99, 60);
  await writeFile(file, bytes);
  const { folder, problem } = await startAgain();
  expect(folder).toBe(dataDir);
  expect(problem).toMatch(/couldn’t move your data.*newer Porchlight/);
  expect(await readFile(file)).toEqual(bytes);
  expect(await readdir(target)).toEqual([]);
});
