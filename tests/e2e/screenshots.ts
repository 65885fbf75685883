/** Takes a picture of every view of the window, light and dark, narrow and wide: screenshots/, which git ignores. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { launchChromium } from '../support/chromium.ts';
import { serveWindow } from '../support/window-server.ts';
import { openView, type View } from '../support/window-view.ts';
import { views } from '../support/window-views.ts';

const folder = join(import.meta.dirname, '../../screenshots');
await mkdir(folder, { recursive: true });
const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [800, 1440].map((width) => ({ colorScheme, width })),
);
const browser = await launchChromium();
try {
  for (const view of views) {
    await Promise.all(looks.map((look) => takePicture(view, look)));
    console.log(view.name);
  }
} finally {
  await browser.close();
}

async function takePicture(view: View, { colorScheme, width }: (typeof looks)[number]): Promise<void> {
  const server = await serveWindow(view.house(Date.now()));
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
  await openView(page, server.address, view);
  // The window as tall as what it shows, so that the sidebar reaches down too.
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height });
  const path = join(folder, `${view.name}-${colorScheme}-${width}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  await page.close();
  await server.close();
}
