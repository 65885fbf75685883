import { mkdtemp, readdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';

let demo: HeadlessProcess;
let notOurs: string;
beforeAll(async () => {
  // A folder that the environment names is not the demo's to delete.
  notOurs = await mkdtemp(path.join(tmpdir(), 'porchlight-not-ours-'));
  demo = await startHeadless({ demo: true, env: { PORCHLIGHT_DEMO_FOLDER: notOurs } });
}, 120_000);
afterAll(() => demo.remove());

describe('the demo', () => {
  test('has a year of posts, photos, mentions and apps, and sign-ins that wait', async () => {
    const posts = await demo.call('posts.list', { limit: 200 });
    const kinds = new Set(posts.items.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(
      ['article', 'bookmark', 'like', 'note', 'photo', 'reply', 'repost', 'rsvp'].sort(),
    );
    const years = new Set(posts.items.map(({ published }) => published.slice(0, 7)));
    expect(years.size).toBeGreaterThan(10);
    expect((await demo.call('media.list', {})).items).toHaveLength(12);
    const mentions = await demo.call('webmentions.list', { limit: 200 });
    expect(mentions.items.length).toBeGreaterThan(100);
    expect(mentions.items.filter(({ status }) => status === 'held')).toHaveLength(2);
    expect(mentions.items.every(({ author }) => (author?.name ?? '') !== '')).toBe(true);
    expect((await demo.call('apps.list', {})).map(({ clientName }) => clientName).sort()).toEqual(
      ['Pocket Notes', 'Quill', 'Reading List', 'Town Hall'].sort(),
    );
    expect(await demo.call('signIns.list', {})).toHaveLength(2);
  });

  test('says on every screen that it is a demo, and shows its posts to visitors', async () => {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`${demo.ready.consoleUrl}/#key=${demo.ready.ownerKey}`);
      for (const screen of ['', 'sign-ins', 'webmentions', 'posts', 'settings']) {
        await page.evaluate((place) => (window.location.hash = `#/${place}`), screen);
        await page.getByRole('complementary', { name: 'Demo' }).waitFor();
        await expect.poll(() => page.title()).toContain('(demo)');
      }
      await page.goto(demo.ready.baseUrl);
      await page.getByText('Robin Vale').first().waitFor();
    } finally {
      await browser.close();
    }
  });

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
