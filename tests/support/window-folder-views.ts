import type { Page } from 'playwright';
import { settingsHash, writeHash } from '../../src-renderer/routes.ts';
import { hugoFolder, withFolder } from './window-folder-handlers.ts';
import { livedInHouse, quietHouse, type House } from './window-fixtures.ts';
import { button, type View } from './window-view.ts';

const hash = settingsHash('site-folder');
type FolderState = Parameters<typeof withFolder>[1];
const inState = (state: FolderState) => (now: number) => withFolder(livedInHouse(now), state, now);
const quietWith = (state: FolderState) => (now: number) => withFolder(quietHouse(now), state, now);

/** Publishing was on, and the owner turned it off. */
function offAgainHouse(now: number): House {
  const house = livedInHouse(now);
  return { ...house, settings: { ...house.settings, siteFolder: { ...hugoFolder, on: false } } };
}

async function check(page: Page, path: string): Promise<void> {
  await page.getByLabel('Folder of your site').fill(path);
  await button(page, 'Check this folder').click();
}

const previewed = (page: Page) => page.getByLabel('Text of the file').waitFor();

/** The page “Your own site” in each of its states, and what other screens say about it. */
export const folderViews: readonly View[] = [
  { name: 'settings-site-folder', house: livedInHouse, hash },
  {
    name: 'folder-not-found',
    house: livedInHouse,
    hash,
    prepare: async (page) => {
      await check(page, '/home/robin/porch.jpg');
      await page.getByText('This isn’t a folder. Choose the folder of your site.').waitFor();
    },
  },
  {
    name: 'folder-found',
    house: livedInHouse,
    hash,
    prepare: async (page) => {
      await check(page, '/home/robin/site');
      await previewed(page);
    },
  },
  {
    name: 'folder-found-plain',
    house: livedInHouse,
    hash,
    prepare: async (page) => {
      await check(page, '/home/robin/plain');
      await page.getByText('Enter an address that starts with https://.').waitFor();
    },
  },
  {
    name: 'folder-refused',
    house: inState('idle'),
    hash,
    prepare: async (page) => {
      await previewed(page);
      await page.getByLabel('File of a post').fill('content/posts/post.md');
      await page.getByText('The file of a post needs {slug} in its name.').waitFor();
    },
  },
  {
    name: 'folder-photo',
    house: inState('idle'),
    hash,
    prepare: async (page) => {
      await page.getByLabel('Kind of post').selectOption('Photo');
      await page.getByText('static/media/2026/11/fog.jpg').waitFor();
    },
  },
  {
    name: 'folder-mentions',
    house: inState('idle'),
    hash,
    prepare: async (page) => {
      await previewed(page);
      await page.getByRole('switch', { name: 'Save mentions as data files' }).press('Space');
      await page.getByText('Show mentions on your pages').click();
      await page.getByLabel('the template', { exact: true }).waitFor();
    },
  },
  { name: 'folder-working', house: inState('working'), hash, prepare: previewed },
  {
    name: 'folder-waiting',
    house: inState('waiting'),
    hash,
    prepare: async (page) => {
      await previewed(page);
      await button(page, 'Show all 14').click();
    },
  },
  { name: 'folder-trouble', house: inState('trouble'), hash, prepare: previewed },
  {
    name: 'folder-replace',
    house: inState('trouble'),
    hash,
    prepare: async (page) => {
      await button(page, /^Replace the file of The lamp is on/).click();
      await page.getByRole('dialog', { name: 'Replace the file?' }).waitFor();
    },
  },
  {
    name: 'folder-publish-all',
    house: inState('idle'),
    hash,
    prepare: async (page) => {
      await button(page, 'Publish all existing posts…').click();
      await page.getByRole('dialog', { name: 'Publish 96 posts on marlow.example?' }).waitFor();
    },
  },
  { name: 'folder-off-again', house: offAgainHouse, hash, prepare: previewed },
  { name: 'overview-folder', house: quietWith('idle'), hash: '#/' },
  {
    name: 'overview-folder-trouble',
    house: quietWith('trouble'),
    hash: '#/',
    prepare: (page) => page.getByText(/Publishing to marlow\.example needs your attention/).waitFor(),
  },
  {
    name: 'posts-building',
    house: inState('trouble'),
    hash: '#/posts?id=https%3A%2F%2Fmarlow.example%2Fposts%2Fwell%2F',
    prepare: (page) => page.getByRole('link', { name: 'Show all posts that aren’t live' }).waitFor(),
  },
  {
    name: 'write-folder',
    house: inState('idle'),
    hash: writeHash({ post: 'https://marlow.example/posts/the-lamp-is-on/' }),
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByText('This preview uses Porchlight’s design. marlow.example has its own.').waitFor();
    },
  },
];
