import type { Page } from 'playwright';
import { livedInHouse } from './window-fixtures.ts';
import { removalsHouse, restoredHouse } from './window-houses.ts';
import { untilSteady } from './steady.ts';
import { signal } from './window-bridge.ts';
import { button, chooseMore, type View } from './window-view.ts';

/** Checks a backup and leads to the question whether to restore it. */
async function askToRestore(page: Page): Promise<void> {
  await page.getByLabel('Backup file', { exact: true }).fill('/media/robin/disk/porchlight-backup.zip');
  await button(page, 'Check this backup').click();
  await button(page, 'Restore this backup…').click();
  await page.getByRole('dialog', { name: 'Restore this backup?' }).waitFor();
}

/** The dialogs and bars that lie over a screen or open within it. */
export const dialogViews: readonly View[] = [
  {
    name: 'apps-rename',
    house: livedInHouse,
    hash: '#/apps',
    prepare: async (page) => {
      await button(page, 'More actions for Quill').click();
      await page.getByRole('menuitem', { name: 'Rename…' }).click();
      await page.getByText(/Only you see this name/).waitFor();
    },
  },
  {
    name: 'apps-token-missing',
    house: livedInHouse,
    hash: '#/apps',
    prepare: async (page) => {
      await button(page, 'Create a token').click();
      await page.getByLabel(/Publish posts and drafts/).waitFor();
      await button(page, 'Create token').click();
      await page.getByText('Choose at least one permission.').waitFor();
    },
  },
  {
    name: 'webmentions-selected',
    house: livedInHouse,
    hash: '#/webmentions',
    prepare: async (page) => {
      await page
        .getByRole('checkbox', { name: /^Select: Jo Wren/ })
        .first()
        .check();
      await page
        .getByRole('checkbox', { name: /^Select: Kit/ })
        .first()
        .check();
      await page.getByText('2 selected').waitFor();
    },
  },
  {
    name: 'webmentions-block-many',
    house: livedInHouse,
    hash: '#/webmentions',
    prepare: async (page) => {
      await page.getByRole('checkbox', { name: /^Select all shown/ }).check();
      await button(page, 'Block sites…').click();
      await page.getByText(/subdomains/).waitFor();
    },
  },
  {
    name: 'webmentions-import-removals',
    house: removalsHouse,
    hash: '#/webmentions',
    prepare: async (page) => {
      await chooseMore(page.getByRole('main'), 'Import from webmention.io');
      await button(page, 'Show what changed').click();
      await button(page, 'Remove 240 mentions').waitFor();
      await page.getByText('No longer listed at webmention.io (240)').waitFor();
    },
  },
  {
    name: 'data-restore-confirm',
    house: livedInHouse,
    hash: '#/restore',
    desktop: true,
    prepare: askToRestore,
  },
  {
    name: 'data-restore-waiting',
    house: livedInHouse,
    hash: '#/restore',
    desktop: true,
    prepare: async (page) => {
      await askToRestore(page);
      const restore = page.getByRole('button', { name: 'Restore', exact: true });
      await untilSteady(restore);
      await restore.click();
      await page.getByRole('heading', { name: 'Restart to finish' }).waitFor();
    },
  },
  {
    name: 'data-leftovers',
    house: restoredHouse,
    hash: '#/data',
    prepare: (page) =>
      button(page, /^Delete the data that was replaced/)
        .last()
        .scrollIntoViewIfNeeded(),
  },
  {
    name: 'data-leftovers-delete',
    house: restoredHouse,
    hash: '#/data',
    prepare: async (page) => {
      await button(page, /^Delete the data that was replaced/)
        .first()
        .click();
      await page.getByRole('dialog', { name: 'Delete the data from before the restore?' }).waitFor();
    },
  },
  {
    name: 'settings-unsaved',
    house: livedInHouse,
    hash: '#/settings/profile',
    prepare: async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('Somebody else');
      await page.evaluate(() => void (window.location.hash = '#/apps'));
      await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    },
  },
  {
    name: 'settings-replace-token',
    house: livedInHouse,
    hash: '#/settings/advanced',
    prepare: async (page) => {
      await button(page, 'Replace the token').click();
      await page.getByRole('dialog', { name: 'Replace the management token?' }).waitFor();
    },
  },
  {
    name: 'find',
    house: livedInHouse,
    hash: '#/settings/webmentions',
    desktop: true,
    prepare: async (page) => {
      await signal(page, { name: 'find' });
      await page.getByRole('textbox', { name: 'Find' }).fill('mention');
      await page.getByText(/^1 of \d+$/).waitFor();
    },
  },
  {
    name: 'find-nothing-and-zoom',
    house: livedInHouse,
    hash: '#/posts',
    desktop: true,
    prepare: async (page) => {
      await signal(page, { name: 'find' });
      await page.getByRole('textbox', { name: 'Find' }).fill('no such words');
      await page.getByText('No matches').waitFor();
      // It goes after two seconds.
      await signal(page, { name: 'zoom', percent: 125 });
    },
  },
];
