import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { postKinds } from '../../../src-main/contract/post-kinds.ts';
import type { PostKind } from '../../../src-main/contract/posts.ts';
import type { Generator, SiteFolderSettings } from '../../../src-main/contract/site-folder.ts';
import { usualTemplates } from '../../../src-main/site-folder/detect.ts';
import { openReceivers } from '../../support/webmention-receivers.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

const plain = {
  format: 'plain' as const,
  photos: [],
  categories: [],
  visibility: 'public' as const,
  status: 'published' as const,
};
const timeout = 60_000;
vi.setConfig({ testTimeout: 360_000 });

/** A server that publishes to a folder without git. Nothing builds the folder. */
async function folderWith(config: string, generator: Generator, more: Partial<SiteFolderSettings> = {}) {
  const dir = await mkdtemp(path.join(tmpdir(), 'porchlight-site-'));
  await writeFile(path.join(dir, config), '');
  const porchlight = await startPorchlight();
  onTestFinished(async () => {
    await porchlight.remove();
    await rm(dir, { recursive: true, force: true });
  });
  const settings: Partial<SiteFolderSettings> = {
    on: true,
    path: dir,
    generator,
    baseUrl: 'https://me.example/',
    ...usualTemplates(generator),
    media: 'porch',
    commit: false,
    push: false,
    ...more,
  };
  const call: Porchlight['call'] = (method, params) => porchlight.call(method, params);
  return {
    porchlight,
    dir,
    call,
    settings,
    turnOn: () => call('settings.update', { siteFolder: settings }),
    /** Waits until the folder has these files, besides the configuration. */
    hasFiles: async (...expected: readonly RegExp[]) => {
      const files = async () => {
        const found = await readdir(dir, { recursive: true, withFileTypes: true });
        return found
          .filter((one) => one.isFile() && one.name !== config)
          .map((one) => path.relative(dir, path.join(one.parentPath, one.name)))
          .sort();
      };
      const isSame = (found: readonly string[]) =>
        found.length === expected.length && expected.every((one, index) => one.test(found[index] ?? ''));
      await vi.waitUntil(async () => isSame(await files()), { timeout }).catch(() => undefined);
      expect(await files()).toEqual(expected.map((one) => expect.stringMatching(one) as string));
    },
  };
}

test('a Jekyll post that becomes unlisted leaves the folder of posts, and comes back', async () => {
  const { call, turnOn, hasFiles } = await folderWith('_config.yml', 'jekyll');
  await turnOn();
  const { url } = await call('posts.create', { text: 'Fog', ...plain });
  await hasFiles(/^_posts\/[\d-]+-fog\.md$/);
  await call('posts.update', { url, text: 'Fog', ...plain, visibility: 'unlisted' });
  await hasFiles(/^unlisted\/[\d-]+-fog\.html$/);
  await call('posts.update', { url, text: 'Fog', ...plain });
  await hasFiles(/^_posts\/[\d-]+-fog\.md$/);
});

