import { join } from 'node:path';
import type { Page } from 'playwright';
import { landscape } from '../../../src-main/demo/pictures.ts';
import type { HeadlessProcess } from '../../support/headless-process.ts';
import { chooseMore, openedMention, openView, type View } from '../../support/window-view.ts';
import { takePictures } from './camera.ts';

type Scene = Omit<View, 'house'>;

/** A busy computer draws pictures last. */
const lateMs = { timeout: 90_000 };

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const dialog = (page: Page) => page.getByRole('dialog');

const article = `The forecast says Thursday. So I walked up to the ridge once more: **no cars**, and a buzzard that had it all to itself.

## What is still green

- the *holly*, which I had meant to cut
- the ivy on the wall
- one row of kale, which [tastes better after frost](https://kale.example/frost)

The beans are still on their poles. I’ll take them down in spring.`;

/** Writes an article with a photo, and waits until it is saved. */
export async function writeArticle(page: Page): Promise<void> {
  await page.getByText('Article', { exact: true }).click();
  await page.getByLabel('Title').fill('Before the first snow');
  await page.getByRole('textbox', { name: 'Text' }).fill(article);
  await page.getByRole('button', { name: 'Details' }).click();
  const picture = { name: 'ridge.png', mimeType: 'image/png', buffer: landscape(30) };
  await page.getByLabel('Cover', { exact: true }).setInputFiles(picture);
  await page.locator('li img').waitFor();
  await page.getByLabel('Alt text for ridge.png').fill('The hills from the ridge, still green below');
  await page.getByRole('combobox', { name: 'Categories' }).fill('garden');
  // Escape closes the list of categories, which would cover the photo.
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.getByText('Uploading photo').waitFor({ state: 'detached' });
  await page.getByText(/^Draft saved at/).waitFor();
  await page.getByRole('button', { name: 'Details' }).click();
  // In a narrow window, the preview would take the place of the text.
  if (await page.evaluate(() => innerWidth >= 1280)) {
    const preview = page.getByRole('button', { name: 'Preview' });
    // The tab remembers whether it shows the preview.
    if ((await preview.getAttribute('aria-pressed')) !== 'true') await preview.click();
    await page.locator('section[aria-label="Preview"] article img').waitFor();
  }
  // The last click left the mouse on a button that moved, and the last field scrolled the page.
  await page.mouse.move(0, 0);
  await page.evaluate(() => scrollTo(0, 0));
}

/** What changes nothing in the demo. tests/e2e/demo.test.ts opens each of them, so that the pictures can be taken. */
export const readOnlyScenes: readonly Scene[] = [
  { name: 'overview', hash: '#/' },
  { name: 'sign-ins', hash: '#/sign-ins' },
  {
    name: 'apps',
    hash: '#/apps',
    prepare: (page) =>
      page
        .getByText(/^Permissions/)
        .first()
        .click(),
  },
  {
    name: 'apps-sign-out',
    hash: '#/apps',
    prepare: async (page) => {
      await button(page, 'Sign out Quill').click();
      await page.getByText(/You can’t undo this, but the app can ask/).waitFor();
    },
  },
  {
    name: 'apps-make-token',
    hash: '#/apps',
    prepare: async (page) => {
      await button(page, 'Create a token').click();
      await page.getByLabel('What is the token for?').fill('Backup script');
    },
  },
  { name: 'posts', hash: '#/posts' },
  {
    name: 'posts-open',
    hash: '#/posts',
    prepare: async (page) => {
      await button(page, /October from the ridge/).click();
      await page.locator('article img').first().waitFor(lateMs);
    },
  },
  {
    name: 'posts-menu',
    hash: '#/posts',
    prepare: async (page) => {
      await button(page, 'Actions').first().click();
      await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor();
    },
  },
  {
    name: 'posts-history',
    hash: '#/posts',
    prepare: async (page) => {
      await button(page, /Notes from the neighborhood meeting/).click();
      await page.getByText('Change history (1)').click();
      await button(page, /^Restore this version/).waitFor();
    },
  },
  { name: 'write', hash: '#/write' },
  {
    name: 'write-article',
    hash: '#/write',
    prepare: writeArticle,
  },
  { name: 'media', hash: '#/media', prepare: (page) => page.locator('main img').nth(11).waitFor(lateMs) },
  {
    name: 'media-details',
    hash: '#/media',
    prepare: async (page) => {
      await page.locator('main img').first().click();
      await dialog(page).waitFor();
    },
  },
  { name: 'webmentions', hash: '#/webmentions' },
  {
    name: 'webmentions-open',
    hash: '#/webmentions',
    prepare: async (page) => {
      await button(page, /^Zoe Lambert replied/).click();
      await openedMention(page).waitFor();
    },
  },
  { name: 'webmentions-waiting', hash: '#/webmentions?status=held' },
  {
    name: 'webmentions-block',
    hash: '#/webmentions',
    prepare: async (page) => {
      await button(page, /^Marek Dvorak replied/).click();
      await chooseMore(openedMention(page), 'Block this site…');
      await page.getByText(/refuses new mentions/).waitFor();
    },
  },
  { name: 'webmentions-pages', hash: '#/webmentions?view=pages' },
  {
    name: 'webmentions-import',
    hash: '#/webmentions',
    prepare: async (page) => {
      await chooseMore(page.getByRole('main'), 'Import from webmention.io');
      await page.getByLabel('Your webmention.io API key', { exact: true }).waitFor();
    },
  },
  { name: 'activity', hash: '#/activity' },
  {
    name: 'activity-support-file',
    hash: '#/activity',
    prepare: async (page) => {
      await button(page, 'Create a support file').click();
      await dialog(page).waitFor();
    },
  },
  { name: 'settings', hash: '#/settings' },
  ...[
    'profile',
    'site',
    'site-folder',
    'sign-in',
    'posting',
    'webmentions',
    'reach',
    'mailbox',
    'advanced',
  ].map((page) => ({
    name: `settings-${page}`,
    hash: `#/settings/${page}`,
  })),
  {
    name: 'settings-search',
    hash: '#/settings',
    prepare: (page) => page.getByRole('searchbox', { name: 'Search settings' }).fill('tunnel'),
  },
  { name: 'setup', hash: '#/setup', prepare: (page) => button(page, /^Check/).click() },
];

