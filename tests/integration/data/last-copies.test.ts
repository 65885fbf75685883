import { mkdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { activityTable } from '../../../src-main/storage/records/activity.ts';
import { readingZip } from '../../../src-main/storage/zip.ts';
import { readRecords } from '../../../src-main/storage/records/closed-records.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

/** A server with a desktop whose file manager is asked to show paths. */
async function scene() {
  const home = await temporaryFolder();
  const dataDir = path.join(home, 'data');
  await mkdir(dataDir);
  const shown: string[] = [];
  const desktop = {
    choosePath: () => Promise.resolve(null),
    showInFolder: (file: string) => void shown.push(file),
    restart: () => undefined,
  };
  const start = async () => {
    const porchlight = await startPorchlight({ dataDir, desktop });
    onTestFinished(() => porchlight.stop());
    return porchlight;
  };
  return { home, dataDir, shown, start, porchlight: await start() };
}

const folderOf = (porchlight: Porchlight) => porchlight.call('data.folder', {});

test('the newest backup and export are remembered with their size, also after a restart', async () => {
  const { home, porchlight, start } = await scene();
  expect(await folderOf(porchlight)).toMatchObject({ isNew: true, lastBackup: null, lastExport: null });
  const [backup, taken] = [path.join(home, 'b.zip'), path.join(home, 'e.zip')];
  await porchlight.call('data.backup', { path: backup, passphrase: 'correct horse battery' });
  await porchlight.call('data.export', { path: taken });
  await porchlight.stop();
  const again = await start();
  const { lastBackup, lastExport } = await folderOf(again);
  expect(lastBackup).toMatchObject({ path: backup, secrets: true });
  expect(lastBackup?.bytes).toBe((await stat(backup)).size);
  expect(lastExport).toMatchObject({ path: taken, secrets: false });
  expect(lastExport?.bytes).toBe((await stat(taken)).size);
  expect(Date.now() - Date.parse(lastBackup?.madeAt ?? '')).toBeLessThan(60_000);
});

test('the windows learn of a backup only once its note can be read', async () => {
  const { home, porchlight } = await scene();
  const atTheEnd = new Promise<string | null | undefined>((resolve, reject) => {
    porchlight.service.owner.subscribe((event) => {
      if (event.name !== 'data.progress' || event.data.state !== 'done') return;
      folderOf(porchlight).then(({ lastBackup }) => resolve(lastBackup?.path), reject);
    });
  });
  await porchlight.call('data.backup', { path: path.join(home, 'b.zip') });
  expect(await atTheEnd).toBe(path.join(home, 'b.zip'));
});

test('a weekly backup counts as the newest backup', async () => {
  const { home, dataDir, porchlight } = await scene();
  const folder = path.join(home, 'weekly');
  await mkdir(folder);
  await porchlight.call('settings.update', { backup: { folder } });
  await expect
    .poll(async () => (await folderOf(porchlight)).lastBackup?.path)
    .toMatch(/porchlight-weekly-.*\.zip$/);
  // Stopping waits for the rest of that work, so nothing writes into a folder that is given free.
  await porchlight.stop();
  const recorded = await readRecords(dataDir, activityTable, (database) =>
    database
      .prepare('SELECT kind FROM activity')
      .all()
      .map(({ kind }) => kind),
  );
  expect(recorded).toContain('data.weekly');
});

test('a restore keeps this computer’s note about its backups, and no backup contains one', async () => {
  const { home, porchlight, start } = await scene();
  const [first, second] = [path.join(home, 'first.zip'), path.join(home, 'second.zip')];
  await porchlight.call('data.backup', { path: first });
  await porchlight.call('data.backup', { path: second });
  await readingZip(second, ({ entries }) => {
    expect([...entries.keys()].filter((name) => name.includes('last-copies'))).toEqual([]);
    return Promise.resolve();
  });
  await porchlight.call('data.restore', { path: first });
  await porchlight.call('data.applyRestore', {});
  await porchlight.stop();
  expect((await folderOf(await start())).lastBackup?.path).toBe(second);
});

test('the file manager is shown what Porchlight wrote, and a file that is gone is reported', async () => {
  const { home, dataDir, shown, porchlight } = await scene();
  const show = (what: 'backup' | 'export' | 'data') => porchlight.call('desktop.showInFolder', { what });
  await expect(show('backup')).rejects.toMatchObject({ code: 'not_found' });
  const file = path.join(home, 'b.zip');
  await porchlight.call('data.backup', { path: file });
  await show('backup');
  await show('data');
  expect(shown).toEqual([file, dataDir]);
  await rm(file);
  await expect(show('backup')).rejects.toMatchObject({ code: 'not_found' });
  expect(shown).toHaveLength(2);
});

test('a post or a mention ends being new; without a desktop there is no file manager', async () => {
  const porchlight = await startPorchlight();
  onTestFinished(() => porchlight.remove());
  await porchlight.call('posts.create', {
    content: 'The first',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  });
  expect((await folderOf(porchlight)).isNew).toBe(false);
  await expect(porchlight.call('desktop.showInFolder', { what: 'data' })).rejects.toMatchObject({
    code: 'not_on_desktop',
  });
});
