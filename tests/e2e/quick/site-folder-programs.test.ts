import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { git, ownersGit, remoteUrl } from '../../support/built-site.ts';
import { startHeadless, type HeadlessProcess } from '../../support/headless-process.ts';
import { configure, hostilePrograms } from '../../support/hostile-repository.ts';
import { limitOf } from '../../support/patience.ts';
import { hostSitemap } from '../../support/site-host.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const patience = { timeout: limitOf(60_000), interval: 100 };
vi.setConfig({ testTimeout: limitOf(180_000) });

/** A site in a repository that names a monitor, a filter, a hook and a command for ssh, and its bare remote. */
async function hostileSite() {
  const dir = await temporaryFolder();
  const [site, remote] = [path.join(dir, 'site'), path.join(dir, 'remote.git')];
  const hostile = await hostilePrograms(dir);
  await mkdir(path.join(site, 'content'), { recursive: true });
  await writeFile(path.join(site, 'hugo.toml'), "baseURL = 'https://me.example/'\ntitle = 'Site'\n");
  await writeFile(path.join(site, 'content/old.md'), '---\ntitle: Old\ndate: 2020-05-01\n---\nOld\n');
  await writeFile(path.join(site, '.gitattributes'), 'content/posts/secret*.md filter=evil\n');
  await git(dir, 'init', '-q', '--bare', '--initial-branch=main', remote);
  await git(site, 'init', '-q', '--initial-branch=main');
  await git(site, 'add', '.');
  await git(site, 'commit', '-q', '-m', 'Start');
  await git(site, 'remote', 'add', 'origin', remoteUrl);
  await git(site, 'push', '-q', remote, 'main');
  const filter = await hostile.program('filter');
  const monitor = await hostile.program('monitor');
  await configure(
    path.join(site, '.git/config'),
    `[core]\nfsmonitor = ${monitor}\nsshCommand = ${monitor}\n[filter "evil"]\nclean = ${filter}`,
  );
  await cp(await hostile.program('hook', 'cat >/dev/null'), path.join(site, '.git/hooks/pre-push'));
  const published = () =>
    git(remote, 'grep', '-h', '-i', '-e', 'tea', 'main', '--', 'content/posts').catch(() => '');
  return { dir, site, remote, hostile, published, env: await ownersGit(dir, remote) };
}

async function startHouse(dataDir: string, env: Record<string, string>): Promise<HeadlessProcess> {
  const args = ['--me', 'https://me.example/', '--tunnel', 'off', '--allow-private-fetch'];
  const house = await startHeadless({ dataDir, args, env });
  onTestFinished(() => house.stop().then(() => undefined));
  return house;
}

const settingsFor = (site: string, baseUrl = 'https://me.example/') => ({
  on: true,
  path: site,
  generator: 'hugo' as const,
  baseUrl,
  postFile: 'content/posts/{slug}.md',
  postUrl: 'posts/{slug}/',
  mediaFile: 'static/{file}',
  mediaUrl: '{file}',
  media: 'porch' as const,
  mentions: 'data' as const,
  commit: true,
  push: true,
  branch: 'main',
  remote: 'origin',
  adopt: true,
});

const note = (text: string, slug: string) => ({
  text,
  slug,
  format: 'plain' as const,
  photos: [],
  categories: [],
  visibility: 'public' as const,
  status: 'published' as const,
});

test('checking a folder runs nothing that its own configuration names', async () => {
  const { site, hostile, env } = await hostileSite();
  // A repository within the site's own files, as a clone can bring it.
  const embedded = path.join(site, 'content');
  await git(embedded, 'init', '-q', '--bare', '.');
  const program = await hostile.program('embedded');
  await configure(
    path.join(embedded, 'config'),
    `[core]\nbare = false\nworktree = ${embedded}\nfsmonitor = ${program}`,
  );
  await hostile.forget();
  const house = await startHouse(await temporaryFolder(), env);
  expect(await house.call('siteFolder.detect', { path: site })).toMatchObject({
    repository: { branch: 'main', remote: 'origin', words: null },
    suggested: { commit: true, push: true },
  });
  expect(await house.call('siteFolder.detect', { path: embedded })).toMatchObject({
    repository: { branch: null, words: expect.stringContaining('bare git repository') as string },
    suggested: { commit: false, push: false },
  });
  expect(hostile.traces()).toEqual([]);
});

test('posts arrive and run nothing that the folder names, and one that needs its filter waits and says why', async () => {
  const { dir, site, hostile, published, env } = await hostileSite();
  await hostile.forget();
  const dataDir = path.join(dir, 'data');
  const { baseUrl } = await hostSitemap(['/old/']);
  let house = await startHouse(dataDir, env);
  await house.call('settings.update', { siteFolder: settingsFor(site, baseUrl) });
  await house.call('posts.create', note('One tea', 'one'));
  await house.call('siteFolder.preview', {});
  await vi.waitUntil(async () => (await published()).includes('One tea'), patience);
  await vi.waitUntil(async () => (await house.call('siteFolder.adopted', {})).posts > 0, patience);

  await house.call('posts.create', note('Secret tea', 'secret'));
  const waits = async () =>
    (await house.call('siteFolder.status', {})).items.some(({ words }) =>
      words.includes('Porchlight doesn’t run the folder’s programs'),
    );
  await vi.waitUntil(waits, patience);
  await house.stop('SIGKILL');
  house = await startHouse(dataDir, env);
  await house.call('posts.create', note('Two tea', 'two'));
  await vi.waitUntil(async () => (await published()).includes('Two tea'), patience);
  await vi.waitUntil(waits, patience);
  expect(await published()).not.toContain('Secret');
  expect(hostile.traces()).toEqual([]);
});

test('a remote that is a folder gets nothing, and the folder’s check and the status say so', async () => {
  const { dir, site, remote, hostile, published, env } = await hostileSite();
  await git(site, 'remote', 'set-url', 'origin', remote);
  await hostile.forget();
  const house = await startHouse(path.join(dir, 'data'), env);
  const words = expect.stringContaining('commits, but doesn’t push to “origin”') as string;
  expect(await house.call('siteFolder.detect', { path: site })).toMatchObject({
    repository: { branch: 'main', remotes: [], remote: null, words },
    suggested: { commit: true, push: false },
  });
  await house.call('settings.update', { siteFolder: settingsFor(site) });
  await house.call('posts.create', note('One tea', 'one'));
  const committed = () => git(site, '-c', 'core.fsmonitor=false', 'log', '--format=%s', 'main');
  await vi.waitUntil(async () => (await committed()).startsWith('Publish'), patience);
  expect(await house.call('siteFolder.status', {})).toMatchObject({ state: 'trouble', words });
  expect(await house.call('status.get', {})).toMatchObject({
    problems: [{ code: 'site_folder', message: words }],
  });
  expect(await published()).toBe('');
  expect(hostile.traces()).toEqual([]);
});
