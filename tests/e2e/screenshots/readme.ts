import type { Page } from 'playwright';
import { openView } from '../../support/window-view.ts';
import { takeNow } from './camera.ts';

interface Image {
  readonly name: string;
  readonly hash: string;
  readonly size: { readonly width: number; readonly height: number };
}

export const demoImages: readonly Image[] = [
  { name: 'porch', hash: '#/', size: { width: 1200, height: 860 } },
  { name: 'webmentions', hash: '#/webmentions', size: { width: 1200, height: 860 } },
];
export const firstStartImages: readonly Image[] = [
  { name: 'setup-reach', hash: '#/welcome?step=reach', size: { width: 1000, height: 860 } },
];

/** Takes images for README of the window at `address`: screenshots/readme-*.png. */
export async function takeReadme(page: Page, address: string, images: readonly Image[]): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  for (const { name, hash, size } of images) {
    await page.goto('about:blank');
    await page.setViewportSize(size);
    await openView(page, address, { hash });
    await takeNow(page, `readme-${name}`);
  }
}
