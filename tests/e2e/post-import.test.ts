import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { startHeadless } from '../support/headless-process.ts';
import { sampleArchive } from '../support/post-archives.ts';
import { untilSteady } from '../support/steady.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

test(
  'the keyboard alone checks an archive, imports it, and undoes the import',
  { timeout: 360_000 },
  async () => {
    const house = await startHeadless({ args: ['--me', 'https://owner.example/', '--tunnel', 'off'] });
    onTestFinished(() => house.remove());
    const page = await browser.newPage({ viewport: { width: 800, height: 800 } });
    onTestFinished(() => page.close());
    await page.goto(`${house.ready.consoleUrl}/#key=${house.ready.ownerKey}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.evaluate(() => void (location.hash = '#/data?tab=import'));
    const card = page.getByRole('region', { name: 'Import posts' });

    await card.getByText('Use a file on the computer that runs Porchlight').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type(sampleArchive('mastodon'));
    await page.keyboard.press('Enter');
    await card.getByText('Found 7 posts. 6 can be imported.').waitFor();
    await card.getByText('It has no date between 1970 and 9999: 1').waitFor();
    // The report has the focus, and the button comes after what it lists.
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe('Mastodon archive');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await card.getByText('Imported 6 posts.').waitFor();
    expect((await house.call('posts.list', {})).items).toHaveLength(6);

    await card.getByRole('button', { name: 'Undo this import…' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Undo this import?' });
    await untilSteady(dialog.getByRole('button', { name: 'Undo import', exact: true }));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await card.getByText('Undone: deleted 6 posts and 1 file.').waitFor();
    await card.getByText('Mastodon archive: 6 posts, 1 file, undone').waitFor();
    expect((await house.call('posts.list', {})).items).toEqual([]);
  },
);
