import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from '../../support/axe.ts';
import { launchChromium } from '../../support/chromium.ts';
import { layoutFaults } from '../../support/window-layout.ts';
import { serveWindow } from '../../support/window-server.ts';
import { openView } from '../../support/window-view.ts';
import { views } from '../../support/window-views.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium({ draws: false });
});
afterAll(() => browser.close());

// All views, in light and dark and in each width, are in window-accessibility.test.ts.
test.each(['overview', 'sign-ins', 'posts', 'webmentions', 'settings'])(
  'the screen %s has nothing that axe finds, and fits a narrow window',
  async (name) => {
    const view = views.find((one) => one.name === name)!;
    const server = await serveWindow(view.house(Date.now()));
    const page = await browser.newPage({
      reducedMotion: 'reduce',
      viewport: { width: 640, height: 900 },
    });
    try {
      await openView(page, server.address, view);
      expect(await axeFindings(page)).toEqual([]);
      expect(await layoutFaults(page)).toEqual([]);
    } finally {
      await page.close();
      await server.close();
    }
  },
);
