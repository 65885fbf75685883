import type { Page } from 'playwright';
import { cloudflareViews } from './window-cloudflare-views.ts';
import { livedInHouse, newHouse, quietHouse } from './window-fixtures.ts';
import { dialogViews } from './window-dialog-views.ts';
import {
  bridgedHouse,
  phonesHouse,
  darkHouse,
  finishedHouse,
  flaggedHouse,
  importingHouse,
  quickHouse,
  reachedHouse,
  reconnectingHouse,
  tailscaleHouse,
  troubledHouse,
  uncheckedHouse,
  unreachableHouse,
  unreachedHouse,
} from './window-houses.ts';
import { folderViews } from './window-folder-views.ts';
import { signInViews } from './window-sign-in-views.ts';
import { stateViews } from './window-state-views.ts';
import { button, chooseMore, openedMention, type View } from './window-view.ts';
import { writingViews } from './window-writing-views.ts';

/** Everything in the window that people get to see. */
export const views: readonly View[] = [
  { name: 'overview', house: livedInHouse, hash: '#/' },
  {
    name: 'overview-drafts',
    house: (now) => {
      const house = livedInHouse(now);
      const draft = house.posts.find(({ status }) => status === 'draft');
      const ofApp = (name: string) => ({
        ...draft!,
        name,
        url: `${draft?.url}-${name}`,
        createdBy: 'Claude',
      });
      return { ...house, posts: [ofApp('Tea'), ofApp('Lamps'), ...house.posts] };
    },
    hash: '#/',
    prepare: async (page) => {
      await button(page, 'Read').first().click();
      await button(page, 'Publish').first().waitFor();
    },
  },
  { name: 'overview-quiet', house: quietHouse, hash: '#/' },
  {
    name: 'overview-note',
    house: quietHouse,
    hash: '#/',
    prepare: (page) => page.getByRole('textbox', { name: 'Write a note' }).fill('Tea is ready.'),
  },
  { name: 'overview-off', house: darkHouse, hash: '#/' },
  { name: 'overview-trouble', house: troubledHouse, hash: '#/' },
  { name: 'overview-unreachable', house: unreachableHouse, hash: '#/' },
  { name: 'overview-reconnecting', house: reconnectingHouse, hash: '#/' },
  ...signInViews,
  {
    name: 'apps',
    house: livedInHouse,
    hash: '#/apps',
    prepare: (page) => page.getByText('Permissions (3)').click(),
  },
  {
    name: 'apps-sign-out',
    house: livedInHouse,
    hash: '#/apps',
    prepare: async (page) => {
      await button(page, 'Sign out Quill').click();
      await page.getByText(/You can’t undo this, but the app can ask/).waitFor();
    },
  },
  {
    name: 'apps-make-token',
    house: livedInHouse,
    hash: '#/apps',
    prepare: async (page) => {
      await button(page, 'Create a token').click();
      await page.getByLabel('What is the token for?').fill('Backup script');
      await page.getByLabel(/Publish posts and drafts/).waitFor();
    },
  },
  {
    name: 'apps-token',
    house: livedInHouse,
    hash: '#/apps',
    prepare: async (page) => {
      await button(page, 'Create a token').click();
      await page.getByLabel('What is the token for?').fill('Backup script');
      await page.getByLabel(/Publish posts and drafts/).check();
      await button(page, 'Create token').click();
      await page.getByText(/shows this token only once/).waitFor();
    },
  },
  { name: 'apps-quiet', house: quietHouse, hash: '#/apps' },
  { name: 'media', house: livedInHouse, hash: '#/media', prepare: thumbnailsThere },
  {
    name: 'media-details',
    house: livedInHouse,
    hash: '#/media',
    prepare: async (page) => {
      await button(page, /porch\.jpg/).click();
      await page.getByText('This post has no alt text for the picture.').waitFor();
    },
  },
  {
    name: 'media-delete',
    house: livedInHouse,
    hash: '#/media',
    prepare: async (page) => {
      await button(page, /porch\.jpg/).press('Delete');
      await page.getByText(/2 posts use this file and will no longer show it/).waitFor();
    },
  },
  { name: 'media-quiet', house: quietHouse, hash: '#/media' },
  { name: 'posts', house: livedInHouse, hash: '#/posts' },
  {
    name: 'posts-open',
    house: livedInHouse,
    hash: '#/posts',
    prepare: async (page) => {
      await button(page, /Fog over the harbour/).click();
      await page.getByRole('link', { name: 'View on porch.marlow.example' }).waitFor();
      await button(page, 'Try again').first().waitFor();
    },
  },
  {
    name: 'posts-deleted',
    house: livedInHouse,
    hash: '#/posts',
    prepare: async (page) => {
      await button(page, /The lamp is on/).focus();
      await page.keyboard.press('Delete');
      await page.getByText(/^Deleted: “/).waitFor();
    },
  },
  { name: 'posts-quiet', house: quietHouse, hash: '#/posts' },
  ...writingViews,
  { name: 'webmentions', house: livedInHouse, hash: '#/webmentions', prepare: portraitsThere },
  {
    name: 'webmentions-open',
    house: livedInHouse,
    hash: '#/webmentions',
    prepare: async (page) => {
      await button(page, /Jo Wren replied.*Keep it on/).click();
      await page.getByText('History', { exact: true }).click();
      await portraitsThere(page);
    },
  },
  {
    name: 'webmentions-waiting',
    house: livedInHouse,
    hash: '#/webmentions?status=held',
    prepare: async (page) => {
      await button(page, /Best Links/).press('h');
      await page.getByText(/^Hidden: /).waitFor();
    },
  },
  {
    name: 'webmentions-block',
    house: livedInHouse,
    hash: '#/webmentions',
    prepare: async (page) => {
      await button(page, /Kit reposted/).click();
      await chooseMore(openedMention(page), 'Block this site…');
      await page.getByText(/refuses new mentions/).waitFor();
    },
  },
  {
    name: 'webmentions-block-person',
    house: livedInHouse,
    hash: '#/webmentions',
    prepare: async (page) => {
      await button(page, /Kit reposted/).click();
      await chooseMore(openedMention(page), 'Block this person…');
      await page.getByText(/whichever site sends them/).waitFor();
    },
  },
  { name: 'webmentions-pages', house: livedInHouse, hash: '#/webmentions?view=pages' },
  { name: 'webmentions-chart', house: livedInHouse, hash: '#/webmentions?view=chart' },
  {
    name: 'webmentions-import',
    house: livedInHouse,
    hash: '#/webmentions',
    prepare: async (page) => {
      await chooseMore(page.getByRole('main'), 'Import from webmention.io');
      await page.getByLabel('Your webmention.io API key', { exact: true }).waitFor();
    },
  },
  {
    name: 'webmentions-export',
    house: livedInHouse,
    hash: '#/webmentions',
    prepare: async (page) => {
      await chooseMore(page.getByRole('main'), 'Export all mentions');
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      await page.getByText(/^Exported .* mentions to/).waitFor();
    },
  },
  {
    name: 'webmentions-importing',
    house: importingHouse,
    hash: '#/webmentions',
    prepare: async (page) => {
      await chooseMore(page.getByRole('main'), 'Import from webmention.io');
      await page.getByRole('dialog').getByText('12,400 mentions read so far.').waitFor();
    },
  },
  {
    name: 'webmentions-import-failed',
    house: (now) => importingHouse(now, 'failed', 'webmention.io did not answer in time.'),
    hash: '#/webmentions',
    prepare: async (page) => {
      await chooseMore(page.getByRole('main'), 'Import from webmention.io');
      await button(page, 'Continue').waitFor();
    },
  },
  { name: 'webmentions-quiet', house: quietHouse, hash: '#/webmentions' },
  { name: 'activity', house: livedInHouse, hash: '#/activity' },
  {
    name: 'activity-support-file',
    house: livedInHouse,
    hash: '#/activity',
    prepare: async (page) => {
      await button(page, 'Create a support file').click();
      await page.getByRole('dialog').getByText('Support file').waitFor();
    },
  },
  { name: 'activity-quiet', house: quietHouse, hash: '#/activity' },
  {
    name: 'data-restore',
    house: livedInHouse,
    hash: '#/restore',
    desktop: true,
    prepare: async (page) => {
      await page.getByLabel('Backup file', { exact: true }).fill('/media/robin/disk/porchlight-backup.zip');
      await button(page, 'Check this backup').click();
      await button(page, 'Restore this backup…').waitFor();
    },
  },
  {
    name: 'settings',
    house: livedInHouse,
    hash: '#/settings',
  },
  ...(['profile', 'site', 'posting', 'webmentions'] as const).map((page) => ({
    name: `settings-${page}`,
    house: livedInHouse,
    hash: `#/settings/${page}`,
  })),
  {
    name: 'settings-assistants',
    house: (now) => {
      const house = livedInHouse(now);
      return { ...house, settings: { ...house.settings, assistants: { on: true } } };
    },
    hash: '#/settings/assistants',
  },
  {
    name: 'settings-phones',
    house: phonesHouse,
    hash: '#/settings/phones',
    prepare: (page) => page.getByText('My iPhone', { exact: true }).waitFor(),
  },
  {
    name: 'settings-phones-pairing',
    house: phonesHouse,
    hash: '#/settings/phones',
    prepare: async (page) => {
      await button(page, 'Pair a phone…').click();
      await page.getByAltText(/QR code/).waitFor();
    },
  },
  {
    name: 'settings-phones-removing',
    house: phonesHouse,
    hash: '#/settings/phones',
    prepare: async (page) => {
      await button(page, 'Remove My iPhone').click();
      await page.getByText('Sign these apps out too').waitFor();
    },
  },
  {
    name: 'settings-bridge',
    house: bridgedHouse,
    hash: '#/settings/posting?id=bridge',
    prepare: (page) => button(page, 'Copy the lines for your web host').waitFor(),
  },
  {
    name: 'settings-search',
    house: livedInHouse,
    hash: '#/settings',
    prepare: async (page) => {
      await page.getByRole('searchbox', { name: 'Search settings' }).fill('tunnel');
      await page.getByText('1 setting found').waitFor();
    },
  },
  {
    name: 'settings-sign-in',
    house: livedInHouse,
    hash: '#/settings/sign-in',
    prepare: (page) => page.getByLabel(/old apps/).click(),
  },
  {
    name: 'settings-advanced',
    house: livedInHouse,
    hash: '#/settings/advanced',
    prepare: async (page) => {
      await button(page, 'Show the token').click();
      await page.getByText('management-token-1').waitFor();
    },
  },
  {
    name: 'settings-about',
    house: livedInHouse,
    hash: '#/settings/about',
    prepare: async (page) => {
      await page.getByText('@fontsource-variable/inter').click();
      await page.getByText('SIL Open Font License').first().waitFor();
    },
  },
  {
    name: 'data',
    house: livedInHouse,
    hash: '#/data',
    prepare: (page) => page.getByLabel('Include secrets, protected by a passphrase').check(),
  },
  {
    name: 'data-after',
    house: livedInHouse,
    hash: '#/data',
    prepare: async (page) => {
      await button(page, 'Download a backup').click();
      await page.getByText('512 MB').waitFor();
    },
  },
  { name: 'data-export', house: livedInHouse, hash: '#/data?tab=export' },
  { name: 'data-move', house: livedInHouse, hash: '#/data?tab=move' },
  {
    name: 'import-uploaded',
    house: livedInHouse,
    hash: '#/data?tab=import',
    prepare: async (page) => {
      const archive = {
        name: 'archive-20261121.zip',
        mimeType: 'application/zip',
        buffer: Buffer.from('zip'),
      };
      await page.locator('input[type=file]').setInputFiles(archive);
      await page.getByText('Uploaded:').waitFor();
    },
  },
  {
    name: 'import-checked',
    house: livedInHouse,
    hash: '#/data?tab=import',
    desktop: true,
    prepare: async (page) => {
      await page.getByLabel('Archive').fill('/home/robin/Downloads/archive-20261121.zip');
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await button(page, 'Import 1,200 posts').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'import-own-export',
    house: livedInHouse,
    hash: '#/data?tab=import',
    desktop: true,
    prepare: async (page) => {
      await page.getByLabel('Archive').fill('/home/robin/Downloads/porchlight-export.zip');
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await button(page, 'Import 1,200 posts, 212 mentions and 2 pages').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'import-done',
    house: livedInHouse,
    hash: '#/data?tab=import',
    desktop: true,
    prepare: async (page) => {
      await page.getByLabel('Archive').fill('/home/robin/Downloads/archive-20261121.zip');
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await button(page, 'Import 1,200 posts').click();
      await page.getByText('Imported 1,200 posts.').waitFor();
      await button(page, /^Undo…/).scrollIntoViewIfNeeded();
    },
  },
  { name: 'data-new', house: newHouse, hash: '#/data' },
  {
    name: 'reach-named',
    house: (now) => reachedHouse(now, 'failed'),
    hash: '#/settings/reach',
    prepare: (page) => page.getByLabel('Host name').scrollIntoViewIfNeeded(),
  },
  {
    name: 'reach-connected',
    house: (now) => reachedHouse(now, 'connected'),
    hash: '#/settings/reach',
    prepare: (page) => page.getByText('Connected (4 connections)').scrollIntoViewIfNeeded(),
  },
  {
    name: 'reach-downloading',
    house: (now) => reachedHouse(now, 'downloading'),
    hash: '#/settings/reach',
    prepare: (page) => page.getByText('12.4 of 40.1 MB').scrollIntoViewIfNeeded(),
  },
  {
    name: 'reach-flags',
    house: flaggedHouse,
    hash: '#/settings/reach',
    prepare: (page) => page.getByText('A command-line option decides for now.').scrollIntoViewIfNeeded(),
  },
  {
    name: 'setup',
    house: livedInHouse,
    hash: '#/setup',
    prepare: async (page) => {
      await button(page, 'Check again').click();
      await page.getByText('What to do:').first().waitFor();
    },
  },
  { name: 'setup-quiet', house: uncheckedHouse, hash: '#/setup' },
  { name: 'overview-next-step', house: uncheckedHouse, hash: '#/' },
  { name: 'welcome-reach', house: unreachedHouse, hash: '#/welcome?step=reach' },
  {
    name: 'welcome-links',
    house: livedInHouse,
    hash: '#/welcome?step=links',
    prepare: (page) => page.getByText('What to do:').first().waitFor(),
  },
  {
    name: 'welcome-done',
    house: livedInHouse,
    hash: '#/welcome?step=done',
    prepare: (page) => page.getByText('What to do:').first().waitFor(),
  },
  {
    name: 'welcome-reach-tailscale',
    house: tailscaleHouse,
    hash: '#/welcome?step=reach&website=none',
    prepare: (page) => page.getByText(/Tailscale is connected/).waitFor(),
  },
  {
    name: 'welcome-reach-quick-home',
    house: quickHouse,
    hash: '#/welcome?step=reach&website=none',
    prepare: (page) => page.getByText(/apps won’t recognize you/).waitFor(),
  },
  {
    name: 'welcome-finished',
    house: finishedHouse,
    hash: '#/welcome?step=done',
    prepare: (page) => page.getByRole('link', { name: 'Start the test sign-in' }).waitFor(),
  },
  {
    name: 'welcome-no-website',
    house: newHouse,
    hash: '#/',
    prepare: (page) => page.getByRole('radio', { name: 'No' }).check(),
  },
  { name: 'welcome', house: newHouse, hash: '#/' },
  {
    name: 'welcome-found',
    house: newHouse,
    hash: '#/',
    prepare: async (page) => {
      await page.getByLabel('Your domain').fill('marlow.example');
      await button(page, 'Continue').click();
      await page.getByText('Is this you?').waitFor();
    },
  },
  ...dialogViews,
  ...stateViews,
  ...folderViews,
  ...cloudflareViews,
];

async function thumbnailsThere(page: Page): Promise<void> {
  await page.locator('main img').nth(2).waitFor();
}

/** Portraits load as their rows scroll into view, and the chart may keep every row out of a low window. */
async function portraitsThere(page: Page): Promise<void> {
  for (let index = 0; index < 3; index++) {
    await button(page, /^(Jo Wren|Kit) /)
      .nth(index)
      .scrollIntoViewIfNeeded();
    await page.locator('main img').nth(index).waitFor();
  }
  await page.evaluate(() => window.scrollTo(0, 0));
}
