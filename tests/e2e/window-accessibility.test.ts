import type { Browser, BrowserContext } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings, provideAxe } from '../support/axe.ts';
import { launchChromium } from '../support/chromium.ts';
import { serveWindow } from '../support/window-server.ts';
import { comeToRest, openView, views } from '../support/window-views.ts';

let browser: Browser;
let context: BrowserContext;
beforeAll(async () => {
  browser = await launchChromium();
  context = await browser.newContext({ colorScheme: 'light', viewport: { width: 800, height: 900 } });
  await provideAxe(context);
});
afterAll(() => browser.close());

describe('the window', () => {
  test('a fault would be found, and one that the dark alone has', async () => {
    const page = await context.newPage();
    await page.setContent(
      '<html lang="en"><title>-</title><style>body{background:#fff}@media(prefers-color-scheme:dark){body{background:#222}}</style><main><h1 style="color:#333">Words</h1><img></main>',
    );
    expect((await axeFindings(page)).join()).toMatch(/image-alt/);
    expect(await axeFindings(page, ['color-contrast'])).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect((await axeFindings(page, ['color-contrast'])).join()).toMatch(/color-contrast/);
    await page.close();
  });

  // Colours are all that differ in the dark, so there only they are looked at.
  test.concurrent.each(views)(
    '$name has nothing that axe finds in light and dark, and needs no more than its policy',
    async (view) => {
      const server = await serveWindow(view.house(Date.now()));
      const page = await context.newPage();
      try {
        const complaints: string[] = [];
        page.on('console', (message) => {
          if (message.type() === 'error') complaints.push(message.text());
        });
        page.on('pageerror', (error) => complaints.push(error.message));
        await openView(page, server.address, view);

        expect(await axeFindings(page)).toEqual([]);
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
        await comeToRest(page);
        expect(await axeFindings(page, ['color-contrast'])).toEqual([]);
        expect(complaints).toEqual([]);
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow).toBe(0);
      } finally {
        await page.close();
        await server.close();
      }
    },
  );
});