/** Somebody's page with a reply to `target`. Returns its URL. */
async function replyTo(target: string): Promise<string> {
  const html = `<div class="h-entry"><a class="u-in-reply-to" href="${target}">x</a><p class="e-content">Hello</p></div>`;
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(html);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/reply`;
}

test('mentions as data follow their posts: to the folder, to another address, and away', async () => {
  const { porchlight, call, settings, turnOn, hasFiles } = await folderWith('hugo.toml', 'hugo', {
    mentions: 'data',
  });
  const { url } = await call('posts.create', { text: 'Fog', ...plain });
  const reply = async (target: string) => {
    const source = await replyTo(target);
    const response = await fetch(`${porchlight.base}/webmention`, {
      method: 'POST',
      body: new URLSearchParams({ source, target }),
    });
    expect(response.ok).toBe(true);
    const mention = async () =>
      (await call('webmentions.list', {})).items.find((one) => one.source === source);
    await vi.waitUntil(async () => (await mention())?.parsed, { timeout });
    await call('webmentions.setStatus', { id: (await mention())?.id ?? '', status: 'approved' });
  };
  await reply(url);

  await turnOn();
  expect(await call('siteFolder.publishAll', {})).toEqual({ posts: 1 });
  const post = /^content\/posts\/[\d-]+-fog\.md$/;
  await hasFiles(post, /^data\/mentions\/posts--fog--\.json$/);

  const home = (await call('posts.list', {})).items[0]?.url ?? '';
  await reply(home);
  const moved = await call('posts.update', { url: home, text: 'Fog', ...plain, slug: 'mist' });
  const movedPost = /^content\/posts\/[\d-]+-mist\.md$/;
  await hasFiles(movedPost, /^data\/mentions\/posts--mist--\.json$/);

  await call('posts.update', { url: moved.url, text: 'Fog', ...plain, visibility: 'private' });
  await hasFiles();
  await call('posts.update', { url: moved.url, text: 'Fog', ...plain });
  await hasFiles(movedPost, /^data\/mentions\/posts--mist--\.json$/);

  await call('settings.update', { siteFolder: { ...settings, mentions: 'off' } });
  await hasFiles(movedPost);
});

test('after a restore, the data files are compared with the mentions of the backup', async () => {
  const { porchlight, call, dir, turnOn, hasFiles } = await folderWith('hugo.toml', 'hugo', {
    mentions: 'data',
  });
  await turnOn();
  const { url } = await call('posts.create', { text: 'Fog', ...plain });
  const source = await replyTo(url);
  await fetch(`${porchlight.base}/webmention`, {
    method: 'POST',
    body: new URLSearchParams({ source, target: url }),
  });
  const mention = async () => (await call('webmentions.list', {})).items[0];
  await vi.waitUntil(async () => (await mention())?.parsed, { timeout });
  await call('webmentions.setStatus', { id: (await mention())?.id ?? '', status: 'approved' });
  const files = [/^content\/posts\/[\d-]+-fog\.md$/, /^data\/mentions\/posts--fog--\.json$/] as const;
  await hasFiles(...files);
  const backup = path.join(await mkdtemp(path.join(tmpdir(), 'porchlight-backup-')), 'backup.zip');
  onTestFinished(() => rm(path.dirname(backup), { recursive: true }));
  await call('data.backup', { path: backup });
  await call('data.restore', { path: backup });
  await call('data.applyRestore', {});
  await rm(path.join(dir, 'data'), { recursive: true });
  await porchlight.stop();
  const again = await startPorchlight({ dataDir: porchlight.dataDir });
  onTestFinished(() => again.stop());
  await hasFiles(...files);
});

test('turning mentions off removes no data file that Porchlight didn’t write', async () => {
  const { call, dir, settings, turnOn, hasFiles } = await folderWith('hugo.toml', 'hugo');
  await turnOn();
  await call('posts.create', { text: 'Fog', ...plain });
  await mkdir(path.join(dir, 'data/mentions'), { recursive: true });
  await writeFile(path.join(dir, 'data/mentions/posts--fog--.json'), '{}');
  await call('settings.update', { siteFolder: { ...settings, mentions: 'off' } });
  await hasFiles(/^content\/posts\/[\d-]+-fog\.md$/, /^data\/mentions\/posts--fog--\.json$/);
});

test('while publishing is off, a deletion waits and is shown, and it is carried out afterwards', async () => {
  const { call, turnOn, hasFiles } = await folderWith('hugo.toml', 'hugo');
  await turnOn();
  const { url } = await call('posts.create', { text: 'Fog', ...plain });
  await hasFiles(/^content\/posts\/[\d-]+-fog\.md$/);
  await call('settings.update', { siteFolder: { on: false } });
  await call('posts.delete', { url });
  expect(await call('siteFolder.status', {})).toMatchObject({
    state: 'off',
    words: 'Off. 1 change will be published when you turn it on.',
    waiting: 1,
    items: [{ title: 'Fog', state: 'waiting', words: 'Waits until you turn on publishing to this folder.' }],
  });
  await hasFiles(/^content\/posts\/[\d-]+-fog\.md$/);
  await call('settings.update', { siteFolder: { on: true } });
  await hasFiles();
});

test('the preview of each kind of post is an example of that kind until there is a post', async () => {
  const { call, settings } = await folderWith('hugo.toml', 'hugo', { media: 'folder' });
  for (const [kind] of Object.entries(postKinds)) {
    const params = { kind: kind as PostKind, settings };
    const preview = await call('siteFolder.preview', params);
    expect(preview).toMatchObject({ isExample: true, url: `https://me.example/posts/example-${kind}/` });
    expect(preview.text).toContain(`postType: "${kind}"`);
    const isMedia = ['photo', 'video', 'audio'].includes(kind);
    expect(preview.media).toEqual(isMedia ? [expect.stringContaining(`static/media/2026/01/${kind}.`)] : []);
  }
  await call('posts.create', { text: 'Fog', ...plain });
  const note = await call('siteFolder.preview', { kind: 'note', settings });
  expect(note).toMatchObject({ isExample: false, url: 'https://me.example/posts/fog/' });
});

