import type { Page } from 'playwright';
import type { Status } from '../../src-main/contract/status.ts';
import { livedInHouse, newHouse } from './window-fixtures.ts';
import { demoHouse, unreachedHouse } from './window-houses.ts';
import { button, chooseWay, type View } from './window-view.ts';

/** Has the server answer a method with `reply` from now on, and not at all without one. */
async function answerWith(page: Page, method: string, reply?: unknown): Promise<void> {
  await page.route(`**/api/${method}`, (route) =>
    reply === undefined ? undefined : route.fulfill({ json: reply }),
  );
}

/** What the server says while a sign-out isn't on disk. */
const notSaved =
  'Not saved yet: the disk is full. Quill is signed out. This already applies, but a crash of Porchlight or the computer would undo it. Porchlight saves it as soon as it can.';

/** Has the server say that something isn't saved yet. */
async function withUnsaved(page: Page): Promise<void> {
  await page.route('**/api/status.get', async (route) => {
    const response = await route.fetch();
    const { result } = (await response.json()) as { result: Status };
    const problems = [{ code: 'not_saved', message: notSaved }];
    await route.fulfill({ response, json: { result: { ...result, problems } } });
  });
}

const refusal = { error: { code: 'storage_full', message: 'The disk is full.' } };

const ways = {
  hand: /by hand/,
  proxy: /^Your own reverse proxy/,
  quick: /^Quick tunnel/,
  tailscale: /^Tailscale/,
};

/** Screens while they load, work, or fail, in the desktop app and without a key. */
export const stateViews: readonly View[] = [
  {
    name: 'locked-out',
    house: livedInHouse,
    hash: '#/apps',
    locked: true,
    prepare: (page) => page.getByRole('heading', { name: 'This window is locked' }).waitFor(),
  },
  { name: 'overview-demo', house: demoHouse, hash: '#/' },
  {
    name: 'overview-not-responding',
    house: livedInHouse,
    hash: '#/',
    prepare: async (page) => {
      await page.route('**/api/events', (route) => route.fulfill({ body: '' }));
      await page.reload();
      await page.getByText('Porchlight isn’t responding.').waitFor();
    },
  },
  {
    name: 'apps-not-saved',
    house: livedInHouse,
    hash: '#/apps',
    prepare: async (page) => {
      await withUnsaved(page);
      await answerWith(page, 'apps.revoke', { result: { id: 'app-1', saved: false } });
      await button(page, 'Sign out Quill').click();
      await page.waitForFunction(
        () => document.querySelector('[role="dialog"] [aria-disabled="true"]') === null,
      );
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('Not saved yet: the disk is full.').waitFor();
    },
  },
  {
    name: 'overview-not-saved',
    house: livedInHouse,
    hash: '#/',
    prepare: async (page) => {
      await withUnsaved(page);
      await page.reload();
      await page.getByText('Not saved yet: the disk is full.').waitFor();
    },
  },
  {
    name: 'posts-loading',
    house: livedInHouse,
    hash: '#/posts',
    prepare: async (page) => {
      await answerWith(page, 'posts.list');
      await page.reload();
      await page.locator('.mantine-Skeleton-root').first().waitFor();
    },
  },
  {
    name: 'posts-failed',
    house: livedInHouse,
    hash: '#/posts',
    prepare: async (page) => {
      await answerWith(page, 'posts.list', refusal);
      await page.reload();
      await page.getByText('Porchlight couldn’t load your posts.').waitFor({ timeout: 60_000 });
    },
  },
  {
    name: 'posts-broken',
    house: livedInHouse,
    hash: '#/posts',
    faulty: true,
    prepare: async (page) => {
      await answerWith(page, 'posts.list', { result: { items: [{}] } });
      await page.reload();
      await page.getByText('Something went wrong').waitFor();
    },
  },
  {
    name: 'posts-damaged',
    house: (now) => {
      const house = livedInHouse(now);
      const [, item] = house.posts;
      const lost = (slug: string) => ({
        path: `/posts/2026/11/${slug}`,
        url: `https://porch.marlow.example/posts/2026/11/${slug}`,
      });
      const copied = {
        ...lost('a'),
        item: item ? { ...item, visibility: 'private' as const } : null,
        movedTo: null,
      };
      const former = { ...lost('fog-over-the-harbour'), item: null, movedTo: '/posts/2026/11/fog' };
      return { ...house, damaged: [copied, former] };
    },
    hash: '#/posts',
    prepare: (page) => page.getByRole('heading', { name: 'Posts to look at' }).waitFor(),
  },
  {
    name: 'posts-edited-files',
    house: (now) => ({
      ...livedInHouse(now),
      files: {
        changed: ['2026/11/lunch.json'],
        added: ['2026/10/a-walk-along-the-harbour.json'],
        missing: ['2026/09/fog.json', '2026/09/rain.json'],
        ended: ['2025/01/old.json'],
        unreadable: [{ file: '2026/08/broken.json', reason: 'it is no JSON' }],
      },
    }),
    hash: '#/posts',
    prepare: (page) => page.getByRole('heading', { name: 'Edited files' }).waitFor(),
  },
  {
    name: 'posts-no-match',
    house: livedInHouse,
    hash: '#/posts?query=nothing%20like%20this',
    prepare: (page) => page.getByText('No posts match these filters.').waitFor(),
  },
  {
    name: 'data-backing-up',
    house: livedInHouse,
    hash: '#/data',
    desktop: true,
    prepare: async (page) => {
      await answerWith(page, 'data.backup');
      await page
        .getByLabel('Save the backup to', { exact: true })
        .fill('/media/robin/disk/porchlight-backup.zip');
      await button(page, 'Back up now').click();
      await page.locator('[data-loading]').first().waitFor();
    },
  },
  {
    name: 'data-backup-failed',
    house: livedInHouse,
    hash: '#/data',
    desktop: true,
    prepare: async (page) => {
      await answerWith(page, 'data.backup', refusal);
      await page
        .getByLabel('Save the backup to', { exact: true })
        .fill('/media/robin/disk/porchlight-backup.zip');
      await button(page, 'Back up now').click();
      await page.getByText('The backup failed.').waitFor();
    },
  },
  { name: 'data-desktop', house: livedInHouse, hash: '#/data', desktop: true },
  { name: 'data-restore-choice', house: newHouse, hash: '#/restore', desktop: true },
  { name: 'data-restore-upload', house: newHouse, hash: '#/restore' },
  { name: 'settings-computer', house: livedInHouse, hash: '#/settings/computer', desktop: true },
  { name: 'welcome-who', house: newHouse, hash: '#/welcome?step=who' },
  {
    name: 'welcome-unread',
    house: newHouse,
    hash: '#/',
    prepare: async (page) => {
      const error = { code: 'fetch_failed', message: 'The server doesn’t exist.' };
      await answerWith(page, 'profile.read', { error });
      await page.getByLabel('Your domain').fill('marlow.example');
      await button(page, 'Continue').click();
      await page.getByRole('heading', { name: 'Your profile' }).waitFor();
    },
  },
  ...Object.entries(ways).map(([way, label]) => ({
    name: `welcome-way-${way}`,
    house: unreachedHouse,
    hash: '#/welcome?step=reach',
    prepare: (page: Page) => chooseWay(page, label),
  })),
];
