import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { keyboardOf, type Keyboard } from '../support/keyboard.ts';
import { untilSteady } from '../support/steady.ts';
import { actAsDesktop, signal } from '../support/window-bridge.ts';
import { livedInHouse, newHouse, type House } from '../support/window-fixtures.ts';
import { serveWindow } from '../support/window-server.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

interface Opened {
  readonly page: Page;
  readonly keyboard: Keyboard;
  readonly house: House;
}

/** Opens the window at a place, where its heading has the focus or nothing has. */
async function openAt(
  hash: string,
  { house = livedInHouse(Date.now()), desktop = false } = {},
): Promise<Opened> {
  const server = await serveWindow(house);
  const page = await browser.newPage({ viewport: { width: 1000, height: 800 }, reducedMotion: 'reduce' });
  onTestFinished(async () => {
    await page.close();
    await server.close();
  });
  if (desktop) await actAsDesktop(page);
  const { origin, hash: key } = new URL(server.address);
  await page.goto(`${origin}/${key}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.evaluate((place) => void (location.hash = place), hash);
  return { page, keyboard: keyboardOf(page), house };
}

/** Waits until the steady button that has the focus accepts keys. */
const steady = (page: Page) => untilSteady(page.locator(':focus'));

test('sets up Porchlight', async () => {
  const house = newHouse(Date.now());
  house.status = { ...house.status, baseUrl: 'http://127.0.0.1:4711' };
  const { page, keyboard } = await openAt('#/', { house });
  await keyboard.tabTo('radio', 'Yes');
  await keyboard.press('ArrowDown');
  await page.getByLabel('Your name').waitFor();
  await keyboard.press('ArrowUp');
  await keyboard.tabTo('textbox', 'Your domain');
  await keyboard.type('marlow.example');
  await keyboard.press('Enter');
  await keyboard.isAt('heading', 'Is this you?');
  await keyboard.tabTo('textbox', 'Name');
  await keyboard.tabTo('button', 'Continue');
  await keyboard.press('Enter');
  await keyboard.isAt('heading', 'How can the web reach you?');
  await page.getByText('Other ways').waitFor();
  for (let at = ''; at !== 'Other ways';) {
    await keyboard.press('Tab');
    at = (await page.locator(':focus').textContent()) ?? '';
  }
  await keyboard.press('Enter');
  await keyboard.tabTo('button', /^Your own reverse proxy/);
  await keyboard.press('Enter');
  await keyboard.isAt('heading', 'Your own reverse proxy');
  await keyboard.tabTo('textbox', 'Your public address');
  await keyboard.type('https://porch.marlow.example');
  await keyboard.tabTo('button', 'Continue');
  await keyboard.press('Enter');
  await keyboard.isAt('heading', 'Connect your home page');
  await keyboard.tabTo('button', 'Copy the lines for your home page');
  await keyboard.tabTo('button', 'Check now');
  await keyboard.press('Enter');
  await keyboard.isSomewhere();
  await keyboard.tabTo('button', 'Continue');
  await keyboard.press('Enter');
  await keyboard.isAt('heading', /^(?:Check|Done)$/);
  await keyboard.tabTo('button', 'Go to Overview');
  await keyboard.press('Enter');
  await keyboard.isAt('heading', 'Overview');
});

test('approves a sign-in with fewer permissions, and denies another', async () => {
  const { page, keyboard, house } = await openAt('#/sign-ins');
  await keyboard.isAt('heading', 'Sign-ins');
  await keyboard.tabTo('checkbox', /Publish posts/);
  await keyboard.press('Space');
  await keyboard.tabTo('button', 'Approve');
  await steady(page);
  const asked = page.waitForRequest('**/api/signIns.approve');
  await keyboard.press('Enter');
  const { scopes } = (await asked).postDataJSON() as { scopes: string[] };
  expect(scopes).toEqual(['profile', 'email', 'media', 'channels']);
  await keyboard.isAtWords(/Approved: Indigenous/);
  await keyboard.isSomewhere();
  await keyboard.tabTo('button', 'Deny');
  await steady(page);
  await keyboard.press('Enter');
  await keyboard.isAtWords(/Denied:/);
  await keyboard.isSomewhere();
  expect(house.signIns).toEqual([]);
});

test('renames an app, and signs another out', async () => {
  const { page, keyboard, house } = await openAt('#/apps');
  await keyboard.tabTo('button', 'More actions for Wiki on my phone');
  await keyboard.press('Enter');
  await keyboard.isAt('menuitem', 'Rename…');
  await keyboard.press('Enter');
  await keyboard.isAt('textbox', 'Name');
  await keyboard.press('ControlOrMeta+a');
  await keyboard.type('The wiki');
  await keyboard.press('Enter');
  await keyboard.isAt('button', 'More actions for The wiki');
  await keyboard.tabTo('button', 'Sign out Quill', { back: true });
  await keyboard.press('Enter');
  await keyboard.isAt('button', 'Cancel');
  await keyboard.press('Escape');
  await keyboard.isAt('button', 'Sign out Quill');
  await keyboard.press('Enter');
  await keyboard.isAt('button', 'Cancel');
  await keyboard.tabTo('button', 'Sign out');
  await steady(page);
  await keyboard.press('Enter');
  await page.getByText('Quill is signed out.').waitFor();
  await expect.poll(() => house.apps.length).toBe(2);
  await page.getByRole('button', { name: 'Sign out Quill' }).waitFor({ state: 'detached' });
  await keyboard.isSomewhere();
  await keyboard.tabTo('button', 'More actions for The wiki');
});

test('discards a draft', async () => {
  const { page, keyboard, house } = await openAt('#/posts');
  await keyboard.tabTo('link', 'New post');
  await keyboard.press('Enter');
  await keyboard.isAt('textbox', 'Text');
  await keyboard.type('No.');
  await page.getByText(/^Draft saved at/).waitFor();
  await keyboard.tabTo('button', 'More actions');
  await keyboard.press('Enter');
  // The menu opens at its first entry, and goes round.
  await keyboard.isAt('menuitem', /./);
  await keyboard.press('ArrowUp');
  await keyboard.isAt('menuitem', 'Discard…');
  await keyboard.press('Enter');
  await keyboard.isAt('button', 'Cancel');
  await keyboard.press('Escape');
  await keyboard.isAt('button', 'More actions');
  await keyboard.press('Enter');
  await keyboard.isAt('menuitem', /./);
  await keyboard.press('ArrowUp');
  await keyboard.isAt('menuitem', 'Discard…');
  await keyboard.press('Enter');
  await keyboard.isAt('button', 'Cancel');
  await keyboard.tabTo('button', 'Discard draft');
  await steady(page);
  await keyboard.press('Enter');
  await keyboard.isAt('heading', 'Posts');
  expect(house.posts.find(({ summary }) => summary === 'No.')?.deletedAt).not.toBeNull();
});

test('selects several mentions, hides them, and undoes it', async () => {
  const { page, keyboard, house } = await openAt('#/webmentions');
  await keyboard.tabTo('button', /ليلى/);
  // Two mentions wait, and stand before the newest.
  await keyboard.press('j', 'j', 'x', 'j', 'x');
  await page.getByText('2 selected').waitFor();
  await keyboard.tabTo('button', 'Hide', { back: true });
  await steady(page);
  await keyboard.press('Enter');
  await page.getByText('Hidden 2 mentions.').waitFor();
  await keyboard.isSomewhere();
  const hidden = () =>
    house.mentions.filter(({ id, status }) => ['m-1', 'm-2'].includes(id) && status === 'hidden');
  expect(hidden()).toHaveLength(2);
  await keyboard.tabTo('button', 'Undo');
  await keyboard.press('Enter');
  await page.getByText('Undone.').waitFor();
  await keyboard.isSomewhere();
  expect(hidden()).toEqual([]);
});

test('opens a mention, and narrows the list by a menu', async () => {
  const { page, keyboard } = await openAt('#/webmentions');
  await keyboard.tabTo('combobox', 'Type');
  await keyboard.press('ArrowDown');
  await page.waitForURL(/type=reply/);
  await keyboard.tabTo('button', /^Jo Wren replied/);
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await keyboard.isSomewhere();
  await keyboard.press('Escape');
  await keyboard.isAt('button', /^Jo Wren replied/);
});

test('imports mentions', async () => {
  const { page, keyboard } = await openAt('#/webmentions');
  await keyboard.tabTo('button', 'More actions');
  await keyboard.press('Enter');
  await keyboard.isAt('menuitem', 'Import from webmention.io');
  await keyboard.press('Enter');
  await page.getByRole('dialog').getByLabel('Your webmention.io API key', { exact: true }).waitFor();
  await keyboard.tabTo('textbox', 'Your webmention.io API key');
  await keyboard.type('a-key');
  await keyboard.press('Enter');
  await page
    .getByRole('dialog')
    .getByRole('heading', { name: /1,203 new, 1 changed/ })
    .waitFor();
  await keyboard.isSomewhere();
  await keyboard.tabTo('button', 'Done');
  await keyboard.press('Enter');
  await keyboard.isAt('button', 'More actions');
});

test('backs up', async () => {
  const { page, keyboard } = await openAt('#/data');
  await keyboard.tabTo('button', 'Download a backup');
  const download = page.waitForEvent('download');
  await keyboard.press('Enter');
  expect((await download).suggestedFilename()).toBe('porchlight-backup-2026-11-21.zip');
  await page.getByText('512 MB').waitFor();
  await keyboard.isSomewhere();
});

test('checks a backup, and cancels the restore', async () => {
  const { page, keyboard } = await openAt('#/restore', { desktop: true });
  await keyboard.isAt('heading', 'Restore a backup');
  await keyboard.tabTo('textbox', 'Backup file');
  await keyboard.type('/media/robin/disk/b.zip');
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Restore this backup…' }).waitFor();
  await keyboard.isAt('heading', 'Restore a backup');
  await keyboard.tabTo('checkbox', 'App access expires after');
  await keyboard.press('Space');
  await keyboard.tabTo('button', 'Restore this backup…');
  await keyboard.press('Enter');
  await page.getByText(/You also take from the backup: App access expires after/).waitFor();
  await keyboard.isAt('button', 'Cancel');
  await keyboard.press('Enter');
  await keyboard.isAt('button', 'Restore this backup…');
  await keyboard.tabTo('button', 'Cancel restore');
  await keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Backup file' }).waitFor();
  await keyboard.isAt('heading', 'Restore a backup');
});

test('finds a setting, changes it and saves it', async () => {
  const { page, keyboard, house } = await openAt('#/settings');
  await keyboard.tabTo('searchbox', 'Search settings');
  await keyboard.type('old apps');
  await keyboard.press('Enter');
  await keyboard.isAt('switch', /old apps/);
  await keyboard.press('Space');
  await keyboard.tabTo('button', 'Save');
  await keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  await keyboard.isSomewhere();
  expect(house.settings.signIn.allowWithoutPkce).toBe(true);
});

test('saves or discards unsaved changes', async () => {
  const { page, keyboard } = await openAt('#/settings/profile');
  await keyboard.isAt('heading', 'Profile');
  await keyboard.tabTo('textbox', 'Name');
  await keyboard.type('!');
  await keyboard.tabTo('link', 'Overview', { back: true });
  await keyboard.press('Enter');
  await keyboard.isAt('button', 'Cancel');
  await keyboard.press('Escape');
  await keyboard.isAt('link', 'Overview');
  await keyboard.press('Enter');
  await keyboard.tabTo('button', 'Discard changes');
  await steady(page);
  await keyboard.press('Enter');
  await keyboard.isAt('heading', 'Overview');
});

test('finds words on a screen, and returns to the earlier focus', async () => {
  const { page, keyboard } = await openAt('#/apps', { desktop: true });
  await keyboard.tabTo('button', 'More actions for Quill');
  await signal(page, { name: 'find' });
  await keyboard.isAt('textbox', 'Find');
  await keyboard.type('wiki');
  await page.getByText(/^1 of \d$/).waitFor();
  await keyboard.tabTo('button', 'Next match');
  await keyboard.press('Enter');
  await page.getByText(/^2 of \d$/).waitFor();
  await keyboard.tabTo('button', 'Close the find bar');
  await keyboard.press('Escape');
  await keyboard.isAt('button', 'More actions for Quill');
});

test('skips the sidebar, and finds a post with the search', async () => {
  const { page, keyboard } = await openAt('#/apps', { desktop: true });
  await keyboard.tabTo('link', 'Skip to the screen', { back: true });
  await keyboard.press('Enter');
  await keyboard.tabTo('button', 'More actions for Quill');
  await keyboard.press('Control+k');
  await keyboard.isAt('combobox', 'Search Porchlight');
  await keyboard.press('Escape');
  await keyboard.isAt('button', 'More actions for Quill');
  await keyboard.press('Control+k');
  await keyboard.isAt('combobox', 'Search Porchlight');
  await keyboard.type('fog over');
  await page.getByRole('option', { name: /^Fog over the harbour/ }).waitFor();
  await keyboard.press('Enter');
  await page.waitForURL(/#\/posts\?id=/);
  await keyboard.isSomewhere();
  await keyboard.press('Control+2');
  await keyboard.isAt('heading', 'Sign-ins');
});

test('turns the server off and on', async () => {
  const { page, keyboard, house } = await openAt('#/');
  await keyboard.tabTo('switch', /./);
  await keyboard.press('Space');
  await expect.poll(() => house.status.server).toBe('off');
  await page.getByText('Porchlight is off').first().waitFor();
  await keyboard.isAt('switch', /./);
  await keyboard.press('Space');
  await expect.poll(() => house.status.server).toBe('on');
});
