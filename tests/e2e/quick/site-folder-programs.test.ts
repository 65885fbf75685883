import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { git } from '../../support/built-site.ts';
import { startHeadless, type HeadlessProcess } from '../../support/headless-process.ts';
import { configure, hostilePrograms } from '../../support/hostile-repository.ts';
import { limitOf } from '../../support/patience.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const patience = { timeout: limitOf(60_000), interval: 100 };
vi.setConfig({ testTimeout: limitOf(180_000) });

/** A site in a repository that names a filter and a hook, and its bare remote. */
async function hostileSite() {
  const dir = await temporaryFolder();
  const [site, remote] = [path.join(dir, 'site'), path.join(dir, 'remote.git')];
  const hostile = await hostilePrograms(dir);
  await mkdir(path.join(site, 'content'), { recursive: true });
  await writeFile(path.join(site, 'hugo.toml'), "baseURL = 'https://me.example/'\ntitle = 'Site'\n");
  await writeFile(path.join(site, 'content/old.md'), '---\ntitle: Old\ndate: 2020-05-01\n---\nOld\n');
  await writeFile(path.join(site, '.gitattributes'), 'content/posts/*.md filter=evil\n');
  await git(dir, 'init', '-q', '--bare', '--initial-branch=main', remote);
  await git(site, 'init', '-q', '--initial-branch=main');
  await git(site, 'add', '.');
  await git(site, 'commit', '-q', '-m', 'Start');
  await git(site, 'remote', 'add', 'origin', remote);
  await git(site, 'push', '-q', '-u', 'origin', 'main');
  const filter = await hostile.program('filter', 'sed s/tea/TEA/');
  const monitor = await hostile.program('monitor');
  await configure(
    path.join(site, '.git/config'),
    `[core]\nfsmonitor = ${monitor}\n[filter "evil"]\nclean = ${filter}`,
  );
  const hook = path.join(site, '.git/hooks/pre-push');
  await cp(await hostile.program('hook', 'cat >/dev/null'), hook);
  const published = () =>
    git(remote, 'grep', '-h', '-i', '-e', 'tea', 'main', '--', 'content/posts').catch(() => '');
  return { dir, site, remote, hostile, hook, published };
}

async function startHouse(dataDir: string): Promise<HeadlessProcess> {
  const house = await startHeadless({ dataDir, args: ['--me', 'https://me.example/', '--tunnel', 'off'] });
  onTestFinished(() => house.stop().then(() => undefined));
  return house;
}

const settingsFor = (site: string) => ({
  on: true,
  path: site,
  generator: 'hugo' as const,
  baseUrl: 'https://me.example/',
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
  const { site, hostile } = await hostileSite();
  // A repository within the site's own files, as a clone can bring it.
  const embedded = path.join(site, 'content');
  await git(embedded, 'init', '-q', '--bare', '.');
  const program = await hostile.program('embedded');
  await configure(
    path.join(embedded, 'config'),
    `[core]\nbare = false\nworktree = ${embedded}\nfsmonitor = ${program}`,
  );
  await hostile.forget();
  const house = await startHouse(await temporaryFolder());
  const found = await house.call('siteFolder.detect', { path: site });
  expect(found).toMatchObject({
    repository: { branch: 'main', remote: 'origin', words: null },
    isAllowed: false,
    suggested: { commit: true, push: true },
  });
  expect(found.runs.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'connection remote.origin.url',
    'program core.fsmonitor',
    'filter filter.evil.clean',
    'hook pre-push',
  ]);
  expect(await house.call('siteFolder.detect', { path: embedded })).toMatchObject({
    repository: { branch: null, words: expect.stringContaining('bare git repository') as string },
    runs: [],
    suggested: { commit: false, push: false },
  });
  expect(hostile.traces()).toEqual([]);
});

test('posts wait until the owner allows what their folder runs, then they arrive, and a change asks again', async () => {
  const { dir, site, hostile, hook, published } = await hostileSite();
  await hostile.forget();
  const dataDir = path.join(dir, 'data');
  let house = await startHouse(dataDir);
  await house.call('settings.update', { siteFolder: settingsFor(site) });
  await house.call('posts.create', note('One tea', 'one'));
  await house.call('siteFolder.preview', {});
  const status = () => house.call('siteFolder.status', {});
  /** A post that was pushed is being built; on a busy computer, it may soon be late. */
  const arePushed = async () =>
    (await status()).items.every(({ state }) => state === 'building' || state === 'late');
  const waits = async () => (await status()).items.some(({ words }) => words.startsWith('Publishing waits'));
  await vi.waitUntil(waits, patience);
  await vi.waitUntil(async () => (await house.call('siteFolder.adopted', {})).posts > 0, patience);
  const waiting = await status();
  expect(waiting).toMatchObject({ state: 'trouble', waiting: 1, conflicts: 0, isAllowed: false });
  expect(waiting.words).toMatch(/^Publishing waits until you allow .*filter\.evil\.clean.*1 more/);
  expect(await house.call('status.get', {})).toMatchObject({
    problems: [{ code: 'site_folder', message: waiting.words }],
  });
  await expect(house.call('siteFolder.publishAll', {})).rejects.toMatchObject({
    code: 'temporarily_unavailable',
  });
  expect(await published()).toBe('');
  expect(hostile.traces()).toEqual([]);

  // The owner agrees only to what they have seen.
  for (const runs of [[], waiting.runs.slice(1), waiting.runs.map((one) => ({ ...one, command: 'ls' }))])
    await expect(house.call('siteFolder.allow', { path: site, runs })).rejects.toMatchObject({
      code: 'conflict',
    });
  await house.stop('SIGKILL');
  house = await startHouse(dataDir);
  expect(await status()).toMatchObject({ isAllowed: false, runs: waiting.runs });
  await house.call('siteFolder.allow', { path: site, runs: waiting.runs });
  await vi.waitUntil(async () => (await published()).includes('One TEA'), patience);
  await vi.waitUntil(arePushed, patience);
  // Git never asks the monitor, even though the owner has agreed.
  expect(hostile.traces()).toEqual(['filter', 'hook']);

  await house.stop();
  house = await startHouse(dataDir);
  expect(await status()).toMatchObject({ isAllowed: true, runs: waiting.runs });
  const { url } = await house.call('posts.create', note('Two tea', 'two'));
  // The post is pushed before the owner's checkout is updated, for which the filter runs, too.
  await vi.waitUntil(arePushed, patience);
  expect(await published()).toContain('Two TEA');
  // What the filter made of the text is no change of the owner's.
  await house.call('siteFolder.retry', {});
  await house.call('posts.update', { url, text: 'Two cups of tea' });
  await vi.waitUntil(async () => (await published()).includes('Two cups of TEA'), patience);
  await vi.waitUntil(arePushed, patience);

  await hostile.forget();
  await cp(await hostile.program('worse', 'cat >/dev/null'), hook);
  await chmod(hook, 0o755);
  await house.call('posts.create', note('Three tea', 'three'));
  await vi.waitUntil(async () => !(await status()).isAllowed, patience);
  await vi.waitUntil(waits, patience);
  expect(await published()).not.toContain('Three');
  expect(hostile.traces()).toEqual([]);
  const { runs } = await status();
  expect(runs).not.toEqual(waiting.runs);
  await house.call('siteFolder.allow', { path: site, runs });
  await vi.waitUntil(async () => (await published()).includes('Three TEA'), patience);
  expect(hostile.traces()).toEqual(['filter', 'worse']);
});
