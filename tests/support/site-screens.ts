import path from 'node:path';
import type { Browser } from 'playwright';
import { sampleMedia, sampleMediaRoutes } from './site-sample-media.ts';
import { sampleResponses } from './site-responses.ts';
import { sampleSite } from './site-sample.ts';
import { ann, serveSite } from './site.ts';

/** What is shown narrow and wide; the rest at one width. */
const both = ['home', 'article', 'photo', 'responses', 'replies'];
const pages = [
  ...['note', 'article', 'photo', 'photos-two', 'photos-three', 'photos', 'video', 'audio', 'reply', 'like'],
  ...['repost', 'bookmark', 'rsvp', 'event', 'checkin', 'right-to-left', 'long-words', 'gone'],
];
const addresses: Readonly<Record<string, string>> = {
  home: '/',
  category: '/categories/porch',
  responses: '/posts/2026/11/answered',
  replies: '/posts/2026/11/answered?responses=2#response-response-2',
  invited: '/posts/2026/11/invited',
  ...Object.fromEntries(pages.map((slug) => [slug, `/posts/2026/11/${slug}`])),
};

/** Takes pictures of the sample site, light and dark, into `folder`. */
export async function pictureSite(chromium: Browser, folder: string): Promise<void> {
  const profile = { ...ann, name: 'Ann Marlow', photo: '' };
  const site = await serveSite(sampleSite, {
    profile,
    media: sampleMedia,
    responses: sampleResponses,
    beside: sampleMediaRoutes,
  });
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [800, 1440]) {
        const context = await chromium.newContext({ colorScheme, viewport: { width, height: 900 } });
        const page = await context.newPage();
        for (const [name, address] of Object.entries(addresses)) {
          if (width === 1440 && !both.includes(name)) continue;
          await page.goto(site.base + address, { waitUntil: 'load' });
          await page.evaluate(picturesInSight);
          const file = path.join(folder, `site-${name}-${colorScheme}-${width}.png`);
          await page.screenshot({ path: file, animations: 'disabled' });
        }
        await context.close();
      }
    }
  } finally {
    await site.close();
  }
}

/** Resolves once the pictures on the screen are there: they are loaded when they are needed. */
async function picturesInSight(): Promise<void> {
  const inSight = [...document.images].filter((one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  });
  await Promise.all(inSight.map((one) => one.decode()));
}
