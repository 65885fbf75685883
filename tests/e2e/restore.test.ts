import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handMadeBackup } from '../support/backup-scene.ts';
import { launchChromium } from '../support/chromium.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { patience } from '../support/patience.ts';
import { temporaryFolder } from '../support/storage-folder.ts';

// Checks of backups take minutes on a busy computer.
vi.setConfig({ testTimeout: 480_000 });

let porchlight: HeadlessProcess;
let chromium: Browser;
beforeEach(async () => {
  chromium = await launchChromium();
});
afterEach(async () => {
  await chromium.close();
  await porchlight.remove();
});

async function openWindow(): Promise<Page> {
  const page = await chromium.newPage();
  await page.goto(`${porchlight.ready.consoleUrl}/#key=${porchlight.ready.ownerKey}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

/**
 * Uploads a backup from the browser's computer, and has it checked. The thread that reads backups has a low priority, so
 * this takes much longer on a busy computer than anything else.
 */
async function uploadBackup(page: Page, file: string): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText(/^Uploaded:/).waitFor();
  await page.getByRole('button', { name: 'Check this backup' }).click();
  await page.getByRole('button', { name: 'Restore this backup…' }).waitFor(patience);
}

const hostile = {
  format: 2,
  signIn: { accessTokenSeconds: 315_360_000, refreshTokenSeconds: 315_360_000, allowWithoutPkce: true },
  micropub: {
    categories: [],
    channels: [],
    syndicateTo: [],
    mediaLimitBytes: 100_000_000,
    removePhotoMetadata: false,
  },
  webmention: {
    hosts: [],
    hold: 'nothing',
    trustedDomains: ['evil.example'],
    catchUp: true,
    aggregatorUrl: 'https://webmention.io',
  },
  tunnel: { mode: 'off', hostname: '', publicUrl: 'https://evil.example' },
  desktop: { startAtLogin: false, notifications: false, sound: false },
  backup: { folder: '', keep: 8 },
};

test('a hostile backup, restored from the first screen with nothing ticked, changes nothing that this computer trusts', async () => {
  const home = await temporaryFolder();
  const dataDir = path.join(home, 'data');
  await mkdir(dataDir);
  const file = path.join(home, 'gift.zip');
  await writeFile(file, handMadeBackup([{ name: 'data/settings.json', content: JSON.stringify(hostile) }]));
  porchlight = await startHeadless({ dataDir });
  const before = await porchlight.call('settings.get', {});
  const page = await openWindow();
  await page.getByRole('button', { name: 'Restore a backup' }).click();
  await page.getByRole('heading', { level: 1, name: 'Restore a backup' }).waitFor();
  expect(await page.getByRole('navigation').count()).toBe(0);

  await uploadBackup(page, file);
  await page.getByRole('radio', { name: 'No, or I’m not sure' }).check();
  for (const name of [
    'Apps may sign in without PKCE',
    'App access expires after',
    'Remove location and device details from photos',
    'Trusted sites',
    'Public address',
    'Notifications',
  ])
    expect(await page.getByRole('checkbox', { name, exact: true }).isChecked()).toBe(false);
  expect((await porchlight.call('data.folder', {})).waiting).toBeNull();

  // Cancelled, nothing of it stays, on the screen or on the disk.
  await page.getByRole('button', { name: 'Cancel restore' }).click();
  await page.getByRole('group', { name: 'Backup file' }).waitFor();
  expect(await page.getByRole('checkbox').count()).toBe(0);
  expect(await page.getByText(/checked|takes the place/).count()).toBe(0);

  await uploadBackup(page, file);
  await page.getByRole('radio', { name: 'No, or I’m not sure' }).check();
  await page.getByRole('button', { name: 'Restore this backup…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/All settings in the list keep their values on this computer/).waitFor();
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Restart to finish' }).waitFor();

  await porchlight.stop();
  porchlight = await startHeadless({ dataDir });
  expect(await porchlight.call('settings.get', {})).toEqual(before);
  const { items } = await porchlight.call('activity.list', {});
  expect(items.map(({ kind }) => kind)).toContain('data.restored');
  const metadata = await fetch(`${porchlight.ready.baseUrl}/.well-known/oauth-authorization-server`);
  expect(await metadata.text()).not.toContain('evil.example');
  expect(await readFile(path.join(dataDir, 'settings.json'), 'utf8')).not.toContain('evil.example');
});

test('the owner’s own backup brings everything back on a new computer, except who gets access', async () => {
  const home = await temporaryFolder();
  const file = path.join(home, 'mine.zip');
  porchlight = await startHeadless({ dataDir: path.join(home, 'old') });
  await porchlight.call('settings.update', {
    profile: { me: 'https://marlow.example/', name: 'Robin Marlow' },
    micropub: { removePhotoMetadata: false },
    webmention: { hold: 'everything', trustedDomains: ['friend.example'] },
    tunnel: { publicUrl: 'https://porch.marlow.example' },
    site: { about: 'I *like* porches.', title: 'Porch' },
  });
  await porchlight.call('posts.create', {
    requestId: 'one',
    content: 'The lamp is on.',
    photos: [],
    categories: [],
    ...({ visibility: 'public', status: 'published' } as const),
  });
  const before = await porchlight.call('settings.get', {});
  await porchlight.call('data.backup', { path: file });
  await porchlight.stop();

  const dataDir = path.join(home, 'new');
  porchlight = await startHeadless({ dataDir });
  let page = await openWindow();
  await page.getByRole('button', { name: 'Restore a backup' }).click();
  await page.getByRole('heading', { level: 1, name: 'Restore a backup' }).waitFor();
  await uploadBackup(page, file);
  const restore = page.getByRole('button', { name: 'Restore this backup…' });
  await page.getByRole('radio', { name: 'Yes, take everything' }).waitFor();
  expect(await restore.isDisabled()).toBe(true);
  await page.getByRole('radio', { name: 'Yes, take everything' }).check();
  expect(await page.getByRole('checkbox').count()).toBe(1);
  expect(await page.getByRole('checkbox', { name: 'Trusted sites' }).isChecked()).toBe(false);
  await restore.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/You take all settings from the backup, except: Trusted sites\./).waitFor();
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Restart to finish' }).waitFor();
  await porchlight.stop();

  porchlight = await startHeadless({ dataDir });
  expect(await porchlight.call('settings.get', {})).toEqual({
    ...before,
    webmention: { ...before.webmention, trustedDomains: [] },
  });
  expect((await porchlight.call('posts.list', {})).items).toHaveLength(1);
  page = await openWindow();
  await page
    .getByRole('status')
    .getByText(/^Restored: 1 post, 0 files and 0 mentions from /)
    .waitFor();
});
