/**
 * Takes a picture of every screen, light and dark, narrow and wide: screenshots/, which git ignores. README's images are
 * the ones named readme-*, copied to docs/images.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright';
import { launchChromium } from '../support/chromium.ts';
import { whyNoDesktop } from '../support/electron-app.ts';
import { startHeadless } from '../support/headless-process.ts';
import { folder } from './screenshots/camera.ts';
import { takeDeletedPost, takeDemoSite } from './screenshots/demo-site.ts';
import { takeChanges, takeDemoWindow, windowOf, writeArticle } from './screenshots/demo-window.ts';
import { takeDesktop } from './screenshots/desktop.ts';
import { takeEdgeCases } from './screenshots/edge-cases.ts';
import { takeFirstStart, takeTakenPort } from './screenshots/first-start.ts';
import { demoImages, takeReadme, takeThemes } from './screenshots/readme.ts';

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const browser = await launchChromium();
try {
  await takeDemo(browser);
  await takeFirstStart(browser);
  await takeTakenPort(browser);
  await takeEdgeCases(browser);
} finally {
  await browser.close();
}
const reason = whyNoDesktop();
if (reason === undefined) await takeDesktop();
else console.log(`No pictures of the desktop app: ${reason}.`);

async function takeDemo(browser: Browser): Promise<void> {
  const demo = await startHeadless({ demo: true });
  const place = await mkdtemp(join(tmpdir(), 'porchlight-screenshots-'));
  const page = await browser.newPage();
  try {
    await takeReadme(page, windowOf(demo), [
      ...demoImages,
      { name: 'editor', hash: '#/write', size: { width: 1440, height: 1130 }, prepare: writeArticle },
    ]);
    await takeThemes(page, demo);
    await takeDemoWindow(page, demo);
    await takeDemoSite(page, demo);
    await takeDeletedPost(page, demo);
    await takeChanges(page, demo, place);
  } finally {
    await page.close();
    await demo.remove();
    await rm(place, { recursive: true, force: true });
  }
}
