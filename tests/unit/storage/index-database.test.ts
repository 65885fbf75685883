import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  openIndex,
  openIndexToRead,
  sharedTransactions,
  type IndexPart,
} from '../../../src-main/storage/index/index-database.ts';
import { damagePages } from '../../support/damage.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const fruit: IndexPart = { name: 'fruit', tables: 'CREATE TABLE fruit (name TEXT PRIMARY KEY) STRICT;' };
const bread: IndexPart = { name: 'bread', tables: 'CREATE TABLE bread (name TEXT PRIMARY KEY) STRICT;' };

const newFile = async () => join(await temporaryFolder(), 'index.sqlite');
const namesIn = (index: ReturnType<typeof openIndex>) =>
  index.rows(({ name }) => name, 'SELECT name FROM fruit ORDER BY name');
const add = (index: ReturnType<typeof openIndex>, name: string) =>
  index.run('INSERT INTO fruit VALUES (?)', name);

describe('an index', () => {
  test('trusts a part only after it was told so and closed, and only once', async () => {
    const file = await newFile();
    const parts = [fruit, bread];
    const first = openIndex(file, parts);
    expect(first.isTrusted(fruit)).toBe(false);
    add(first, 'pear');
    first.setTrusted(fruit, true);
    first.close();

    const second = openIndex(file, parts);
    expect([second.isTrusted(fruit), second.isTrusted(bread)]).toEqual([true, false]);
    expect(namesIn(second)).toEqual(['pear']);
    // Not closed, as after a kill.
    const third = openIndex(file, parts);
    expect(third.isTrusted(fruit)).toBe(false);
    expect(namesIn(third)).toEqual(['pear']);
    third.setTrusted(fruit, true);
    third.setTrusted(fruit, false);
    third.close();
    expect(openIndex(file, parts).isTrusted(fruit)).toBe(false);
  });

  test('is for its owner only, with what SQLite keeps beside it', async () => {
    const file = await newFile();
    const index = openIndex(file, [fruit]);
    add(index, 'pear');
    for (const name of [file, `${file}-wal`]) expect((await stat(name)).mode & 0o777).toBe(0o600);
    index.close();
  });

  test('with other tables is made anew', async () => {
    const file = await newFile();
    const old = openIndex(file, [fruit]);
    add(old, 'pear');
    old.setTrusted(fruit, true);
    old.close();
    const index = openIndex(file, [{ ...fruit, tables: `${fruit.tables} CREATE INDEX x ON fruit (name);` }]);
    expect(namesIn(index)).toEqual([]);
    expect(index.isTrusted(fruit)).toBe(false);
    index.close();
  });

  test.each([
    ['nothing', ''],
    ['words', 'nonsense'],
    ['the head of an index', 'SQLite format 3\0'.padEnd(9000, 'x')],
  ])('in a file that holds %s is made anew', async (_, text) => {
    const file = await newFile();
    await writeFile(file, text);
    const index = openIndex(file, [fruit]);
    add(index, 'pear');
    expect(namesIn(index)).toEqual(['pear']);
    index.close();
  });

  test('that the disk does not take is in memory, and nothing of it is trusted at the next start', async () => {
    const dir = await temporaryFolder();
    for (const file of [join(dir, 'nowhere', 'index.sqlite'), dir]) {
      const index = openIndex(file, [fruit]);
      add(index, 'pear');
      expect(namesIn(index)).toEqual(['pear']);
      index.setTrusted(fruit, true);
      index.close();
      expect(openIndex(file, [fruit]).isTrusted(fruit)).toBe(false);
    }
  });

  test('with damaged pages is trusted no more, says so once, and is replaced at the next start', async () => {
    const file = await newFile();
    const whole = openIndex(file, [fruit]);
    whole.together(() => {
      for (let number = 0; number < 5000; number += 1) add(whole, `pear ${number}`.padEnd(100, '.'));
    });
    whole.setTrusted(fruit, true);
    whole.close();
    await damagePages(file);

    let calls = 0;
    const damaged = openIndex(file, [fruit], () => (calls += 1));
    expect(damaged.isTrusted(fruit)).toBe(true);
    for (const use of [
      () => namesIn(damaged),
      () => add(damaged, 'plum'),
      () => damaged.together(() => undefined),
    ])
      expect(use).toThrow(expect.objectContaining({ code: 'storage_damaged', status: 503 }));
    expect([calls, damaged.isDamaged, damaged.isTrusted(fruit)]).toEqual([1, true, false]);
    damaged.setTrusted(fruit, true);
    damaged.close();

    const next = openIndex(file, [fruit]);
    expect([next.isDamaged, next.isTrusted(fruit), namesIn(next)]).toEqual([false, false, []]);
    next.close();
  });

  test('is not damaged by a query that is wrong or a reader that throws, but by JSON that it did not write', async () => {
    const index = openIndex(await newFile(), [fruit]);
    add(index, '{"cut');
    expect(() => index.rows(() => 0, 'SELECT * FROM bread')).toThrow(/no such table/);
    expect(() => index.rows(() => 0, "SELECT json_extract(name, '$.a') FROM fruit")).toThrow(
      /malformed JSON/,
    );
    const reader = () => {
      throw new TypeError('No.');
    };
    expect(() => index.rows(reader, 'SELECT name FROM fruit')).toThrow(TypeError);
    expect(index.isDamaged).toBe(false);
    expect(() =>
      index.rows(({ name }) => JSON.parse(String(name)) as unknown, 'SELECT name FROM fruit'),
    ).toThrow(expect.objectContaining({ code: 'storage_damaged' }));
    expect(index.isDamaged).toBe(true);
    index.close();
  });

  test('writes all of a transaction or nothing, also of one inside another', async () => {
    const index = openIndex(await newFile(), [fruit]);
    const failing = () =>
      index.together(() => {
        add(index, 'pear');
        index.together(() => add(index, 'plum'));
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect(namesIn(index)).toEqual([]);
    index.together(() => index.together(() => add(index, 'fig')));
    expect(namesIn(index)).toEqual(['fig']);
    index.close();
  });

  test('that is read only is not changed, and stays trusted', async () => {
    const file = await newFile();
    expect(openIndexToRead(file, [fruit])).toBeUndefined();
    const index = openIndex(file, [fruit]);
    add(index, 'pear');
    index.setTrusted(fruit, true);
    expect(openIndexToRead(file, [fruit])).toBeUndefined();
    index.close();
    const before = await stat(file);
    for (let time = 0; time < 2; time += 1) {
      const read = openIndexToRead(file, [fruit]);
      expect(read?.isTrusted(fruit)).toBe(true);
      expect(read && namesIn(read)).toEqual(['pear']);
      expect(() => read && add(read, 'plum')).toThrow(/could not be saved/);
      read?.close();
    }
    expect((await stat(file)).mtimeMs).toBe(before.mtimeMs);
    expect(openIndexToRead(file, [bread])).toBeUndefined();
  });
});

test('long changes that come together are made in order, in several transactions', async () => {
  const made: string[] = [];
  let transactions = 0;
  const together = <T>(work: () => T): T => {
    transactions += 1;
    return work();
  };
  const share = sharedTransactions({ together, writable: () => Promise.resolve() });
  const long = (name: string) => () => {
    for (const end = performance.now() + 10; performance.now() < end;);
    made.push(name);
  };
  const first = [share(long('one')), share(long('two'))];
  // These come while the first ones are being made.
  const later = new Promise<void>((resolve) => setImmediate(() => resolve(share(long('three')))));
  await Promise.all([...first, later]);
  expect(made).toEqual(['one', 'two', 'three']);
  expect(transactions).toBe(3);
});
