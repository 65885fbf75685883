import { execFile } from 'node:child_process';
import { appendFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { describe, expect, onTestFinished, test, type TestContext } from 'vitest';
import { closed } from '../../../src-main/contract/shapes.ts';
import { openDocument } from '../../../src-main/storage/document.ts';
import { readJsonFile, temporaryFolder } from '../../support/storage-folder.ts';

const run = promisify(execFile);
const schema = closed({ texts: Type.Array(Type.String()) });

/** A disk of 512 kB with a document in it; skips the test where this user may not mount one. */
async function smallDisk({ skip }: TestContext) {
  const dir = join(await temporaryFolder(), 'disk');
  await mkdir(dir);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', dir]);
  } catch (error) {
    skip(`a real full disk needs the right to mount: ${String(error)}`);
  }
  onTestFinished(async () => {
    await run('umount', [dir]);
  });
  const file = join(dir, 'posts.json');
  const document = await openDocument({ file, schema, kind: 'note', format: 1, initial: { texts: [] } });
  return {
    dir,
    file,
    document,
    add: (text: string) => document.update(({ texts }) => void texts.push(text)),
  };
}

async function fill(path: string): Promise<void> {
  try {
    for (;;) await appendFile(path, Buffer.alloc(4096));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  }
}

const temporaryFiles = async (dir: string) => (await readdir(dir)).filter((name) => name.endsWith('.tmp'));

describe('a real disk', () => {
  test('a full disk refuses the change, keeps the last version, and takes changes again once there is room', async (context) => {
    const { dir, file, document, add } = await smallDisk(context);
    await add('first');
    await add('second');
    await fill(join(dir, 'filler'));

    await expect(add('x'.repeat(10_000))).rejects.toMatchObject({ code: 'storage_full', status: 507 });
    expect(document.data).toEqual({ texts: ['first', 'second'] });
    expect(await readJsonFile(file)).toEqual({ format: 1, texts: ['first', 'second'] });
    expect(await temporaryFiles(dir)).toEqual([]);

    await rm(join(dir, 'filler'));
    await add('third');
    expect(await readJsonFile(file)).toEqual({ format: 1, texts: ['first', 'second', 'third'] });
    expect(await readJsonFile(`${file}.previous`)).toEqual({ format: 1, texts: ['first', 'second'] });
  });

  test('that may only be read refuses the change, and takes changes again once it may be written', async (context) => {
    const { dir, file, document, add } = await smallDisk(context);
    await add('first');
    await run('mount', ['-o', 'remount,ro', dir]);
    await expect(add('second')).rejects.toMatchObject({
      code: 'storage_unwritable',
      cause: { code: 'EROFS' },
    });
    expect(document.data).toEqual({ texts: ['first'] });

    await run('mount', ['-o', 'remount,rw', dir]);
    await add('third');
    expect(await readJsonFile(file)).toEqual({ format: 1, texts: ['first', 'third'] });
    expect(await temporaryFiles(dir)).toEqual([]);
  });
});
