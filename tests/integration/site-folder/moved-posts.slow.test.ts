import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Generator } from '../../../src-main/contract/site-folder.ts';
import { startPorchlight } from '../../support/porchlight.ts';
import { buildSite, hasGenerator, siteGenerators, smallThemes } from '../../support/site-generators.ts';
import { hostSite } from '../../support/site-host.ts';
import { folderSettings } from '../../support/folder-settings.ts';

vi.setConfig({ testTimeout: 600_000 });
const patience = { timeout: 360_000, interval: 200 };

const hasPlugin = spawnSync('ruby', ['-e', 'require "jekyll-redirect-from"']).status === 0;
const include = 'include: [_redirects]\n';

/** What each folder has besides the theme, so that former addresses lead somewhere. */
const folders: readonly (readonly [name: string, what: string, more: Readonly<Record<string, string>>])[] = [
  ['Hugo', 'with its aliases', {}],
  ['Jekyll', 'with its plugin', { '_config.yml': 'plugins: [jekyll-redirect-from]\n' }],
  ['Jekyll', 'by the host', { '_config.yml': include, _redirects: '/mine /yours 301\n', '404.html': 'Gone' }],
  [
    'Eleventy',
    'by the host',
    {
      'eleventy.config.mjs':
        'export default (config) => {\n  config.addPassthroughCopy("_redirects");\n  config.addPassthroughCopy("404.html");\n  return { dir: { output: "_site" } };\n};\n',
      _redirects: '/mine /yours 301\n',
      '404.html': 'Gone',
    },
  ],
];

/** Follows a redirect of the host or of a page; returns where it leads. */
async function ledTo(url: string): Promise<string | undefined> {
  const response = await fetch(url, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (location !== null) return new URL(location, url).href;
  const [, refresh] =
    /<meta http-equiv="refresh" content="0; ?url=([^"]+)"/.exec(await response.text()) ?? [];
  return refresh && new URL(refresh, url).href;
}

test.each(folders)('%s, %s: the former address of a post leads to it', async (name, what, more) => {
  const generator = siteGenerators.find(([known]) => known === name)?.[1];
  if (generator === undefined || !hasGenerator(generator) || (what === 'with its plugin' && !hasPlugin)) {
    console.log(`Redirects of ${name} ${what} are not tested: it isn’t installed.`);
    return;
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'porchlight-moved-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const host = await hostSite(() => path.join(folder, generator.output));
  onTestFinished(() => host.close());
  const theme = smallThemes(host.baseUrl)[name] ?? {};
  const config = `${theme['_config.yml'] ?? ''}${more['_config.yml'] ?? ''}`;
  const files = { ...theme, ...more, ...(config && { '_config.yml': config }), 'netlify.toml': '' };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  const porchlight = await startPorchlight();
  onTestFinished(() => porchlight.remove());
  const kind = name.toLowerCase() as Generator;
  await porchlight.call('settings.update', {
    siteFolder: folderSettings(folder, kind, { baseUrl: host.baseUrl }),
  });
  async function build(): Promise<void> {
    // Hugo doesn’t remove the pages of former builds.
    await rm(path.join(folder, generator?.output ?? ''), { recursive: true, force: true });
    if (generator) await buildSite(folder, generator);
  }
  /** Builds until everything is on the site. */
  const settled = () =>
    vi.waitUntil(async () => {
      await build();
      await porchlight.call('siteFolder.retry', {});
      const { state, waiting } = await porchlight.call('siteFolder.status', {});
      return state === 'idle' && waiting === 0;
    }, patience);

  const post = await porchlight.call('posts.create', {
    text: 'Tea on the porch',
    slug: 'tea',
    format: 'plain',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  });
  await settled();
  expect(await (await fetch(post.url)).text()).toContain('Tea on the porch');

  const { url } = await porchlight.call('posts.update', { url: post.url, slug: 'green-tea' });
  expect(url).not.toBe(post.url);
  await settled();
  await vi.waitUntil(async () => {
    await build();
    return (await ledTo(post.url)) === url;
  }, patience);
  expect(await (await fetch(url)).text()).toContain('Tea on the porch');

  await porchlight.call('posts.delete', { url });
  await settled();
  const isHosted = '_redirects' in files;
  for (const former of [url, post.url])
    await vi.waitUntil(async () => {
      await build();
      return (await fetch(former, { redirect: 'manual' })).status === (isHosted ? 410 : 404);
    }, patience);
});
