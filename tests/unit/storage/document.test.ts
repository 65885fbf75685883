import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { closed } from '../../../src-main/contract/shapes.ts';
import type { Migration } from '../../../src-main/storage/document-format.ts';
import { openDocument } from '../../../src-main/storage/document.ts';
import {
  readJsonFile,
  systemError,
  temporaryFolder,
  watchedOperations,
} from '../../support/storage-folder.ts';

const schema = closed({ names: Type.Array(Type.String({ maxLength: 10 })) });

async function open(dir: string, operations = watchedOperations()) {
  const file = join(dir, 'apps.json');
  const document = await openDocument({
    file,
    schema,
    kind: 'note',
    format: 1,
    initial: { names: [] },
    operations,
  });
  return {
    file,
    operations,
    document,
    add: (name: string) => document.update(({ names }) => names.push(name)),
  };
}

describe('a document', () => {
  test('starts with its initial value and writes nothing until it changes', async () => {
    const dir = await temporaryFolder();
    const { document } = await open(dir);
    expect(document.data).toEqual({ names: [] });
    expect(await readdir(dir)).toEqual([]);
  });

  test('an update returns the result of the change, once it is on disk with its format number', async () => {
    const { file, add, document } = await open(await temporaryFolder());
    expect(await add('a')).toBe(1);
    expect(await readJsonFile(file)).toEqual({ format: 1, names: ['a'] });
    expect(document.data).toEqual({ names: ['a'] });
  });

  test('holds the saved data after it is opened again', async () => {
    const dir = await temporaryFolder();
    await (await open(dir)).add('a');
    expect((await open(dir)).document.data).toEqual({ names: ['a'] });
  });

  test('updates of one burst share one write', async () => {
    const { file, add, operations } = await open(await temporaryFolder());
    expect(await Promise.all(['a', 'b', 'c'].map(add))).toEqual([1, 2, 3]);
    expect(await readJsonFile(file)).toEqual({ format: 1, names: ['a', 'b', 'c'] });
    expect(operations.writesOf('apps.json')).toBe(1);
  });

  test('a change sees those before it, so of two that want the same only one gets it', async () => {
    const { document } = await open(await temporaryFolder());
    const take = () =>
      document.update(({ names }) => {
        if (names.includes('taken')) return false;
        names.push('taken');
        return true;
      });
    expect(await Promise.all([take(), take()])).toEqual([true, false]);
  });

  test('data is the content on disk, never an unsaved change', async () => {
    const { add, document } = await open(await temporaryFolder());
    const saving = add('a');
    await Promise.resolve();
    expect(document.data).toEqual({ names: [] });
    await saving;
    expect(document.data).toEqual({ names: ['a'] });
  });

  test('nothing but an update changes the data', async () => {
    const { add, document } = await open(await temporaryFolder());
    await add('a');
    const names = document.data.names;
    expect(() => names.push('b')).toThrow(TypeError);
    expect(document.data).toEqual({ names: ['a'] });
  });

  test('the initial value stays the caller’s own', async () => {
    const initial = { names: ['first'] };
    const file = join(await temporaryFolder(), 'apps.json');
    const document = await openDocument({ file, schema, kind: 'note', format: 1, initial });
    await document.update(({ names }) => names.push('second'));
    initial.names.push('third');
    expect(document.data).toEqual({ names: ['first', 'second'] });
  });

  test('a change that the schema does not allow is refused and changes nothing', async () => {
    const { file, add, document } = await open(await temporaryFolder());
    await add('a');
    await expect(add('much too long')).rejects.toMatchObject({ code: 'storage_invalid', status: 500 });
    expect(document.data).toEqual({ names: ['a'] });
    expect(await readJsonFile(file)).toEqual({ format: 1, names: ['a'] });
  });

  test('a change that throws midway changes nothing, and does not hold up the others of its burst', async () => {
    const { file, add, document, operations } = await open(await temporaryFolder());
    const broken = document.update(({ names }) => {
      names.push('half');
      throw new RangeError('changed my mind');
    });
    const outcomes = await Promise.allSettled([add('a'), broken, add('much too long'), add('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    await expect(broken).rejects.toThrow('changed my mind');
    expect(await readJsonFile(file)).toEqual({ format: 1, names: ['a', 'b'] });
    expect(operations.writesOf('apps.json')).toBe(1);
  });

  test('an initial value that the schema does not allow is refused', async () => {
    const file = join(await temporaryFolder(), 'apps.json');
    const initial = { names: ['much too long'] };
    await expect(openDocument({ file, schema, kind: 'note', format: 1, initial })).rejects.toMatchObject({
      code: 'storage_invalid',
    });
  });

  test('a schema may not use the name of the format number', async () => {
    const file = join(await temporaryFolder(), 'apps.json');
    const taken = closed({ format: Type.String() });
    const opening = openDocument({ file, schema: taken, kind: 'note', format: 1, initial: { format: 'x' } });
    await expect(opening).rejects.toThrow(TypeError);
  });
});

describe('a document whose write fails', () => {
  test('rejects the waiting updates and goes back to the content on disk', async () => {
    const { file, add, document, operations } = await open(await temporaryFolder());
    await add('a');
    operations.before = (name) => {
      if (name === 'write') throw systemError('ENOSPC');
    };
    const outcomes = await Promise.allSettled([add('b'), add('c')]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'storage_full', status: 507 } });
    }
    expect(document.data).toEqual({ names: ['a'] });
    expect(await readJsonFile(file)).toEqual({ format: 1, names: ['a'] });
  });

  test('keeps the updates that come during the failing write, without the ones that failed', async () => {
    const { file, add, document, operations } = await open(await temporaryFolder());
    let later: Promise<number> | undefined;
    operations.before = (name) => {
      if (name !== 'write' || later !== undefined) return;
      later = add('later');
      throw systemError('ENOSPC');
    };
    await expect(add('failed')).rejects.toMatchObject({ code: 'storage_full' });
    expect(await later).toBe(1);
    expect(document.data).toEqual({ names: ['later'] });
    expect(await readJsonFile(file)).toEqual({ format: 1, names: ['later'] });
  });
});

