import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Generator, SiteFolderSettings } from '../../../src-main/contract/site-folder.ts';
import { usualTemplates } from '../../../src-main/site/folder/usual-templates.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

const plain = {
  ...{ format: 'plain' as const, photos: [], categories: [] },
  ...{ visibility: 'public' as const, status: 'published' as const },
};
const timeout = 60_000;
vi.setConfig({ testTimeout: 120_000 });

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
    ...{ on: true, path: dir, generator, baseUrl: `${porchlight.base}/own/`, ...usualTemplates(generator) },
    ...{ media: 'porch', commit: false, push: false, ...more },
  };
  const call: Porchlight['call'] = (method, params) => porchlight.call(method, params);
  return {
    ...{ porchlight, dir, call, settings },
    turnOn: () => call('settings.update', { siteFolder: settings }),
    /** Waits until the folder has these files, besides the configuration. */
    hasFiles: async (...wanted: readonly RegExp[]) => {
      const files = async () => {
        const found = await readdir(dir, { recursive: true, withFileTypes: true });
        return found
          .filter((one) => one.isFile() && one.name !== config)
          .map((one) => path.relative(dir, path.join(one.parentPath, one.name)))
          .sort();
      };
      const isSame = (found: readonly string[]) =>
        found.length === wanted.length && wanted.every((one, index) => one.test(found[index] ?? ''));
      await vi.waitUntil(async () => isSame(await files()), { timeout }).catch(() => undefined);
      expect(await files()).toEqual(wanted.map((one) => expect.stringMatching(one) as string));
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
