import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright';
import { launchChromium } from '../support/chromium.ts';
import { openSite, page, type Site } from '../support/client-app.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { authorizationUrl, signInRequest } from '../support/sign-in.ts';
import { pictureSite } from '../support/site-screens.ts';

/** Takes pictures of what the public side shows to people: part of `npm run screenshots`. */

const folder = path.join(import.meta.dirname, '../../screenshots');
const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#2a6f6b"/><path d="M16 46V18l16 18 16-18v28" fill="none" stroke="#fff" stroke-width="7" stroke-linejoin="round"/></svg>`;

async function openApp(): Promise<Site> {
  const app = await openSite();
  const clientId = `${app.origin}/client.json`;
  app.pages.set('/logo.svg', page(logo, { 'content-type': 'image/svg+xml' }));
  app.pages.set(
    '/client.json',
    page(
      JSON.stringify({
        client_id: clientId,
        client_name: 'Marginalia',
        client_uri: `${app.origin}/`,
        logo_uri: `${app.origin}/logo.svg`,
        redirect_uris: [`${app.origin}/callback`],
      }),
      { 'content-type': 'application/json' },
    ),
  );
  return app;
}

interface Scene {
  readonly name: string;
  readonly show: (visitor: Page) => Promise<unknown>;
}

function scenes({ ready }: HeadlessProcess, app: Site): Scene[] {
  const request = (changes: Record<string, string | undefined> = {}) =>
    authorizationUrl(
      ready.baseUrl,
      signInRequest(app.origin, {
        client_id: `${app.origin}/client.json`,
        scope: 'profile email create media channels',
        ...changes,
      }),
    );
  return [
    { name: 'request', show: (visitor) => visitor.goto(request()) },
    {
      name: 'waiting',
      show: async (visitor) => {
        await visitor.goto(request());
        await visitor.getByRole('button').click();
        await visitor.locator('#match-code').waitFor();
      },
    },
    {
      name: 'fault',
      show: (visitor) => visitor.goto(request({ response_type: 'token' })),
    },
    {
      name: 'refused',
      show: (visitor) => visitor.goto(request({ redirect_uri: 'https://elsewhere.example/' })),
    },
  ];
}

await mkdir(folder, { recursive: true });
const porchlight = await startHeadless({
  args: ['--allow-private-fetch', '--me', 'https://marlow.example/'],
});
await porchlight.call('settings.update', { profile: { name: 'Ada Marlow' } });
const app = await openApp();
const chromium = await launchChromium();
for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [800, 1440]) {
    for (const { name, show } of scenes(porchlight, app)) {
      const context = await chromium.newContext({ colorScheme, viewport: { width, height: 760 } });
      const visitor = await context.newPage();
      await show(visitor);
      await visitor.screenshot({ path: path.join(folder, `public-${name}-${colorScheme}-${width}.png`) });
      await context.close();
    }
  }
}
await pictureSite(chromium, folder);
await chromium.close();
await porchlight.remove();
await app.close();
