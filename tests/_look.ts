import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { launchChromium } from './support/chromium.ts';
import { sampleMedia, sampleMediaRoutes } from './support/site-sample-media.ts';
import { sampleResponses } from './support/site-responses.ts';
import { sampleSite } from './support/site-sample.ts';
import { memoryPosts, serveSite, ann } from './support/site.ts';

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"><rect width="400" height="400" fill="#b9cfd8"/><circle cx="200" cy="165" r="85" fill="#e8b98f"/><path d="M110 150q20-110 180-40q10 60-10 40q-60-60-170 0z" fill="#5a3825"/><path d="M40 400q20-150 160-150t160 150z" fill="#37596b"/></svg>`;
const bytes = await sharp(Buffer.from(svg)).webp().toBuffer();
const settings = {
  title: '',
  tagline: 'Carpenter, gardener, keeper of a small porch in Ghent.',
  about:
    'I write about wood, slow weekends and the people who stop by. Say hello — the light is **on**. [More about me](/about).',
  accent: '',
  timeZone: 'Europe/Brussels',
  links: [
    { label: 'GitHub', url: 'https://github.example/robin' },
    { label: 'Mastodon', url: 'https://social.example/@robin' },
    { label: 'Email', url: 'https://robin.example/contact' },
  ],
  pages: [
    {
      slug: 'about',
      title: 'About',
      text: 'I am **Robin Marlow**. I restore old houses.\n\nOn this site you find notes from the workshop, longer articles, and photos of the hills behind the house.\n\n## This site\n\nIt runs on the computer under my stairs. [Porchlight](https://porchlight.example/) keeps it there.\n\n- Notes most days\n- Articles once a month\n\n> A porch is neither in nor out.\n',
    },
    { slug: 'now', title: 'Now', text: 'Sanding.' },
  ],
};
const list = process.argv.slice(3);
const out = process.argv[2];
const browser = await launchChromium();
const themes = (process.env['THEMES'] ?? 'porch,paper,garden').split(',');
const modes = (process.env['MODES'] ?? 'light-390,light-1440,dark-390,dark-1440').split(',');
for (const theme of themes) {
  const site = await serveSite(process.env['EMPTY'] ? [] : memoryPosts(sampleSite), {
    profile: { ...ann, name: 'Robin Marlow', photo: '' },
    settings: { ...settings, theme: theme as 'porch' },
    media: sampleMedia,
    responses: sampleResponses,
    beside: sampleMediaRoutes,
    photo: () => Promise.resolve({ name: '0123456789abcdef.webp', bytes }),
  });
  for (const mode of modes) {
    const [scheme, width] = mode.split('-');
    const page = await browser.newPage({
      colorScheme: scheme as 'light',
      viewport: { width: Number(width), height: Number(width) === 390 ? 844 : 900 },
    });
    await page.route('**/photo/*', (route) => route.fulfill({ contentType: 'image/webp', body: bytes }));
    for (const path of list) {
      await page.goto(site.base + path);
      await page.screenshot({
        path: `${out}/${theme}-${mode}${path.replaceAll('/', '_')}.png`,
        fullPage: process.env['FULL'] === '1',
      });
    }
    await page.close();
  }
  await site.close();
}
await browser.close();
