import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDocument } from '../../../src-main/storage/document.ts';
import { nodeOperations } from '../../../src-main/storage/file-operations.ts';
import { lockFolder } from '../../../src-main/storage/folder-lock.ts';
import { verified, verifiedRoot } from '../../../src-main/storage/held-folders.ts';
import { readLines } from '../../../src-main/storage/file-content.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { openRecords } from '../../../src-main/storage/records/records.ts';
import { notesTable } from '../../support/storage-numbers.ts';
import { isFolder } from '../../../src-main/storage/file-facts.ts';
import { Type } from 'typebox';
import { temporaryFolder } from '../../support/storage-folder.ts';

const gone = { code: 'storage_gone', status: 507 };
const note = {
  schema: Type.Object({ text: Type.String() }),
  kind: 'note' as const,
  format: 1,
  initial: { text: '' },
};

/** A locked data folder, and the ways in which it can disappear. */
async function lockedFolder() {
  const beside = await temporaryFolder();
  const dir = join(beside, 'data');
  const away = join(beside, 'away');
  const lock = await lockFolder(dir);
  onTestFinished(() => lock.release());
  return { beside, dir, away, lock };
}

type Scene = Awaited<ReturnType<typeof lockedFolder>>;

const losses: Record<string, (scene: Scene) => Promise<unknown>> = {
  'was renamed': ({ dir, away }) => rename(dir, away),
  'was deleted': ({ dir }) => rm(dir, { recursive: true }),
  'was replaced by an empty folder': async ({ dir, away }) => {
    await rename(dir, away);
    await mkdir(dir);
  },
  'was replaced by a copy without the lock': async ({ dir, away }) => {
    await rename(dir, away);
    await cp(away, dir, { recursive: true });
    await rm(join(dir, 'lock.json'));
  },
  'was replaced by the data folder of an earlier start': async ({ dir, away }) => {
    await rename(dir, away);
    const other = await lockFolder(dir.replace(/data$/, 'earlier'));
    await other.release();
    await rename(dir.replace(/data$/, 'earlier'), dir);
    await writeFile(join(dir, 'lock.json'), '{"pid":1,"id":"another"}');
  },
  'was replaced by a file': async ({ dir, away }) => {
    await rename(dir, away);
    await writeFile(dir, '');
  },
  'was locked by a process in another container': async ({ dir }) => {
    await writeFile(join(dir, 'lock.json'), '{"pid":1,"id":"another"}');
  },
};

test.each(Object.entries(losses))(
  'a folder that %s accepts no write and answers no read',
  async (_, lose) => {
    const scene = await lockedFolder();
    const { dir, beside } = scene;
    const document = await openDocument({ ...note, file: join(dir, 'note.json') });
    await document.update((data) => void (data.text = 'before'));
    await writeFile(join(dir, 'lines.jsonl'), 'before\n');
    const records = await openRecords({ dir, tables: [notesTable], log: silentLog });
    onTestFinished(() => records.close());
    await lose(scene);
    const found = await readdir(beside, { recursive: true });

    const file = join(dir, 'new', 'file.json');
    const attempts: (() => Promise<unknown>)[] = [
      () => document.update((data) => void (data.text = 'after')),
      () => openDocument({ ...note, file: join(dir, 'note.json') }),
      () => openDocument({ ...note, file }),
      () => readLines(join(dir, 'lines.jsonl')).next(),
      () => Promise.resolve().then(() => records.rows(() => null, 'SELECT id FROM notes')),
      () => records.write(({ run }) => run("INSERT INTO notes VALUES ('a', 'b')")),
      () => records.settled(),
      () => records.lines('backup'),
      () => isFolder(dir),
      () => nodeOperations.makeFolder(dir),
      () => nodeOperations.makeFolder(join(dir, 'a', 'b')),
      () => nodeOperations.write(join(dir, 'a'), ''),
      () => nodeOperations.rename(join(beside, 'x'), join(dir, 'x')),
      () => nodeOperations.remove(join(dir, 'note.json')),
    ];
    for (const attempt of attempts) await expect(attempt(), attempt.toString()).rejects.toMatchObject(gone);
    expect(await readdir(beside, { recursive: true })).toEqual(found);
  },
);

test('a folder that returns works again, with everything that was acknowledged', async () => {
  const { dir, away, lock } = await lockedFolder();
  const document = await openDocument({ ...note, file: join(dir, 'note.json') });
  await document.update((data) => void (data.text = 'before'));
  await rename(dir, away);
  await expect(document.update((data) => void (data.text = 'lost'))).rejects.toMatchObject(gone);
  await rename(away, dir);
  expect(document.data.text).toBe('before');
  expect(lock.isUnmoved()).toBe(true);
  await document.update((data) => void (data.text += ', after'));
  expect(await readFile(join(dir, 'note.json'), 'utf8')).toContain('before, after');
});

test('a copy of the folder, with its lock, is left alone, and the original works again when it is back', async () => {
  const { dir, away, lock } = await lockedFolder();
  await rename(dir, away);
  await cp(away, dir, { recursive: true, preserveTimestamps: true });
  await expect(nodeOperations.makeFolder(join(dir, 'a', 'b'))).rejects.toMatchObject(gone);
  expect(await readdir(dir)).not.toContain('a');
  expect(lock.isUnmoved()).toBe(false);

  await rm(dir, { recursive: true });
  await rename(away, dir);
  await nodeOperations.makeFolder(join(dir, 'a', 'b'));
  expect(lock.isUnmoved()).toBe(true);
});

test('a read from a folder that disappears in the meantime does not count', async () => {
  const { dir, away } = await lockedFolder();
  const work = verified(dir, async () => {
    await rename(dir, away);
    return 'read elsewhere';
  });
  await expect(work).rejects.toMatchObject(gone);
});

test('the release of a lock leaves alone a folder that replaced its own', async () => {
  const { dir, away, lock } = await lockedFolder();
  await rename(dir, away);
  const holder = '{"pid":1,"id":"another"}';
  await mkdir(dir);
  await writeFile(join(dir, 'lock.json'), holder);
  await lock.release();
  expect(await readFile(join(dir, 'lock.json'), 'utf8')).toBe(holder);
  expect(await readdir(dir)).toEqual(['lock.json']);
});

test('paths outside of a locked folder are not checked, even if they begin with its name', async () => {
  const { dir, away } = await lockedFolder();
  await rename(dir, away);
  expect(verifiedRoot(`${dir}.restore-waiting`)).toBeUndefined();
  await nodeOperations.makeFolder(join(away, 'a', 'b'));
  expect(await readdir(join(away, 'a'))).toEqual(['b']);
});
