import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { closed } from '../../../src-main/contract/shapes.ts';
import { openDocument } from '../../../src-main/storage/document.ts';
import type { Recovery } from '../../../src-main/storage/recovery.ts';
import {
  readJsonFile,
  systemError,
  temporaryFolder,
  watchedOperations,
} from '../../support/storage-folder.ts';

const schema = closed({ names: Type.Array(Type.String()) });
const now = () => new Date('2026-11-21T02:03:04.005Z');
const aside = '.broken-2026-11-21T02-03-04.005Z';

function openRecording(file: string, operations = watchedOperations()) {
  const recoveries: Recovery[] = [];
  const onRecovered = (recovery: Recovery) => void recoveries.push(recovery);
  const opened = openDocument({
    file,
    schema,
    kind: 'note',
    format: 1,
    initial: { names: [] },
    onRecovered,
    now,
    operations,
  });
  return { recoveries, opened };
}

/** A document with the versions ['a'] and ['a', 'b'] on disk. */
async function twoVersions() {
  const dir = await temporaryFolder();
  const file = join(dir, 'apps.json');
  const { opened } = openRecording(file);
  const document = await opened;
  await document.update(({ names }) => names.push('a'));
  await document.update(({ names }) => names.push('b'));
  return { dir, file };
}

describe('a file that cannot be used', () => {
  test.each([
    ['is cut off', '{ "format": 1, "names": ["a"'],
    ['is empty', ''],
    ['is full of zeros', '\0'.repeat(100)],
    ['holds something else', '["a"]'],
    ['has no format number', '{ "names": [] }'],
    ['has a format number that is none', '{ "format": "1", "names": [] }'],
  ])('because it %s is moved aside, and the version before takes its place', async (_, content) => {
    const { file } = await twoVersions();
    await writeFile(file, content);
    const { opened, recoveries } = openRecording(file);
    expect((await opened).data).toEqual({ names: ['a'] });
    expect(recoveries).toEqual([{ file, movedTo: `${file}${aside}`, recoveredFrom: 'previous' }]);
    expect(await readFile(`${file}${aside}`, 'utf8')).toBe(content);
    expect(await readJsonFile(file)).toEqual({ format: 1, names: ['a'] });

    const again = openRecording(file);
    expect((await again.opened).data).toEqual({ names: ['a'] });
    expect(again.recoveries).toEqual([]);
  });

  test('because it is missing is replaced by the previous version, and the owner is told', async () => {
    const { file } = await twoVersions();
    await rm(file);
    const { opened, recoveries } = openRecording(file);
    expect((await opened).data).toEqual({ names: ['a'] });
    expect(recoveries).toEqual([{ file, movedTo: null, recoveredFrom: 'previous' }]);
    expect(await readJsonFile(file)).toEqual({ format: 1, names: ['a'] });
  });

  test('without a previous version starts empty, the file is kept aside, and the owner is told', async () => {
    const { file, dir } = await twoVersions();
    await writeFile(file, 'x');
    await rm(`${file}.previous`);
    const { opened, recoveries } = openRecording(file);
    expect((await opened).data).toEqual({ names: [] });
    expect(recoveries).toEqual([{ file, movedTo: `${file}${aside}`, recoveredFrom: 'nothing' }]);
    expect(await readdir(dir)).toEqual([`apps.json${aside}`]);
  });

  test('like the version before it: both are kept aside', async () => {
    const { file, dir } = await twoVersions();
    await writeFile(file, 'x');
    await writeFile(`${file}.previous`, 'y');
    const { opened, recoveries } = openRecording(file);
    expect((await opened).data).toEqual({ names: [] });
    expect(recoveries).toEqual([{ file, movedTo: `${file}${aside}`, recoveredFrom: 'nothing' }]);
    expect((await readdir(dir)).sort()).toEqual([`apps.json${aside}`, `apps.json.previous${aside}`]);
    expect(await readFile(`${file}.previous${aside}`, 'utf8')).toBe('y');
  });

  test('never takes the name of an earlier file that was kept aside', async () => {
    const { file } = await twoVersions();
    await writeFile(`${file}${aside}`, 'an earlier one');
    await writeFile(file, 'x');
    const { opened, recoveries } = openRecording(file);
    await opened;
    expect(recoveries[0]?.movedTo).toBe(`${file}${aside}-2`);
    expect(await readFile(`${file}${aside}`, 'utf8')).toBe('an earlier one');
    expect(await readFile(`${file}${aside}-2`, 'utf8')).toBe('x');
  });

  test('is refused and left unchanged if nobody can be told', async () => {
    const { file, dir } = await twoVersions();
    await writeFile(file, 'x');
    const opening = openDocument({ file, schema, kind: 'note', format: 1, initial: { names: [] } });
    await expect(opening).rejects.toMatchObject({ code: 'storage_broken', status: 500 });
    expect(await readFile(file, 'utf8')).toBe('x');
    expect((await readdir(dir)).map((name) => basename(name)).sort()).toEqual([
      'apps.json',
      'apps.json.previous',
    ]);
  });

  test('keeps its name until the owner has been told, so that a kill in between hides nothing', async () => {
    const { file } = await twoVersions();
    await writeFile(file, 'x');
    const opening = openDocument({
      file,
      schema,
      kind: 'note',
      format: 1,
      initial: { names: [] },
      onRecovered: () => Promise.reject(new Error('killed while telling')),
    });
    await expect(opening).rejects.toThrow('killed while telling');
    expect(await readFile(file, 'utf8')).toBe('x');
    const { opened, recoveries } = openRecording(file);
    await opened;
    expect(recoveries).toHaveLength(1);
  });

  test('is left alone when the version before is from the future', async () => {
    const { file } = await twoVersions();
    await writeFile(file, 'x');
    await writeFile(`${file}.previous`, '{ "format": 2 }');
    const { opened, recoveries } = openRecording(file);
    await expect(opened).rejects.toMatchObject({ code: 'storage_newer' });
    expect(recoveries).toEqual([]);
    expect(await readFile(file, 'utf8')).toBe('x');
  });

  test('on a disk that cannot be written stays unchanged, and the owner learns why', async () => {
    const { file } = await twoVersions();
    await writeFile(file, 'x');
    const operations = watchedOperations();
    operations.before = (name) => {
      if (name === 'duplicate') throw systemError('EROFS');
    };
    const { opened, recoveries } = openRecording(file, operations);
    await expect(opened).rejects.toMatchObject({ code: 'storage_unwritable' });
    expect(recoveries).toEqual([]);
    expect(await readFile(file, 'utf8')).toBe('x');
  });
});
