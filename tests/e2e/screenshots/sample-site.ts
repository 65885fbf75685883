import type { Browser } from 'playwright';
import { sampleMedia, sampleMediaRoutes } from '../../support/site-sample-media.ts';
import { sampleSite } from '../../support/site-sample.ts';
import { ann, serveSite } from '../../support/site.ts';
import { takePictures } from './camera.ts';

/** The posts that the demo's apps don't write. */
const slugs = [
  'photos-two',
  'photos-three',
  'photos',
  'video',
  'audio',
  'event',
  'checkin',
  'right-to-left',
  'long-words',
  'gone',
];

/** Takes unusual posts of the sample site: screenshots/edge-site-*.png. */
export async function takeSampleSite(browser: Browser): Promise<void> {
  const profile = { ...ann, name: 'Ann Marlow', photo: '' };
  const site = await serveSite(sampleSite, { profile, media: sampleMedia, beside: sampleMediaRoutes });
  const page = await browser.newPage();
  try {
    for (const slug of slugs) {
      await page.goto(`${site.base}/posts/2026/11/${slug}`);
      await takePictures(page, `edge-site-${slug}`);
    }
  } finally {
    await page.close();
    await site.close();
  }
}
