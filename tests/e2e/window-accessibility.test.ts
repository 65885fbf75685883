import AxeBuilder from '@axe-core/playwright';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { serveWindow } from '../support/window-server.ts';
import { openView, views } from '../support/window-views.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

describe.each(['light', 'dark'] as const)('the window in %s', (colorScheme) => {
  test.each(views)('$name has nothing that axe finds, and needs no more than its policy', async (view) => {
    const server = await serveWindow(view.house(Date.now()));
    const context = await browser.newContext({ colorScheme, viewport: { width: 800, height: 900 } });
    try {
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      await openView(page, server.address, view);

      const { violations } = await new AxeBuilder({ page }).analyze();
      const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
      expect(found).toEqual([]);
      expect(complaints).toEqual([]);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow).toBe(0);
    } finally {
      await context.close();
      await server.close();
    }
  });
});
