import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { prepareMove } from '../../../src-main/data/backup/move.ts';
import { backUp, noRecords, quietWork, readTree, restore, writeTree } from '../../support/backup-scene.ts';
import { startPorchlight } from '../../support/porchlight.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

test('a disk that is too small leaves no half backup, keeps the one before, and says so', async (context) => {
  const disk = await mountSmallDisk(context, '1m');
  onTestFinished(() => disk.remove());
  const porchlight = await startPorchlight({ dataDir: await temporaryFolder() });
  onTestFinished(() => porchlight.stop());
  const file = path.join(disk.dir, 'backup.zip');
  await porchlight.call('data.backup', { path: file });
  const before = await readTree(disk.dir);
  await porchlight.call('media.upload', {
    name: 'a.txt',
    data: Buffer.from(randomBytes(1_500_000).toString('hex')).toString('base64'),
  });

  await expect(porchlight.call('data.backup', { path: file })).rejects.toMatchObject({
    code: 'storage_full',
  });
  expect(await readTree(disk.dir)).toEqual(before);
  expect((await readdir(porchlight.dataDir)).filter((name) => name.startsWith('.porchlight-'))).toEqual([]);

  await porchlight.call('settings.update', { backup: { folder: disk.dir } });
  const problems = async () => (await porchlight.call('status.get', {})).problems;
  await expect.poll(problems, { timeout: 75_000 }).toContainEqual({
    code: 'weekly_copy_failed',
    message: expect.stringContaining('The disk is full') as string,
  });
  expect(await readTree(disk.dir)).toEqual(before);
  // The disk with the data has room, and nobody says otherwise.
  expect((await problems()).map(({ code }) => code)).toEqual(['weekly_copy_failed']);
  const reported = porchlight.events.flatMap(({ name, data }) =>
    name === 'status.changed' ? data.problems : [],
  );
  expect(reported.map(({ code }) => code)).not.toContain('storage_full');
});

test.for(['full', 'read-only'])(
  'a backup of a %s disk to another disk writes nothing to the first one',
  async (how, context) => {
    const disk = await mountSmallDisk(context, '8m');
    onTestFinished(() => disk.remove());
    const dataDir = path.join(disk.dir, 'data');
    const mine = { 'settings.json': 'mine', 'posts/a.json': randomBytes(900_000) };
    await writeTree(dataDir, { ...mine, 'media/2026/11/a.jpg': randomBytes(2_000_000) });
    const before = await readTree(dataDir);
    await (how === 'full' ? disk.fill() : disk.setWritable(false));
    const elsewhere = await temporaryFolder();
    const file = path.join(elsewhere, 'backup.zip');
    await backUp({ dataDir, file });
    expect(await readTree(dataDir)).toEqual(before);
    expect(await readdir(elsewhere)).toEqual(['backup.zip']);
    const home = path.join(await temporaryFolder(), 'data');
    await mkdir(home);
    expect(await readTree((await restore({ dataDir: home, file })).staged)).toEqual(before);
  },
);

test('a file that is deleted while a backup is made is left out of it and counted', async () => {
  const dataDir = await temporaryFolder();
  await writeTree(dataDir, { 'media/2026/11/a.jpg': 'gone', 'media/2026/11/b.jpg': 'there' });
  const records = {
    ...noRecords,
    lines: async () => ({
      ...(await noRecords.lines('backup')),
      begin: () => rm(path.join(dataDir, 'media/2026/11/a.jpg')),
    }),
  };
  const elsewhere = await temporaryFolder();
  const file = path.join(elsewhere, 'backup.zip');
  expect((await backUp({ dataDir, file, records })).problems).toEqual([
    '1 file was deleted while the backup was made. The backup doesn’t contain it.',
  ]);
  const home = path.join(await temporaryFolder(), 'data');
  await mkdir(home);
  expect(Object.keys(await readTree((await restore({ dataDir: home, file })).staged))).toEqual([
    'media/2026/11/b.jpg',
  ]);
});

test('a restore and a move for which there is no room, or no right to write, change nothing', async (context) => {
  const disk = await mountSmallDisk(context, '8m');
  onTestFinished(() => disk.remove());
  const home = await temporaryFolder();
  const porchlight = await startPorchlight({ dataDir: home });
  const file = path.join(disk.dir, 'backup.zip');
  await porchlight.call('data.backup', { path: file });
  await porchlight.stop();
  const dataDir = path.join(disk.dir, 'data');
  await mkdir(dataDir);
  await expect(restore({ dataDir, file })).rejects.toMatchObject({ code: 'storage_full' });
  expect((await readdir(disk.dir)).sort()).toEqual(['backup.zip', 'data']);

  const placeFile = path.join(await temporaryFolder(), 'place.json');
  const move = (name: string) =>
    prepareMove({
      dataDir: home,
      target: path.join(disk.dir, name),
      placeFile,
      now: Date.now(),
      records: noRecords,
      work: quietWork(),
    });
  await expect(move('moved')).rejects.toMatchObject({ code: 'storage_full' });
  await disk.setWritable(false);
  await expect(move('moved')).rejects.toMatchObject({ code: 'storage_unwritable' });
  await expect(move('data')).rejects.toMatchObject({ code: 'storage_unwritable' });
  await expect(restore({ dataDir, file })).rejects.toMatchObject({ code: 'storage_unwritable' });
  await disk.setWritable(true);
  expect((await readdir(disk.dir)).sort()).toEqual(['backup.zip', 'data']);
});
