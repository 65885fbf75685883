import type { Browser } from 'playwright';
import { serveWindow } from '../../support/window-server.ts';
import { openView } from '../../support/window-view.ts';
import { views } from '../../support/window-views.ts';
import { takePictures } from './camera.ts';
import { takeSampleSite } from './sample-site.ts';

/** What neither the demo nor a first start shows: hostile or endless names, tunnels, errors of other servers, a site's folder, and Cloudflare. */
const unusual = new Set([
  'sign-ins',
  'apps',
  'media-details',
  'posts-open',
  'write-conflict',
  'write-unsaved',
  'import-checked',
  'import-done',
  'webmentions',
  'overview-unreachable',
  'overview-reconnecting',
  'reach-named',
  'reach-connected',
  'reach-downloading',
  'reach-flags',
  'folder-found',
  'folder-found-plain',
  'folder-refused',
  'folder-trouble',
  'folder-replace',
  'overview-folder-trouble',
  'posts-building',
  'cloudflare-token-refused',
  'cloudflare-address',
  'cloudflare-name-taken',
  'cloudflare-working',
  'cloudflare-unfinished',
  'cloudflare-done',
  'cloudflare-ready',
  'cloudflare-disconnect',
  'mailbox-off',
  'mailbox-awake',
  'mailbox-ready',
  'mailbox-unreachable',
  'mailbox-foreign',
  'overview-arrived',
  'overview-mailbox-trouble',
  'webmentions-importing',
  'webmentions-import-failed',
  'welcome-found',
  'welcome-finished',
  'welcome-reach-tailscale',
  'welcome-reach-quick-home',
]);

/** Takes what only prepared data can show: screenshots/edge-*.png. */
export async function takeEdgeCases(browser: Browser): Promise<void> {
  for (const view of views.filter(({ name }) => unusual.has(name))) {
    const server = await serveWindow(view.house(Date.now()));
    const page = await browser.newPage();
    await openView(page, server.address, view);
    await takePictures(page, `edge-${view.name}`);
    await page.close();
    await server.close();
  }
  await takeSampleSite(browser);
}
