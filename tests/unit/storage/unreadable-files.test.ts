import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Type } from 'typebox';
import { closed } from '../../../src-main/contract/shapes.ts';
import { openDocument } from '../../../src-main/storage/document.ts';
import { readLines } from '../../../src-main/storage/file-content.ts';
import { watchUnreadable } from '../../../src-main/storage/storage-watch.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const schema = closed({ names: Type.Array(Type.String()) });
const open = (file: string) =>
  openDocument({ file, schema, kind: 'note', format: 1, initial: { names: [] } });

async function watching() {
  const dir = await temporaryFolder();
  const changed = vi.fn();
  const files = watchUnreadable({ dir, changed, checkMs: 20 });
  onTestFinished(() => files.stop());
  return { dir, changed, files };
}

test('a document of a newer format is named until it is replaced', async () => {
  const { dir, changed, files } = await watching();
  const file = join(dir, 'posts', 'a.json');
  await mkdir(join(dir, 'posts'));
  await writeFile(file, '{ "format": 7 }');
  await expect(open(file)).rejects.toMatchObject({ code: 'storage_newer' });
  await expect(open(file)).rejects.toMatchObject({ code: 'storage_newer' });
  expect(files.list()).toEqual([
    {
      code: 'storage_newer',
      words:
        'Porchlight can’t read the file posts/a.json. A newer version of Porchlight wrote it. Update Porchlight, or restore a backup.',
    },
  ]);
  expect(changed).toHaveBeenCalledTimes(1);
  expect(await readFile(file, 'utf8')).toBe('{ "format": 7 }');

  await writeFile(file, '{ "format": 1, "names": ["a"] }');
  await vi.waitFor(() => expect(files.list()).toEqual([]));
  expect(changed).toHaveBeenCalledTimes(2);
  expect((await open(file)).data.names).toEqual(['a']);
});

test.each([
  ['document', open],
  ['file of lines', (file: string) => readLines(file).next()],
])('a %s that the system does not let us read is named until it is readable', async (_, read) => {
  const { dir, files } = await watching();
  const file = join(dir, 'kept.json');
  // A folder in its place cannot be read, not even by an administrator.
  await mkdir(file);
  await expect(read(file)).rejects.toMatchObject({ code: 'storage_unreadable' });
  expect(files.list()).toMatchObject([{ code: 'storage_unreadable' }]);
  await rm(file, { recursive: true });
  await vi.waitFor(() => expect(files.list()).toEqual([]));
});

test('a file of another folder does not count', async () => {
  const { files } = await watching();
  const elsewhere = join(await temporaryFolder(), 'a.json');
  await writeFile(elsewhere, '{ "format": 7 }');
  await expect(open(elsewhere)).rejects.toMatchObject({ code: 'storage_newer' });
  expect(files.list()).toEqual([]);
});
