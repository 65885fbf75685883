import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Low } from 'lowdb';
import { describe, expect, test } from 'vitest';
import type { Codec } from '../../../src-main/storage/document-format.ts';
import { openDurableFile } from '../../../src-main/storage/document.ts';
import {
  readJsonFile,
  systemError,
  temporaryFolder,
  watchedOperations,
} from '../../support/storage-folder.ts';

const plain: Codec<unknown> = {
  kind: 'note',
  encode: (data) => data,
  decode: (stored) => ({ data: stored }),
};

async function openIn(dir: string, operations = watchedOperations()) {
  const file = join(dir, 'notes.json');
  return { file, operations, adapter: await openDurableFile({ file, codec: plain, operations }) };
}

describe('a durable file', () => {
  test('reads null if there is no file, and afterwards the written content', async () => {
    const { adapter } = await openIn(await temporaryFolder());
    expect(await adapter.read()).toBeNull();
    await adapter.write({ light: 'on' });
    expect(await adapter.read()).toEqual({ light: 'on' });
  });

  test('works as an adapter of lowdb', async () => {
    const { adapter, file } = await openIn(await temporaryFolder());
    const low = new Low<unknown>(adapter, { count: 1 });
    await low.write();
    expect(await readJsonFile(file)).toEqual({ count: 1 });
  });

  test('makes the folders it needs, for the owner only, and a file for the owner only', async () => {
    const dir = join(await temporaryFolder(), 'posts', '2026');
    const { adapter, file } = await openIn(dir);
    await adapter.write({});
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
  });

  test('keeps the version before, and no temporary file', async () => {
    const dir = await temporaryFolder();
    const { adapter, file } = await openIn(dir);
    for (const version of [1, 2, 3]) await adapter.write({ version });
    expect(await readJsonFile(file)).toEqual({ version: 3 });
    expect(await readJsonFile(`${file}.previous`)).toEqual({ version: 2 });
    expect((await readdir(dir)).sort()).toEqual(['notes.json', 'notes.json.previous']);
  });

  test('the disk has the content before the name, and the name before the answer', async () => {
    const { adapter, operations } = await openIn(await temporaryFolder());
    await adapter.write({ version: 1 });
    operations.calls.length = 0;
    await adapter.write({ version: 2 });
    const steps = operations.calls.filter((call) => !call.startsWith('remove'));
    expect(steps.slice(0, -1)).toEqual([
      'write notes.json.tmp',
      'duplicate notes.json notes.json.previous.tmp',
      'rename notes.json.previous.tmp notes.json.previous',
      'rename notes.json.tmp notes.json',
    ]);
    expect(steps.at(-1)).toMatch(/^syncFolder /);
  });

  test('at every step of a write the file is one version whole', async () => {
    const { adapter, operations, file } = await openIn(await temporaryFolder());
    await adapter.write({ version: 1 });
    const { readFileSync } = await import('node:fs');
    const seen = new Set<unknown>();
    operations.before = () =>
      seen.add((JSON.parse(readFileSync(file, 'utf8')) as { version: number }).version);
    await adapter.write({ version: 2 });
    expect([...seen]).toEqual([1, 2]);
  });

  test('temporary files of a killed process are removed on opening', async () => {
    const dir = await temporaryFolder();
    await writeFile(join(dir, 'notes.json.tmp'), '{"half');
    await writeFile(join(dir, 'notes.json.previous.tmp'), '{}');
    await openIn(dir);
    expect(await readdir(dir)).toEqual([]);
  });

  test('after a kill between the two renames the next write still leaves no temporary file', async () => {
    const dir = await temporaryFolder();
    const { adapter, file, operations } = await openIn(dir);
    await adapter.write({ version: 1 });
    // As the kill leaves it: both names are the same file.
    await operations.duplicate(file, `${file}.previous`);
    await (await openIn(dir)).adapter.write({ version: 2 });
    expect((await readdir(dir)).sort()).toEqual(['notes.json', 'notes.json.previous']);
  });
});

describe('a write that fails', () => {
  const everyStep = [
    ['write', 'notes.json.tmp'],
    ['duplicate', 'notes.json.previous.tmp'],
    ['rename', 'notes.json.previous'],
    ['rename', 'notes.json'],
    ['syncFolder', ''],
  ] as const;

  test.each(everyStep)('at %s %s leaves the old version and no temporary file', async (step, target) => {
    const dir = await temporaryFolder();
    const { adapter, operations, file } = await openIn(dir);
    await adapter.write({ version: 1 });
    await adapter.write({ version: 2 });
    let failures = 1;
    operations.before = (name, paths) => {
      if (name === step && paths.at(-1)!.endsWith(target) && failures-- > 0) throw systemError('EIO');
    };
    await expect(adapter.write({ version: 3 })).rejects.toMatchObject({
      code: 'storage_unwritable',
      status: 500,
    });
    expect(failures).toBe(0);
    expect(await readJsonFile(file)).toEqual({ version: 2 });
    expect((await readdir(dir)).filter((name) => name.endsWith('.tmp'))).toEqual([]);

    await adapter.write({ version: 4 });
    expect(await readJsonFile(file)).toEqual({ version: 4 });
    expect(await readJsonFile(`${file}.previous`)).toEqual({ version: 2 });
  });

  test.each([
    ['ENOSPC', 'storage_full', 507],
    ['EDQUOT', 'storage_full', 507],
    ['EROFS', 'storage_unwritable', 500],
    ['EACCES', 'storage_unwritable', 500],
  ])('with %s is rejected with %s', async (cause, code, status) => {
    const { adapter, operations } = await openIn(await temporaryFolder());
    operations.before = (name) => {
      if (name === 'write') throw systemError(cause);
    };
    await expect(adapter.write(1)).rejects.toMatchObject({ code, status, cause: { code: cause } });
  });

  test('the first time leaves no file at all', async () => {
    const dir = await temporaryFolder();
    const { adapter, operations } = await openIn(dir);
    operations.before = (name) => {
      if (name === 'syncFolder') throw systemError('EIO');
    };
    await expect(adapter.write({ version: 1 })).rejects.toMatchObject({ code: 'storage_unwritable' });
    expect(await readdir(dir)).toEqual([]);
  });

  test('a file that the system will not let us read is no broken file', async () => {
    const dir = await temporaryFolder();
    const { adapter, operations, file } = await openIn(dir);
    await adapter.write({ version: 1 });
    operations.before = (name) => {
      if (name === 'read') throw systemError('EACCES');
    };
    await expect(adapter.read()).rejects.toMatchObject({ code: 'storage_unreadable' });
    expect(await readFile(file, 'utf8')).toBe('{\n  "version": 1\n}\n');
  });
});
