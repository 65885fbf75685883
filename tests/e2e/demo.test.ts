import { mkdtemp, readdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Result } from '../../src-main/contract/contract.ts';
import { screens } from '../../src-main/contract/window.ts';
import { hashOf } from '../../src-renderer/routes.ts';
import { launchChromium } from '../support/chromium.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { moveToView } from '../support/window-view.ts';
import { readOnlyScenes, windowOf } from './screenshots/demo-window.ts';

const signInPath = `/auth?${new URLSearchParams({
  response_type: 'code',
  client_id: 'https://book-club.example/',
  redirect_uri: 'https://book-club.example/callback',
  state: 'state',
  code_challenge: 'a'.repeat(43),
  code_challenge_method: 'S256',
  scope: 'profile',
})}`;

/** The ms between the times of two lists, at most, the newest of each first; infinite where one list is longer. */
function furthest(some: readonly number[], others: readonly number[]): number {
  if (some.length !== others.length) return Infinity;
  const [a, b] = [some.toSorted((x, y) => y - x), others.toSorted((x, y) => y - x)];
  return Math.max(...a.map((time, index) => Math.abs(time - (b[index] ?? Infinity))));
}

let demo: HeadlessProcess;
let browser: Browser;
let notOurs: string;
/** What is written when the demo starts is written between these two times. */
let start: readonly [number, number];
beforeAll(async () => {
  browser = await launchChromium();
  // A folder that the environment names is not the demo's to delete.
  notOurs = await mkdtemp(path.join(tmpdir(), 'porchlight-not-ours-'));
  const begun = Date.now();
  demo = await startHeadless({ demo: true, env: { PORCHLIGHT_DEMO_FOLDER: notOurs } });
  start = [begun, Date.now()];
}, 360_000);
afterAll(async () => {
  await browser.close();
  await demo.remove();
});

describe('the demo', () => {
  test('has a year of posts, photos, mentions and apps, and sign-ins that wait', async () => {
    const posts = await demo.call('posts.list', { limit: 200 });
    const kinds = new Set(posts.items.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(
      ['article', 'bookmark', 'like', 'note', 'photo', 'reply', 'repost', 'rsvp'].sort(),
    );
    const years = new Set(posts.items.map(({ published }) => published.slice(0, 7)));
    expect(years.size).toBeGreaterThan(10);
    expect((await demo.call('media.list', {})).items).toHaveLength(15);
    const mentions = await demo.call('webmentions.list', { limit: 200 });
    expect(mentions.items.length).toBeGreaterThan(100);
    expect(mentions.items.filter(({ status }) => status === 'held')).toHaveLength(2);
    expect(mentions.items.every(({ author }) => (author?.name ?? '') !== '')).toBe(true);
    expect((await demo.call('apps.list', {})).map(({ clientName }) => clientName).sort()).toEqual(
      ['Pocket Notes', 'Quill', 'Reading List', 'Town Hall'].sort(),
    );
    expect(await demo.call('signIns.list', {})).toHaveLength(2);
  });

  test('shows a logo for every app, also for the first one and for those that wait', async () => {
    const apps = [...(await demo.call('apps.list', {})), ...(await demo.call('signIns.list', {}))];
    expect(apps.map(({ clientLogo }) => clientLogo?.slice(0, 15))).toEqual(apps.map(() => 'data:image/png;'));
  });

  test('has apps that were used, each until a different day', async () => {
    const used = (await demo.call('apps.list', {})).map(({ lastUsedAt }) => lastUsedAt?.slice(0, 10));
    expect(used).not.toContain(undefined);
    expect(new Set(used).size).toBe(used.length);
  });

  test('has an activity that names each post and each mention on its own day', async () => {
    const items: Result<'activity.list'>['items'] = [];
    for (let cursor: string | undefined; ;) {
      const page = await demo.call('activity.list', { limit: 200, ...(cursor !== undefined && { cursor }) });
      items.push(...page.items);
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    const timesOf = (kind: string) =>
      items.filter((item) => item.kind === kind).map(({ at }) => Date.parse(at));
    const posts = (await demo.call('posts.list', { limit: 200 })).items;
    const mentions = (await demo.call('webmentions.list', { limit: 200 })).items;
    // The post that is scheduled for tomorrow was written when the demo started.
    const published = posts.map((post) => Math.min(Date.parse(post.published), start[1]));
    const received = mentions.map((mention) => Date.parse(mention.received));
    expect(furthest(timesOf('post.created'), published)).toBeLessThan(60_000 + start[1] - start[0]);
    expect(furthest(timesOf('webmention.received'), received)).toBeLessThan(60_000);
    const times = items.map(({ at }) => at);
    expect(times).toEqual(times.toSorted().reverse());
    expect(times.every((at) => at <= new Date().toISOString())).toBe(true);
  });

  test('receives each mention after its post', async () => {
    const posts = (await demo.call('posts.list', { limit: 200 })).items;
    const published = new Map(posts.map((post) => [post.url, post.published]));
    const mentions = (await demo.call('webmentions.list', { limit: 200 })).items;
    const early = mentions.filter(({ target, received }) => {
      const at = published.get(target);
      return at === undefined || Date.parse(received) <= Date.parse(at);
    });
    expect(early).toEqual([]);
  });

  test('says on every screen that it is a demo, and shows its posts to visitors', async () => {
    const page = await browser.newPage();
    await page.goto(`${demo.ready.consoleUrl}/#key=${demo.ready.ownerKey}`);
    for (const screen of screens) {
      await page.evaluate((hash) => (window.location.hash = hash), hashOf(screen));
      await page.getByRole('button', { name: 'Demo', exact: true }).waitFor();
      await expect.poll(() => page.title()).toContain('(demo)');
    }
    await page.goto(demo.ready.baseUrl);
    await page.getByText('Robin Vale').first().waitFor();
    const [post] = (await demo.call('posts.list', { limit: 1 })).items;
    const visitors = ['/', new URL(post?.url ?? '').pathname, '/nowhere', '/webmention', signInPath];
    for (const place of visitors) {
      await page.goto(`${demo.ready.baseUrl}${place}`);
      const note = page.getByRole('note').filter({ hasText: 'This is a demo. Nothing here is real.' });
      await note.waitFor();
      // Its style is allowed by the page's own policy.
      expect(await note.evaluate((element) => getComputedStyle(element).position)).toBe('fixed');
    }
    await page.close();
  });

  test('opens every screen that npm run screenshots takes a picture of', async () => {
    const page = await browser.newPage();
    await page.goto(windowOf(demo));
    await page.getByRole('heading', { level: 1 }).waitFor();
    for (const scene of readOnlyScenes) await moveToView(page, scene);
    await page.close();
  }, 540_000);

  test('keeps everything in one temporary folder, and deletes it at the end', async () => {
    expect(await readdir(demo.dataDir)).toEqual([expect.stringMatching(/^porchlight-demo-/)]);
    expect(await demo.stop()).toBe(0);
    expect(await readdir(demo.dataDir)).toEqual([]);
    await rmdir(notOurs); // still there
  });

  test('takes no folder of the owner', async () => {
    await expect(startHeadless({ demo: true, args: ['--data', demo.dataDir] })).rejects.toThrow(
      '--demo uses a temporary folder. Leave --data out.',
    );
  });
});
