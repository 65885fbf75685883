import { join } from 'node:path';
import type { Page } from 'playwright';
import type { HeadlessProcess } from '../../support/headless-process.ts';
import { openView } from '../../support/window-view.ts';
import { folder, picturesInSight, takeNow } from './camera.ts';

interface Image {
  readonly name: string;
  readonly hash: string;
  readonly size: { readonly width: number; readonly height: number };
  readonly prepare?: (page: Page) => Promise<unknown>;
}

export const demoImages: readonly Image[] = [
  { name: 'overview', hash: '#/', size: { width: 1200, height: 860 } },
  { name: 'webmentions', hash: '#/webmentions', size: { width: 1200, height: 860 } },
];
export const firstStartImages: readonly Image[] = [
  { name: 'setup-reach', hash: '#/welcome?step=reach', size: { width: 1000, height: 900 } },
];

/** Takes images for README of the window at `address`: screenshots/readme-*.png. */
export async function takeReadme(page: Page, address: string, images: readonly Image[]): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  for (const { name, hash, size, prepare } of images) {
    await page.goto('about:blank');
    await page.setViewportSize(size);
    await openView(page, address, { hash, ...(prepare && { prepare }) });
    await takeNow(page, `readme-${name}`);
  }
}

/** Takes the demo's home page in each theme, side by side: screenshots/readme-themes.png. */
export async function takeThemes(page: Page, demo: HeadlessProcess): Promise<void> {
  const size = { width: 400, height: 760 };
  const pictures: string[] = [];
  await page.setViewportSize(size);
  for (const theme of ['paper', 'garden', 'porch'] as const) {
    await demo.call('settings.update', { site: { theme } });
    await page.goto(demo.ready.baseUrl);
    await page.evaluate(picturesInSight);
    pictures.push((await page.screenshot()).toString('base64'));
  }
  await page.setViewportSize({ width: 3 * size.width + 2 * 16, height: size.height });
  await page.goto('about:blank');
  await page.setContent(
    `<body style="margin: 0; display: flex; gap: 16px">${pictures
      .map((picture) => `<img src="data:image/png;base64,${picture}">`)
      .join('')}`,
  );
  await page.evaluate(picturesInSight);
  await page.screenshot({ path: join(folder, 'readme-themes.png'), omitBackground: true });
}
