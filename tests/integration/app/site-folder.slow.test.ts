import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { git, makeBuiltSite, type BuiltSite } from '../../support/built-site.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

/** What a plain note has besides its text. */
const plain = {
  format: 'plain' as const,
  photos: [],
  categories: [],
  visibility: 'public' as const,
  status: 'published' as const,
};

/** A busy computer takes long to start git and Hugo. */
const patienceMs = 150_000;
vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 });

let site: BuiltSite;
let porchlight: Porchlight;
let token: string;
/** How far the clock of Porchlight is ahead, in ms. */
let ahead = 0;

beforeEach(async () => {
  ahead = 0;
  porchlight = await startPorchlight({ clock: () => Date.now() + ahead });
  site = await makeBuiltSite({ porch: porchlight.base });
  for (const [name, value] of Object.entries(site.environment)) vi.stubEnv(name, value);
  const profile = { me: site.baseUrl, url: site.baseUrl, name: 'Ada' };
  await porchlight.call('settings.update', { profile, siteFolder: site.settings });
  ({ token } = await porchlight.call('apps.issueToken', {
    label: 'Client',
    scopes: ['create', 'update', 'delete'],
  }));
});

afterEach(async () => {
  await porchlight.remove();
  await site.remove();
});

async function micropub(body: object): Promise<Response> {
  return fetch(`${porchlight.base}/micropub`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function note(content: string, slug: string): Promise<string> {
  const response = await micropub({
    type: ['h-entry'],
    properties: { content: [content], 'mp-slug': [slug] },
  });
  expect(response.ok).toBe(true);
  return response.headers.get('location') ?? '';
}

const stateIs = (expected: string) =>
  vi.waitUntil(async () => (await porchlight.call('siteFolder.status', {})).state === expected, {
    timeout: patienceMs,
  });

test('a post from an app is committed, pushed and built, and its own page takes over', async () => {
  const url = await note('Tea on the porch', 'tea');
  expect(url).toBe(`${site.baseUrl}posts/tea/`);
  await vi.waitUntil(
    async () => (await git(site.remote, 'log', '--format=%s', 'main')).startsWith('Publish'),
    {
      timeout: patienceMs,
    },
  );
  await site.build();
  expect(await (await fetch(url)).text()).toContain('Tea on the porch');
  await stateIs('idle');
  const old = await fetch(
    `${porchlight.base}/posts/${new Date().toISOString().slice(0, 7).replace('-', '/')}/tea`,
    {
      redirect: 'manual',
    },
  );
  expect([old.status, old.headers.get('location')]).toEqual([301, url]);

  await porchlight.stop();
  porchlight = await startPorchlight({ dataDir: porchlight.dataDir });
  await vi.waitUntil(async () => (await porchlight.call('siteFolder.status', {})).last !== null, {
    timeout: patienceMs,
  });
  expect((await porchlight.call('siteFolder.status', {})).last).toMatchObject({ words: 'Published.', url });
});

test('the owner’s own changes stay as they are', async () => {
  await writeFile(path.join(site.folder, 'content/posts/hello.md'), 'Changed, not staged\n');
  await writeFile(path.join(site.folder, 'staged.txt'), 'Staged\n');
  await git(site.folder, 'add', 'staged.txt');
  await writeFile(path.join(site.folder, 'untracked.txt'), 'Untracked\n');
  const read = async () => [
    await git(site.folder, 'status', '--porcelain'),
    await git(site.folder, 'diff'),
    await git(site.folder, 'diff', '--cached'),
  ];
  const before = await read();
  for (let count = 0; count < 50; count += 1) await note(`Note ${count}`, `note-${count}`);
  const stop = site.keepBuilding();
  await stateIs('idle');
  await stop();
  expect(await read()).toEqual(before);
  expect(await git(site.folder, 'rev-parse', 'HEAD')).toBe(await git(site.remote, 'rev-parse', 'main'));
  expect(await git(site.folder, 'fsck', '--full', '--strict')).toBe('');
});

test('posts whose files were lost are published again, and no others', async () => {
  await note('Tea on the porch', 'tea');
  const stop = site.keepBuilding();
  await stateIs('idle');
  await note('Fog', 'fog');
  await stateIs('idle');
  expect(await porchlight.call('siteFolder.publishAll', {})).toEqual({ posts: 0 });
  await git(site.folder, 'reset', '-q', '--hard', 'HEAD~1');
  await git(site.folder, 'push', '-q', '--force', site.remote, 'main');
  // The owner sees the result of pressing the button at once.
  expect(await porchlight.call('siteFolder.publishAll', {})).toEqual({ posts: 1 });
  const subjects = () => git(site.remote, 'log', '--format=%s', 'main');
  await vi.waitUntil(async () => (await subjects()).startsWith('Update "Fog"'), { timeout: patienceMs });
  await stop();
});

test('two servers: a post in the folder mentions the other one, and the reply is in the data file', async () => {
  const other = await startPorchlight({ me: 'https://bo.example/' });
  onTestFinished(() => other.remove());
  await porchlight.call('settings.update', { siteFolder: { mentions: 'data' } });
  const theirs = await other.call('posts.create', { text: 'The lamp is on', ...plain });
  const response = await micropub({
    type: ['h-entry'],
    properties: { content: ['Coming over!'], 'in-reply-to': [theirs.url], 'mp-slug': ['coming'] },
  });
  const url = response.headers.get('location') ?? '';
  expect([response.status, url]).toEqual([202, `${site.baseUrl}posts/coming/`]);
  await vi.waitUntil(async () => (await git(site.remote, 'log', '--format=%s', 'main')).includes('Coming'), {
    timeout: patienceMs,
  });
  // Nobody is told of a page that is not there yet.
  const [waiting] = await porchlight.call('webmentions.deliveries', { source: url });
  expect(waiting).toMatchObject({ state: 'waiting', target: theirs.url });
  expect((await other.call('webmentions.list', {})).items).toEqual([]);

  site.keepBuilding();
  await vi.waitUntil(async () => (await other.call('webmentions.list', {})).items.length > 0, {
    timeout: patienceMs,
  });
  expect((await other.call('webmentions.list', {})).items).toMatchObject([
    { source: url, target: theirs.url, type: 'reply', status: 'approved' },
  ]);

  const reply = await other.call('posts.create', { text: 'Tea is ready', inReplyTo: url, ...plain });
  await vi.waitUntil(async () => (await porchlight.call('webmentions.list', {})).items.length > 0, {
    timeout: patienceMs,
  });
  ahead += 3_700_000;
  await porchlight.call('siteFolder.retry', {});
  const dataFile = async () => {
    const names = (await git(site.remote, 'ls-tree', '-r', '--name-only', 'main')).split('\n');
    return names.find((name) => name.startsWith('data/'));
  };
  await vi.waitUntil(async () => (await dataFile()) !== undefined, { timeout: patienceMs });
  const data = await git(site.remote, 'show', `main:${(await dataFile()) ?? ''}`);
  expect(data).toContain('Tea is ready');
  expect(data).toContain(reply.url);
});
