import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { openDocument } from '../../../src-main/storage/document.ts';
import { mustHaveReserve, openReserve, withReserve } from '../../../src-main/storage/reserve.ts';
import { diskFull } from '../../../src-main/storage/storage-error.ts';
import { Type } from 'typebox';
import { temporaryFolder } from '../../support/storage-folder.ts';

const bytes = 4 * 1024 * 1024;

async function scene(dir?: string) {
  const folder = dir ?? (await temporaryFolder());
  const released = vi.fn();
  const reserve = openReserve(folder, released);
  onTestFinished(() => reserve.close());
  return { dir: folder, file: join(folder, 'records.reserve'), reserve, released };
}

test('the reserve is 4 MB of random bytes that only their owner can read', async () => {
  const { file, reserve } = await scene();
  expect(reserve.isReleased).toBe(false);
  await reserve.make();
  const { size, mode, blocks } = await stat(file);
  expect([size, mode & 0o777]).toEqual([bytes, 0o600]);
  expect(blocks * 512).toBeGreaterThanOrEqual(bytes);
  const content = await readFile(file);
  expect(content.subarray(0, 1000)).not.toEqual(content.subarray(bytes / 2, bytes / 2 + 1000));
});

test('an ending on a full disk is tried again once the reserve was given back, and another one finds none', async () => {
  const { dir, file, reserve, released } = await scene();
  await reserve.make();
  const path = join(dir, 'posts', 'one.json');
  const work = vi.fn(() => Promise.resolve('written')).mockRejectedValueOnce(diskFull(path));
  expect(await withReserve(path, work)).toBe('written');
  expect((await stat(file)).size).toBe(0);
  expect(released).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'storage_full' }));
  await expect(withReserve(path, () => Promise.reject(diskFull(path)))).rejects.toMatchObject({
    code: 'storage_full',
    status: 507,
    message: expect.stringContaining('turn Porchlight off') as string,
  });
});

test('two endings that meet the full disk together are both tried again', async () => {
  const { dir, reserve } = await scene();
  await reserve.make();
  const work = () => vi.fn(() => Promise.resolve(1)).mockRejectedValueOnce(diskFull(dir));
  expect(
    await Promise.all([withReserve(join(dir, 'a'), work()), withReserve(join(dir, 'b'), work())]),
  ).toEqual([1, 1]);
});

test('an error that has nothing to do with room leaves the reserve alone', async () => {
  const { dir, file, reserve } = await scene();
  await reserve.make();
  const path = join(dir, 'a');
  const other = new PorchlightError('not_found', 'Gone.', 404);
  await expect(withReserve(path, () => Promise.reject(other))).rejects.toBe(other);
  const readOnly = new PorchlightError('storage_unwritable', 'Read-only.', 500);
  await expect(withReserve(path, () => Promise.reject(readOnly))).rejects.toMatchObject({
    code: 'storage_unwritable',
    status: 507,
  });
  expect((await stat(file)).size).toBe(bytes);
});

test('while the reserve is given back, nothing is written to a document, also after a restart', async () => {
  const { dir, file, reserve } = await scene();
  const document = await openDocument({
    file: join(dir, 'a.json'),
    kind: 'note',
    format: 1,
    schema: Type.Object({ words: Type.String() }),
    initial: { words: '' },
  });
  await reserve.make();
  await reserve.release();
  expect(() => mustHaveReserve(file)).toThrow('The disk is full');
  const change = (words: string) => (data: { words: string }) => void (data.words = words);
  await expect(document.update(change('no'))).rejects.toMatchObject({ code: 'storage_full' });
  expect(document.data.words).toBe('');

  await reserve.close();
  const again = await scene(dir);
  expect(again.reserve.isReleased).toBe(true);
  await expect(document.update(change('no'))).rejects.toMatchObject({ code: 'storage_full' });
  await again.reserve.make();
  await document.update(change('yes'));
  expect(document.data.words).toBe('yes');
});

test('a folder without a reserve accepts writes, and an unfinished reserve after a kill does not count', async () => {
  const { dir, reserve } = await scene();
  await writeFile(join(dir, 'records.reserve.new'), 'half');
  expect(reserve.isReleased).toBe(false);
  mustHaveReserve(join(dir, 'a'));
  await reserve.make();
  await expect(stat(join(dir, 'records.reserve.new'))).rejects.toThrow('ENOENT');
});
