import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright';
import { openSite, page as sitePage } from '../../support/client-app.ts';
import { startHeadless } from '../../support/headless-process.ts';
import { takeScenes, windowOf } from './demo-window.ts';
import { firstStartImages, takeReadme } from './readme.ts';

const quiet = ['sign-ins', 'apps', 'posts', 'media', 'webmentions', 'activity', 'data', 'setup'];

/** Takes the wizard and the empty screens of a Porchlight that just started for the first time. */
export async function takeFirstStart(browser: Browser): Promise<void> {
  const page = await browser.newPage();
  const porchlight = await startHeadless({ args: ['--allow-private-fetch'] });
  const site = await openSite('localhost');
  try {
    await takeScenes(page, windowOf(porchlight), [
      { name: 'welcome', hash: '#/' },
      {
        name: 'welcome-no-website',
        hash: '#/',
        prepare: (page) => page.getByRole('radio', { name: 'No' }).check(),
      },
      {
        name: 'welcome-profile',
        hash: '#/',
        prepare: async (page) => {
          await page.getByLabel('Your domain').fill('http://robin.localhost/');
          await page.keyboard.press('Enter');
          await page.getByRole('heading', { level: 1, name: 'Your profile' }).waitFor();
        },
      },
    ]);
    site.pages.set('/', sitePage('<head><title>Robin Vale</title></head><p class="h-card">Robin Vale</p>'));
    await porchlight.call('settings.update', { profile: { me: `${site.origin}/`, name: 'Robin Vale' } });
    await takeReadme(page, windowOf(porchlight), firstStartImages);
    await takeScenes(page, windowOf(porchlight), [
      { name: 'welcome-reach', hash: '#/welcome?step=reach' },
      {
        name: 'welcome-links',
        hash: '#/welcome?step=links',
        prepare: (page) => page.getByText(/doesn’t point to this Porchlight yet/).waitFor(),
      },
      {
        name: 'welcome-done',
        hash: '#/welcome?step=done',
        prepare: (page) => page.getByText(/Last checked/).waitFor(),
      },
      { name: 'overview-quiet', hash: '#/' },
      ...quiet.map((screen) => ({ name: `${screen}-quiet`, hash: `#/${screen}` })),
    ]);
  } finally {
    await porchlight.remove();
    await site.close();
    await page.close();
  }
}

/** Takes the overview of a Porchlight whose port another program uses. */
export async function takeTakenPort(browser: Browser): Promise<void> {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const porchlight = await startHeadless({ args: ['--port', String(port)] });
  const page = await browser.newPage();
  try {
    await porchlight.call('settings.update', {
      profile: { me: 'https://robin.example/', name: 'Robin Vale' },
    });
    await takeScenes(page, windowOf(porchlight), [{ name: 'overview-trouble', hash: '#/' }]);
  } finally {
    await page.close();
    await porchlight.remove();
    other.close();
  }
}
