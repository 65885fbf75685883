import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { expect, onTestFinished, test, vi } from 'vitest';
import { withClosedRecords } from '../../../src-main/storage/records/closed-records.ts';
import { workTable } from '../../../src-main/storage/work/work-rows.ts';
import { usualTemplates } from '../../../src-main/site-folder/detect.ts';
import { startPorchlight } from '../../support/porchlight.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';
import { folderSettings } from '../../support/folder-settings.ts';

const patience = { timeout: 180_000 };

const settingsFor = (folder: string) =>
  folderSettings(folder, 'hugo', {
    baseUrl: 'http://127.0.0.1:9/',
    ...usualTemplates('hugo', { dir: 'content/posts/', name: '{slug}.md' }),
    media: 'folder',
  });

/** Deletes everything that the queues of a folder know, as after a restore on another computer. */
const forgetWork = (dataDir: string) =>
  withClosedRecords(dataDir, [workTable], (database) => database.exec('DELETE FROM work'));

test('a post that was saved without being planned is written to the folder at the next start', async () => {
  const dir = await temporaryFolder();
  const [dataDir, folder] = ['data', 'site'].map((name) => path.join(dir, name)) as [string, string];
  await mkdir(dataDir);
  const first = await startPorchlight({ dataDir });
  await first.call('settings.update', { siteFolder: settingsFor(folder) });
  // The folder isn't there yet, so the post waits.
  await first.call('posts.create', {
    text: 'Tea on the porch',
    format: 'plain',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
    slug: 'tea',
  });
  await vi.waitUntil(async () => (await first.call('siteFolder.status', {})).state === 'trouble', patience);
  await first.stop();
  await forgetWork(dataDir);
  await mkdir(folder);
  await writeFile(path.join(folder, 'hugo.toml'), '');

  const second = await startPorchlight({ dataDir });
  onTestFinished(() => second.remove());
  const file = path.join(folder, 'content/posts/tea.md');
  await vi.waitUntil(
    () =>
      readFile(file, 'utf8').then(
        (text) => text.includes('Tea on the porch'),
        () => false,
      ),
    patience,
  );
  expect((await second.call('siteFolder.status', {})).waiting).toBe(1);
}, 450_000);

test('a photo that was deleted without its posts being planned leaves the folder at the next start', async () => {
  const dir = await temporaryFolder();
  const [dataDir, folder] = ['data', 'site'].map((name) => path.join(dir, name)) as [string, string];
  await mkdir(dataDir);
  await mkdir(folder);
  await writeFile(path.join(folder, 'hugo.toml'), '');
  const first = await startPorchlight({ dataDir });
  await first.call('settings.update', { siteFolder: settingsFor(folder) });
  const photo = sharp({ create: { width: 8, height: 8, channels: 3, background: '#fa0' } });
  const data = (await photo.jpeg().toBuffer()).toString('base64');
  const { url } = await first.call('media.upload', { name: 'porch.jpg', data });
  await first.call('posts.create', {
    text: 'Tea on the porch',
    format: 'plain',
    photos: [{ url, alt: 'Porch' }],
    categories: [],
    visibility: 'public',
    status: 'published',
    slug: 'tea',
  });
  const photos = async () =>
    (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jpg'));
  await vi.waitUntil(
    async () => (await first.call('siteFolder.status', {})).items[0]?.state === 'building',
    patience,
  );
  expect(await photos()).toHaveLength(1);
  // While publishing is off, what is planned only waits in the queue. The queue is lost then.
  await first.call('settings.update', { siteFolder: { on: false } });
  await first.call('media.delete', { url });
  await first.stop();
  await forgetWork(dataDir);

  const second = await startPorchlight({ dataDir });
  onTestFinished(() => second.remove());
  expect(await photos()).toHaveLength(1);
  await second.call('settings.update', { siteFolder: { on: true } });
  await vi.waitUntil(async () => (await photos()).length === 0, patience);
}, 450_000);

test('a post that was written and not seen live is checked again at the next start, without its entry too', async () => {
  const dir = await temporaryFolder();
  const [dataDir, folder] = ['data', 'site'].map((name) => path.join(dir, name)) as [string, string];
  await mkdir(dataDir);
  await mkdir(folder);
  await writeFile(path.join(folder, 'hugo.toml'), '');
  const isBuilding = async ({ call }: Pick<Awaited<ReturnType<typeof startPorchlight>>, 'call'>) =>
    (await call('siteFolder.status', {})).items[0]?.state === 'building';
  const first = await startPorchlight({ dataDir });
  await first.call('settings.update', { siteFolder: settingsFor(folder) });
  await first.call('posts.create', {
    text: 'Tea on the porch',
    format: 'plain',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
    slug: 'tea',
  });
  await vi.waitUntil(() => isBuilding(first), patience);
  await first.stop();
  await forgetWork(dataDir);

  const second = await startPorchlight({ dataDir });
  onTestFinished(() => second.remove());
  await vi.waitUntil(() => isBuilding(second), patience);
}, 450_000);
