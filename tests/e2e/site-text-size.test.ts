import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { themes } from '../../src-main/site/themes.ts';
import { launchChromium } from '../support/chromium.ts';
import { ann, postOf, serveSite } from '../support/site.ts';
import { layoutFaults } from '../support/window-layout.ts';

let chromium: Browser;
beforeAll(async () => {
  chromium = await launchChromium({ draws: false });
});
afterAll(() => chromium.close());

const posts = [
  postOf({ name: ['Fog'], content: ['Fog. '.repeat(20)], photo: ['https://ann.example/fog.jpg'] }),
  postOf({ content: ['I read https://ann.example/posts/2026/11/fog today'] }, { slug: 'note' }),
];
const name = 'Bartholomew Featherstonehaugh-Cholmondeley';

test.each(Object.keys(themes) as (keyof typeof themes)[])(
  'the theme %s fits if only the text is enlarged to 200 %, and a long name has the whole width',
  async (theme) => {
    const site = await serveSite(posts, { profile: { ...ann, name }, settings: { theme } });
    const context = await chromium.newContext({ bypassCSP: true });
    const page = await context.newPage();
    const faults: string[] = [];
    for (const width of [390, 800, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of [...posts.map((post) => post.path), '/']) {
        await page.goto(`${site.base}${path}`);
        // Unlike a larger font of the browser, this leaves the widths of media queries as they are.
        await page.addStyleTag({ content: 'html { font-size: 200% }' });
        faults.push(...(await layoutFaults(page)).map((fault) => `${width} px, ${path}: ${fault}`));
      }
      if (width > 390) continue;
      const below = await page.evaluate(() => {
        const boxOf = (part: string) => document.querySelector(part)!.getBoundingClientRect();
        return boxOf('.owner h1').top - boxOf('.owner > :first-child').bottom;
      });
      expect(below).toBeGreaterThanOrEqual(0);
    }
    await context.close();
    await site.close();
    expect(faults).toEqual([]);
  },
);