describe('the format of a document', () => {
  const renamed = closed({ people: Type.Array(Type.String()) });
  const migrations = {
    1: ({ list }: Record<string, unknown>) => ({ names: list }),
    2: ({ names }: Record<string, unknown>) => ({ people: names }),
  };
  const openThird = (file: string, steps: Record<number, Migration> = migrations) =>
    openDocument({
      file,
      schema: renamed,
      kind: 'note',
      format: 3,
      migrations: steps,
      initial: { people: [] },
    });

  async function fileWith(content: unknown): Promise<string> {
    const file = join(await temporaryFolder(), 'people.json');
    await writeFile(file, JSON.stringify(content));
    return file;
  }

  test('an older one is brought forward step by step, and saved with the next update', async () => {
    const file = await fileWith({ format: 1, list: ['a'] });
    const document = await openThird(file);
    expect(document.data).toEqual({ people: ['a'] });
    await document.update(({ people }) => people.push('b'));
    expect(await readJsonFile(file)).toEqual({ format: 3, people: ['a', 'b'] });
    expect(await readJsonFile(`${file}.previous`)).toEqual({ format: 1, list: ['a'] });
  });

  test('a newer one is refused with its numbers, and the file stays unchanged', async () => {
    const file = await fileWith({ format: 4, anything: true });
    const before = await readFile(file, 'utf8');
    const recovered: unknown[] = [];
    const opening = openDocument({
      file,
      schema: renamed,
      kind: 'note',
      format: 3,
      initial: { people: [] },
      onRecovered: (recovery) => void recovered.push(recovery),
    });
    await expect(opening).rejects.toMatchObject({
      code: 'storage_newer',
      message: expect.stringContaining('format 4; this one reads up to 3') as string,
    });
    expect(await readFile(file, 'utf8')).toBe(before);
    expect(recovered).toEqual([]);
  });

  test.each([
    ['a missing step', { format: 1, list: [] }, {}],
    ['a step that throws', { format: 2 }, { 2: () => JSON.parse('no') as never }],
    ['a step to something invalid', { format: 2, names: 'not a list' }, migrations],
  ])('%s is the program’s fault: the file is refused and stays unchanged', async (_, content, steps) => {
    const file = await fileWith(content);
    await expect(openThird(file, steps)).rejects.toMatchObject({ code: 'storage_migration', status: 500 });
    expect(await readJsonFile(file)).toEqual(content);
  });
});
