import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkFolder } from '../../src-main/app/check.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';

const run = promisify(execFile);

/** A running server whose data folder, `data`, has an otherwise empty folder above it. */
async function serverWithPost(beside: string) {
  const dataDir = join(beside, 'data');
  const server = await startHeadless({
    dataDir,
    args: ['--me', 'https://ada.example/', '--allow-private-fetch'],
  });
  onTestFinished(() => server.remove());
  const { token } = await server.call('apps.issueToken', {
    label: 'Pen',
    scopes: ['create', 'delete', 'media'],
  });
  const writes = writesTo(server, token);
  const { headers } = await writes.create();
  const url = headers.get('location') ?? '';
  return { server, dataDir, url, writes: { ...writes, mention: () => mention(server, url) } };
}

function writesTo({ ready }: HeadlessProcess, token: string) {
  const authorization = `Bearer ${token}`;
  const body = JSON.stringify({ type: ['h-entry'], properties: { content: ['A note'] } });
  const headers = { authorization, 'content-type': 'application/json' };
  return {
    create: () => fetch(`${ready.baseUrl}/micropub`, { method: 'POST', headers, body }),
    upload() {
      const form = new FormData();
      form.set('file', new File(['x'.repeat(200_000)], 'a.txt', { type: 'text/plain' }));
      return fetch(`${ready.baseUrl}/media`, { method: 'POST', headers: { authorization }, body: form });
    },
  };
}

let sources = 0;
function mention({ ready }: HeadlessProcess, target: string): Promise<Response> {
  sources += 1;
  const body = new URLSearchParams({ source: `http://127.0.0.1:9/reply-${sources}`, target });
  return fetch(`${ready.baseUrl}/webmention`, { method: 'POST', body });
}

type Scene = Awaited<ReturnType<typeof serverWithPost>>;

async function emptyFolder(): Promise<string> {
  const beside = await mkdtemp(join(tmpdir(), 'porchlight-gone-'));
  onTestFinished(() => rm(beside, { recursive: true, force: true }));
  return beside;
}

const namesIn = async (dir: string) => (await readdir(dir, { recursive: true })).sort();

/** Checks that nothing is acknowledged, and that the owner reads why. */
async function expectRefusal({ server, url, writes, dataDir }: Scene): Promise<void> {
  for (const [name, write] of Object.entries(writes)) {
    const answer = await write();
    expect(answer.status, name).toBe(507);
    expect(await answer.json(), name).toMatchObject({ error: 'storage_gone' });
  }
  const gone = { code: 'storage_gone' };
  await expect(server.call('settings.update', { profile: { name: 'Lost' } })).rejects.toMatchObject(gone);
  await expect(server.call('apps.issueToken', { label: 'Lost', scopes: ['read'] })).rejects.toMatchObject(
    gone,
  );
  const backup = join(tmpdir(), `porchlight-gone-${process.pid}.zip`);
  await expect(server.call('data.backup', { path: backup })).rejects.toMatchObject(gone);

  const page = await fetch(url);
  expect(page.status).toBe(503);
  expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await page.text()).not.toContain(dataDir);
  await vi.waitFor(async () => {
    const { problems } = await server.call('status.get', {});
    expect(problems).toMatchObject([
      { code: 'storage_gone', message: expect.stringContaining('put the folder back') as string },
    ]);
  });
}

/** Checks that everything works, and that what was acknowledged is there. */
async function expectWorking({ server, url, writes }: Scene, posts: number): Promise<void> {
  expect((await fetch(url)).status).toBe(200);
  for (const [name, write] of Object.entries(writes)) expect((await write()).status, name).toBe(201);
  await server.call('settings.update', { profile: { name: 'Ada' } });
  expect((await server.call('posts.list', {})).items).toHaveLength(posts + 1);
  await vi.waitFor(async () => expect((await server.call('status.get', {})).problems).toEqual([]), 20_000);
}

test('a data folder that disappears is not created again, takes no write, and works again when it is back', async () => {
  const beside = await emptyFolder();
  const scene = await serverWithPost(beside);
  const { server, dataDir } = scene;
  const away = join(beside, 'away');
  await scene.writes.mention();

  await rename(dataDir, away);
  await expectRefusal(scene);
  expect(await readdir(beside)).toEqual(['away']);

  // Another folder in its place: empty, and with everything but the lock.
  await mkdir(dataDir);
  await expectRefusal(scene);
  expect(await readdir(dataDir)).toEqual([]);
  await cp(away, dataDir, { recursive: true, filter: (path) => !/\/lock\.\w+$|\.sock$/.test(path) });
  const found = await namesIn(dataDir);
  await expectRefusal(scene);
  expect(await namesIn(dataDir)).toEqual(found);
  await rm(dataDir, { recursive: true });

  await rename(away, dataDir);
  await expectWorking(scene, 1);
  expect(await server.stop()).toBe(0);
  expect(await checkFolder(dataDir)).toMatchObject({ posts: 2, files: 1, problems: [] });
});

test('a server whose data folder is gone says so without being asked to write, stops, and makes no folder', async () => {
  const beside = await emptyFolder();
  const { server, dataDir } = await serverWithPost(beside);
  await rename(dataDir, join(beside, 'away'));
  await vi.waitFor(
    async () => {
      const { problems } = await server.call('status.get', {});
      expect(problems.map(({ code }) => code)).toContain('storage_gone');
    },
    { timeout: 90_000, interval: 500 },
  );
  expect(await server.stop()).toBe(0);
  expect(await readdir(beside)).toEqual(['away']);

  const again = await startHeadless({ dataDir: join(beside, 'away') });
  onTestFinished(() => again.remove());
  expect((await again.call('posts.list', {})).items).toHaveLength(1);
});

test('a disk that is unmounted and mounted again loses nothing, and its mount point stays empty', async ({
  skip,
}) => {
  const disk = await emptyFolder();
  const mountPoint = await emptyFolder();
  const mount = () => run('mount', ['--bind', disk, mountPoint]);
  await mount().catch((error: unknown) => skip(`this needs the right to mount: ${String(error)}`));
  onTestFinished(async () => {
    await run('umount', ['-l', mountPoint]).catch(() => undefined);
  });
  const scene = await serverWithPost(mountPoint);

  await run('umount', ['-l', mountPoint]);
  await expectRefusal(scene);
  expect(await readdir(mountPoint)).toEqual([]);
  await mount();
  await expectWorking(scene, 1);
  expect(await scene.server.stop()).toBe(0);
});
