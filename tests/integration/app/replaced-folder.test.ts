import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { blockedSites } from '../../../src-main/mentions/blocked.ts';
import { withClosedRecords } from '../../../src-main/storage/records/closed-records.ts';
import { DatabaseSync } from '../../../src-main/storage/sqlite.ts';
import { patience } from '../../support/patience.ts';
import { startPorchlight } from '../../support/porchlight.ts';

/** A server with a profile, a post and a blocked domain, and a copy of its folder in which all of them differ. */
async function scene() {
  const beside = await mkdtemp(join(tmpdir(), 'porchlight-replaced-'));
  onTestFinished(() => rm(beside, { recursive: true, force: true }));
  const [dataDir, away, copy] = [join(beside, 'data'), join(beside, 'away'), join(beside, 'copy')];
  const reopened = vi.fn();
  const server = await startPorchlight({ dataDir, reopened });
  onTestFinished(() => server.stop());
  await server.call('settings.update', { profile: { name: 'Old name' }, site: { title: 'Old title' } });
  const { url } = await server.call('posts.create', {
    content: 'Old words',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  });
  await server.call('webmentions.blockDomain', { domain: 'old.example' });
  expect((await server.call('posts.list', {})).items).toHaveLength(1);
  const path = new URL(url).pathname;

  await cp(dataDir, copy, { recursive: true, filter: (name) => !/snapshot/.test(name) });
  const changed = ['profile.json', 'settings.json', `${path.slice(1)}.json`];
  for (const name of changed) await edit(join(copy, name), (text) => text.replaceAll('Old', 'New'));
  await withClosedRecords(copy, [blockedSites.table], (database) =>
    database.exec("UPDATE blocked_sites SET domain = 'new.example'"),
  );
  const texts = () => Promise.all(changed.map((name) => readFile(join(dataDir, name), 'utf8')));
  return { server, dataDir, away, copy, url, texts, reopened };
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const text = await readFile(file, 'utf8');
  expect(change(text)).not.toBe(text);
  await writeFile(file, change(text));
}

test('a copy that replaces the data folder is opened as at a start, with its documents and its database', async () => {
  const { server, dataDir, away, copy, url, texts, reopened } = await scene();
  await rename(dataDir, away);
  await rename(copy, dataDir);
  const before = await texts();
  const gone = { code: 'storage_gone' };
  await expect(server.call('settings.update', { profile: { name: 'Lost' } })).rejects.toMatchObject(gone);
  await vi.waitFor(() => expect(reopened).toHaveBeenCalledOnce(), patience);

  expect(await server.call('settings.get', {})).toMatchObject({
    profile: { name: 'New name' },
    site: { title: 'New title' },
  });
  expect(JSON.stringify((await server.call('posts.list', {})).items)).toContain('New words');
  expect(await server.call('webmentions.blockedDomains', {})).toEqual(['new.example']);
  const page = await (await fetch(url)).text();
  expect(page).toContain('New words');
  expect(page).not.toContain('Old');
  expect(await texts()).toEqual(before);
  const { problems } = await server.call('status.get', {});
  expect(problems).toEqual([]);

  await server.call('settings.update', { profile: { name: 'Ada' } });
  expect(await readFile(join(dataDir, 'profile.json'), 'utf8')).toContain('Ada');
  expect(await readFile(join(away, 'profile.json'), 'utf8')).toContain('Old name');
  expect(server.events.map(({ name }) => name)).toContain('settings.changed');
  await server.stop();
  expect(await readdir(dataDir)).not.toContain('records.sqlite-wal');
});

test('a copy that another process uses is left alone until that process ends', async () => {
  const { server, dataDir, away, copy, url, texts, reopened } = await scene();
  await rename(dataDir, away);
  const other = new DatabaseSync(join(copy, 'lock.sqlite'));
  other.exec('BEGIN EXCLUSIVE');
  await rename(copy, dataDir);
  const before = await texts();
  for (let turn = 0; turn < 3; turn += 1) {
    expect((await fetch(url)).status).toBe(503);
    const change = server.call('settings.update', { profile: { name: 'Lost' } });
    await expect(change).rejects.toMatchObject({ code: 'storage_gone' });
  }
  expect(reopened).not.toHaveBeenCalled();
  expect(await texts()).toEqual(before);
  other.close();
  await vi.waitFor(() => expect(reopened).toHaveBeenCalledOnce(), patience);
  expect(JSON.stringify((await server.call('posts.list', {})).items)).toContain('New words');
});