test('an edit of an older post notifies the pages that it links to once its page shows the links', async () => {
  const others = await openReceivers();
  onTestFinished(() => others.close());
  const [old, kept, fresh] = ['/old', '/kept', '/fresh'].map((page) => others.add(page));
  let shown = `<a href="${old}">Old</a> <a href="${kept}">Kept</a>`;
  others.site.pages.set('/posts/fog/', (_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(shown);
  });
  others.site.pages.set('/sitemap.xml', (_request, response) => {
    response.end(`<urlset><url><loc>${others.origin}/posts/fog/</loc></url></urlset>`);
  });
  const dir = await mkdtemp(path.join(tmpdir(), 'porchlight-site-'));
  let ahead = 0;
  const porchlight = await startPorchlight({ clock: () => Date.now() + ahead });
  onTestFinished(async () => {
    await porchlight.remove();
    await rm(dir, { recursive: true, force: true });
  });
  const file = (text: string) => `---\ntitle: Fog\ndate: 2020-01-02\n---\n${text}\n`;
  await mkdir(path.join(dir, 'content/posts'), { recursive: true });
  await writeFile(path.join(dir, 'hugo.toml'), `baseURL = "${others.origin}/"\n`);
  await writeFile(
    path.join(dir, 'content/posts/fog.md'),
    file(`[Old](${old}) [Kept](${kept}) [About](/about/)`),
  );
  await porchlight.call('settings.update', {
    siteFolder: {
      on: true,
      path: dir,
      generator: 'hugo',
      baseUrl: `${others.origin}/`,
      ...usualTemplates('hugo'),
      media: 'porch',
      commit: false,
      push: false,
      adopt: true,
    },
  });
  await vi.waitUntil(async () => (await porchlight.call('siteFolder.adopted', {})).posts === 1, { timeout });
  const { token } = await porchlight.call('apps.issueToken', { label: 'Client', scopes: ['update'] });
  const url = `${others.origin}/posts/fog/`;
  const answer = await fetch(`${porchlight.base}/micropub`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      action: 'update',
      url,
      replace: { content: [`[Kept](${kept}) [Fresh](${fresh}) [About](/about/)`] },
    }),
  });
  expect(answer.status).toBe(204);
  const deliveries = async () =>
    Object.fromEntries(
      (await porchlight.call('webmentions.deliveries', { source: url })).map(({ target, state, words }) => [
        new URL(target).pathname,
        `${state}: ${words}`,
      ]),
    );
  const after = async (ms: number, expected: Readonly<Record<string, string>>) => {
    ahead += ms;
    porchlight.service.wake();
    const isAsExpected = async () => isDeepStrictEqual(await deliveries(), expected);
    await vi.waitUntil(isAsExpected, { timeout }).catch(() => undefined);
    expect(await deliveries()).toEqual(expected);
  };
  const soon = 'waiting: Waiting until the post is published.';
  const still =
    'waiting: The removal of the link could not be reported. The page on your site still shows the link. Porchlight will try again.';
  await after(0, { '/old': still, '/kept': soon, '/fresh': soon });
  await after(300_000, {
    '/old': still,
    '/kept': 'sent: Sent. The other site will check it later.',
    '/fresh': 'waiting: The page on your site doesn’t show the link yet. Porchlight will try again.',
  });
  shown = `<a href="${kept}">Kept</a> <a href="${fresh}">Fresh</a>`;
  await after(3_600_000, {
    '/old': 'sent: Reported that the link was removed.',
    '/kept': 'sent: Sent. The other site will check it later.',
    '/fresh': 'sent: Sent. The other site will check it later.',
  });
  expect(others.notifications().sort()).toEqual([
    '/posts/fog/ -> /fresh',
    '/posts/fog/ -> /kept',
    '/posts/fog/ -> /old',
  ]);
  const { items } = await porchlight.call('activity.list', {});
  expect(items.map(({ words }) => words)).toContain('Client updated a post in your site’s folder: “Fog”');
});

test.skipIf(process.platform === 'win32')(
  'an unlisted post is hidden from an old Hugo on this computer, which builds the folder',
  async () => {
    const { call, dir, turnOn, hasFiles } = await folderWith('hugo.toml', 'hugo');
    const bin = await mkdtemp(path.join(tmpdir(), 'porchlight-bin-'));
    onTestFinished(() => rm(bin, { recursive: true, force: true }));
    await writeFile(path.join(bin, 'hugo'), '#!/bin/sh\necho "hugo v0.111.3"\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${bin}:${process.env['PATH'] ?? ''}`);
    await turnOn();
    await call('posts.create', { text: 'Fog', ...plain, visibility: 'unlisted' });
    await hasFiles(/^content\/posts\/[\d-]+-fog\.md$/);
    const [name = ''] = await readdir(path.join(dir, 'content/posts'));
    expect(await readFile(path.join(dir, 'content/posts', name), 'utf8')).toContain(
      '_build:\n  list: "never"',
    );
  },
);