/** What changes the demo, so that it comes last. */
const doing = (place: string): readonly Scene[] => [
  {
    name: 'apps-token',
    hash: '#/apps',
    prepare: async (page) => {
      await button(page, 'Create a token').click();
      await page.getByLabel('What is the token for?').fill('Backup script');
      await page.getByLabel(/Publish posts and drafts/).check();
      await button(page, 'Create token').click();
      await page.getByText(/shows this token only once/).waitFor();
    },
  },
  {
    name: 'webmentions-export',
    hash: '#/webmentions',
    prepare: async (page) => {
      await chooseMore(page.getByRole('main'), 'Export all mentions');
      await dialog(page).getByRole('textbox').fill(join(place, 'mentions.jf2'));
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      await page.getByText(/^Exported .* mentions to/).waitFor();
    },
  },
  {
    name: 'webmentions-hidden',
    hash: '#/webmentions?status=held',
    prepare: async (page) => {
      await button(page, /^Marek Dvorak replied/).press('h');
      await page.getByText(/^Hidden: /).waitFor();
    },
  },
  { name: 'data', hash: '#/data', prepare: (page) => page.getByLabel(/Include secrets/).check() },
  {
    name: 'data-after',
    hash: '#/data',
    prepare: async (page) => {
      await page.getByText('Save it on the computer that runs Porchlight instead').first().click();
      await page.getByLabel('Save the backup to').fill(join(place, 'porchlight-backup.zip'));
      await button(page, 'Back up now').click();
      await page
        .getByText(/porchlight-backup\.zip/)
        .last()
        .waitFor();
    },
  },
  {
    name: 'data-restore',
    hash: '#/restore',
    prepare: async (page) => {
      await page.locator('input[type=file]').setInputFiles(join(place, 'porchlight-backup.zip'));
      await page.getByText(/^Uploaded:/).waitFor();
      await button(page, 'Check this backup').click();
      await button(page, 'Restore this backup…').waitFor();
    },
  },
  {
    name: 'posts-deleted',
    hash: '#/posts',
    prepare: async (page) => {
      await button(page, /October from the ridge/).focus();
      await page.keyboard.press('Delete');
      await page.getByText(/^Deleted: “/).waitFor();
    },
  },
  {
    name: 'sign-ins-answered',
    hash: '#/sign-ins',
    prepare: async (page) => {
      // Approve ignores clicks for a second after it appears.
      await page.waitForTimeout(1200);
      await button(page, 'Approve').first().click();
      await page.getByText(/^Approved: /).waitFor();
    },
  },
  {
    name: 'overview-off',
    hash: '#/',
    prepare: async (page) => {
      await page.getByRole('switch').press('Space');
      await page.getByRole('heading', { name: 'Porchlight is off' }).waitFor();
    },
  },
];

/** The address of the window of a headless Porchlight, with its key. */
export const windowOf = ({ ready }: HeadlessProcess) => `${ready.consoleUrl}/#key=${ready.ownerKey}`;

/** Takes the demo's window on all screens. */
export async function takeDemoWindow(page: Page, demo: HeadlessProcess): Promise<void> {
  await takeScenes(page, windowOf(demo), readOnlyScenes);
}

/** Takes what changes the demo. `place`: a folder for the files that it writes. */
export async function takeChanges(page: Page, demo: HeadlessProcess, place: string): Promise<void> {
  await takeScenes(page, windowOf(demo), doing(place));
}

/**
 * Takes scenes of the window at `address`, each in a page that was just loaded. A scene that cannot be reached is
 * reported and ends the program with 1, after all other pictures.
 */
export async function takeScenes(page: Page, address: string, scenes: readonly Scene[]): Promise<void> {
  for (const scene of scenes) {
    try {
      await page.goto('about:blank');
      await openView(page, address, scene);
      await takePictures(page, scene.name);
    } catch (error) {
      console.error(`No pictures of ${scene.name}:`, error);
      process.exitCode = 1;
    }
  }
}
