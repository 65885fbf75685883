import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { usualTemplates } from '../../../src-main/site-folder/detect.ts';
import { git, ownersGit, remoteUrl } from '../../support/built-site.ts';
import { startPorchlight } from '../../support/porchlight.ts';
import { limitOf } from '../../support/patience.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';
import { folderSettings } from '../../support/folder-settings.ts';

/** A server that accepts connections and never answers. */
async function silentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // A killed client may reset its connection.
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

const patience = { timeout: 180_000 };
/** Both programs have 5 s to end. */
const mostMs = 5000;

test.each(['a push', 'the check of a page'])(
  'a stop doesn’t wait for %s that gets no answer, and the next start continues with it',
  async (what) => {
    const isPush = what === 'a push';
    const dir = await temporaryFolder();
    const [dataDir, folder] = ['data', 'site'].map((name) => path.join(dir, name)) as [string, string];
    for (const one of [dataDir, folder]) await mkdir(one);
    await writeFile(path.join(folder, 'hugo.toml'), '');
    const { host, sockets } = await silentServer();
    if (isPush) {
      await git(folder, 'init', '-b', 'main');
      await git(folder, 'add', '.');
      await git(folder, 'commit', '-m', 'Start');
      await git(folder, 'remote', 'add', 'origin', remoteUrl);
      vi.stubEnv('XDG_CONFIG_HOME', (await ownersGit(dir, `git://${host}/site`)).XDG_CONFIG_HOME);
    }
    const siteFolder = folderSettings(folder, 'hugo', {
      baseUrl: `http://${host}/`,
      media: 'folder',
      ...usualTemplates('hugo', { dir: 'content/posts/', name: '{slug}.md' }),
      commit: isPush,
      push: isPush,
      branch: 'main',
      remote: 'origin',
    });
    const first = await startPorchlight({ dataDir });
    await first.call('settings.update', { siteFolder });
    await first.call('posts.create', {
      text: 'Tea on the porch',
      format: 'plain',
      photos: [],
      categories: [],
      visibility: 'public',
      status: 'published',
      slug: 'tea',
    });
    const item = async ({ call }: Pick<typeof first, 'call'>) =>
      (await call('siteFolder.status', {})).items[0]?.state;
    await vi.waitUntil(() => sockets.size > 0, patience);
    await vi.waitUntil(async () => (await item(first)) === (isPush ? 'waiting' : 'building'), patience);
    const began = performance.now();
    await first.stop();
    expect(performance.now() - began).toBeLessThan(limitOf(mostMs));

    sockets.clear();
    const second = await startPorchlight({ dataDir });
    onTestFinished(() => second.remove());
    await vi.waitUntil(() => sockets.size > 0, patience);
    expect(await item(second)).toBe(isPush ? 'waiting' : 'building');
  },
  150_000,
);
