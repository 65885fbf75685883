import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as packaged from '@photostructure/sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DatabaseSync, sqliteFailure } from '../../../src-main/storage/sqlite.ts';
import { damagePages } from '../../support/damage.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const newFile = async () => join(await temporaryFolder(), 'some.sqlite');

function opened(...args: ConstructorParameters<typeof DatabaseSync>) {
  const database = new DatabaseSync(...args);
  onTestFinished(() => database.close());
  return database;
}

/** Returns the class of the error that `work` throws. */
function failureOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    return sqliteFailure(error);
  }
  throw new Error('Nothing was thrown.');
}

/** Makes a file with a table of 2,000 rows and a full-text table. */
async function filledFile(): Promise<string> {
  const file = await newFile();
  const database = new DatabaseSync(file);
  database.exec(`CREATE TABLE fruit (name TEXT) STRICT; CREATE VIRTUAL TABLE words USING fts5 (text);
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
    INSERT INTO fruit SELECT 'pear ' || n || hex(zeroblob(100)) FROM numbers;
    INSERT INTO words VALUES ('pears and plums')`);
  database.close();
  return file;
}

// The project `sqlite-package` runs this file and the tests of the lock and the records without Node's own SQLite.
test('SQLite is that of Node if it has one, otherwise that of the package', () => {
  const own = process.getBuiltinModule('node:sqlite') as { DatabaseSync: unknown } | undefined;
  expect(own === undefined).toBe(process.execArgv.includes('--no-experimental-sqlite'));
  expect(DatabaseSync).toBe((own ?? packaged).DatabaseSync);
});

test('SQLite is that of the package if that of Node could damage a database', async () => {
  const source = import.meta.resolve('../../../src-main/storage/sqlite.ts');
  const program = `const own = process.getBuiltinModule('node:sqlite');
    for (const sqlite of ['3.9.9', '3.50.4', '3.51.2', '3.51.3', '3.51.10', '3.53.4', '4.0.0']) {
      Object.defineProperty(process, 'versions', { value: { ...process.versions, sqlite } });
      const { DatabaseSync } = await import(${JSON.stringify(source)} + '?' + sqlite);
      console.log(sqlite, DatabaseSync === own.DatabaseSync, new DatabaseSync(':memory:').isOpen);
    }`;
  const args = ['--input-type=module', '--eval', program];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout.trim().split('\n')).toEqual([
    ...['3.9.9', '3.50.4', '3.51.2'].map((version) => `${version} false true`),
    ...['3.51.3', '3.51.10', '3.53.4', '4.0.0'].map((version) => `${version} true true`),
  ]);
});

test('a connection has the options and properties that Porchlight uses', async () => {
  const file = await newFile();
  const database = opened(file, { timeout: 0 });
  database.exec('CREATE TABLE t (x TEXT) STRICT');
  expect([database.isOpen, database.isTransaction]).toEqual([true, false]);
  database.exec('BEGIN EXCLUSIVE');
  expect(database.isTransaction).toBe(true);
  const started = performance.now();
  expect(failureOf(() => opened(file, { timeout: 200 }).exec('BEGIN EXCLUSIVE'))).toBe('busy');
  expect(performance.now() - started).toBeGreaterThan(150);
});

describe('an error of SQLite is', () => {
  test('damage, if pages are damaged', async () => {
    const file = await filledFile();
    await damagePages(file);
    const database = opened(file);
    expect(failureOf(() => database.prepare('SELECT sum(length(name)) FROM fruit').get())).toBe('damaged');
  });

  test('damage, if the file is not a database', async () => {
    const file = await newFile();
    await writeFile(file, 'My diary of pears and plums. '.repeat(300));
    const database = opened(file);
    expect(failureOf(() => database.exec('SELECT * FROM sqlite_schema'))).toBe('damaged');
  });

  test('damage, if a full-text table is damaged', async () => {
    const database = opened(await filledFile());
    database.enableDefensive(false);
    database.exec("UPDATE words_data SET block = x'0102030405060708090a' WHERE id > 10");
    const search = database.prepare("SELECT rowid FROM words WHERE words MATCH 'plums'");
    expect(failureOf(() => search.all())).toBe('damaged');
    database.exec('DELETE FROM words_content');
    expect(failureOf(() => database.prepare("SELECT text FROM words WHERE words MATCH 'plums'").all())).toBe(
      'damaged',
    );
  });

  test('a full disk', async () => {
    const database = opened(await filledFile());
    database.exec('PRAGMA max_page_count = 1');
    expect(failureOf(() => database.exec('INSERT INTO fruit VALUES (hex(zeroblob(90000)))'))).toBe('full');
  });

  test('a file that may only be read', async () => {
    const database = opened(await filledFile(), { readOnly: true });
    expect(failureOf(() => database.exec("INSERT INTO fruit VALUES ('plum')"))).toBe('readonly');
  });

  test('a file that another connection has locked', async () => {
    const file = await filledFile();
    const [first, second] = [opened(file), opened(file, { timeout: 0 })];
    first.exec('BEGIN EXCLUSIVE');
    expect(failureOf(() => second.prepare('SELECT * FROM fruit').all())).toBe('busy');
  });

  test('a file that can’t be opened', async () => {
    const dir = await temporaryFolder();
    expect(failureOf(() => new DatabaseSync(join(dir, 'missing', 'some.sqlite')))).toBe('io');
    expect(failureOf(() => new DatabaseSync(dir))).toBe('io');
    // A short read: the code with more detail.
    expect(sqliteFailure(Object.assign(new Error('disk I/O error'), { errcode: 522 }))).toBe('io');
  });

  test('none of these, if a query is wrong or a value is not allowed', async () => {
    const database = opened(await filledFile());
    for (const query of [
      'SELECT * FROM bread',
      "SELECT '{' -> '$.a'",
      'INSERT INTO fruit VALUES (zeroblob(1))',
    ])
      expect(
        failureOf(() => database.prepare(query).all()),
        query,
      ).toBeUndefined();
    const search = database.prepare('SELECT rowid FROM words WHERE words MATCH ?');
    expect(failureOf(() => search.all('"unfinished'))).toBeUndefined();
    for (const other of [undefined, 'text', new Error('no'), { errcode: 11 }])
      expect(sqliteFailure(other)).toBeUndefined();
  });
});
