import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { recordTables } from '../../../src-main/app/tables.ts';
import { withClosedRecords } from '../../../src-main/storage/records/closed-records.ts';
import { readTree } from '../../support/backup-scene.ts';
import { patience } from '../../support/patience.ts';
import { startPorchlight } from '../../support/porchlight.ts';

const token = { label: 'Lost', scopes: ['read'] };

/** A server with a profile, a post and a blocked domain, and a copy of its folder in which all of them differ. */
async function scene() {
  const beside = await mkdtemp(join(tmpdir(), 'porchlight-replaced-'));
  onTestFinished(() => rm(beside, { recursive: true, force: true }));
  const [dataDir, away, copy] = [join(beside, 'data'), join(beside, 'away'), join(beside, 'copy')];
  const server = await startPorchlight({ dataDir });
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
  // The thread that makes the day's copy works by path.
  const isCopied = async () => (await readdir(dataDir)).includes('records.snapshot.sqlite');
  await expect.poll(isCopied, patience).toBe(true);

  await cp(dataDir, copy, { recursive: true, filter: (name) => !/snapshot/.test(name) });
  for (const name of ['profile.json', 'settings.json'])
    await edit(join(copy, name), (text) => text.replaceAll('Old', 'New'));
  await withClosedRecords(copy, recordTables, (database) =>
    database.exec(
      "UPDATE blocked_sites SET domain = 'new.example'; UPDATE posts SET post = replace(post, 'Old words', 'New words')",
    ),
  );
  return { server, dataDir, away, copy, url };
}

type Scene = Awaited<ReturnType<typeof scene>>;

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const text = await readFile(file, 'utf8');
  expect(change(text)).not.toBe(text);
  await writeFile(file, change(text));
}

/** Checks that nothing is read or saved, and that the owner is told to restart. */
async function expectRefusal({ server, url }: Scene): Promise<void> {
  const gone = { code: 'storage_gone' };
  await expect(server.call('settings.update', { profile: { name: 'Lost' } })).rejects.toMatchObject(gone);
  await expect(server.call('apps.issueToken', token)).rejects.toMatchObject(gone);
  const target = { source: 'http://127.0.0.1:9/reply', target: url };
  const mention = await fetch(`${server.base}/webmention`, {
    method: 'POST',
    body: new URLSearchParams(target),
  });
  expect(mention.status).toBe(507);
  const page = await fetch(url);
  expect(page.status).toBe(503);
  expect(page.headers.get('retry-after')).toBe('300');
  await vi.waitFor(
    async () =>
      expect((await server.call('status.get', {})).problems).toMatchObject([
        { code: 'restart_needed', message: expect.stringContaining('restart Porchlight') as string },
      ]),
    patience,
  );
  expect((await server.call('data.restart', {})).words).toBe('Stop Porchlight, then start it again.');
}

test('a copy that replaces the data folder is left alone until a restart, which opens it', async () => {
  const one = await scene();
  const { server, dataDir, away, copy, url } = one;
  const before = await readTree(copy);
  await rename(dataDir, away);
  await rename(copy, dataDir);
  await expectRefusal(one);
  expect(await readTree(dataDir)).toEqual(before);
  await server.stop();
  expect(await readTree(dataDir)).toEqual(before);

  const again = await startPorchlight({ dataDir });
  onTestFinished(() => again.stop());
  expect((await again.call('settings.get', {})).profile.name).toBe('New name');
  expect(await again.call('webmentions.blockedDomains', {})).toEqual(['new.example']);
  expect(await (await fetch(`${again.base}${new URL(url).pathname}`)).text()).toContain('New words');
});

test('the original folder works again by itself when it is put back', async () => {
  const one = await scene();
  const { server, dataDir, away, copy, url } = one;
  await rename(dataDir, away);
  await rename(copy, dataDir);
  await expectRefusal(one);
  await rename(dataDir, copy);
  await rename(away, dataDir);
  await server.call('settings.update', { profile: { name: 'Ada' } });
  await server.call('webmentions.blockDomain', { domain: 'later.example' });
  expect(await (await fetch(url)).text()).toContain('Old words');
  await vi.waitFor(async () => expect((await server.call('status.get', {})).problems).toEqual([]), patience);
  await server.stop();

  const again = await startPorchlight({ dataDir });
  onTestFinished(() => again.stop());
  expect((await again.call('settings.get', {})).profile.name).toBe('Ada');
  expect(await again.call('webmentions.blockedDomains', {})).toEqual(['later.example', 'old.example']);
});

test('a database that replaces the open one is left alone until a restart, which opens it', async () => {
  const { server, dataDir, away, copy } = await scene();
  const files = ['records.sqlite', 'records.sqlite-wal', 'records.sqlite-shm'];
  await rename(dataDir, away);
  for (const name of files) await rm(join(away, name), { force: true });
  await cp(join(copy, 'records.sqlite'), join(away, 'records.sqlite'));
  await rename(away, dataDir);
  await expect(server.call('apps.issueToken', token)).rejects.toMatchObject({ code: 'storage_gone' });
  await vi.waitFor(
    async () =>
      expect((await server.call('status.get', {})).problems).toMatchObject([{ code: 'restart_needed' }]),
    patience,
  );
  await server.stop();
  const again = await startPorchlight({ dataDir });
  onTestFinished(() => again.stop());
  expect(await again.call('webmentions.blockedDomains', {})).toEqual(['new.example']);
});
