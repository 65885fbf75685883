import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from '../support/axe.ts';
import { openBrowser } from '../support/browser.ts';
import { launchChromium } from '../support/chromium.ts';
import { openSite, page as html, type Site } from '../support/client-app.ts';
import { openEdge, type Edge } from '../support/fake-edge.ts';
import { startPorchlight, type Porchlight } from '../support/porchlight.ts';
import { ask, authorizationUrl, signInRequest } from '../support/sign-in.ts';
import { layoutFaults } from '../support/window-layout.ts';
import { motionOn, watchMotion } from '../support/window-motion.ts';

let chromium: Browser;
let context: BrowserContext;
let edge: Edge;
let porchlight: Porchlight;
let app: Site;

beforeAll(async () => {
  chromium = await launchChromium();
  const contextOptions = {
    colorScheme: 'light',
    reducedMotion: 'reduce',
    viewport: { width: 800, height: 900 },
  } as const;
  context = await chromium.newContext(contextOptions);
  await watchMotion(context);
  let target = '';
  edge = await openEdge(() => target);
  porchlight = await startPorchlight({ baseUrl: edge.origin });
  target = `http://127.0.0.1:${(await porchlight.call('status.get', {})).port ?? 0}`;
  await porchlight.call('settings.update', { profile: { name: 'Robin Marlow' } });
  app = await openSite();
  app.pages.set(
    '/',
    html(`<div class="h-app"><a class="u-url p-name" href="/">${'Marginalia '.repeat(6)}</a></div>`),
  );
  app.pages.set('/callback', html('<h1>Back at the app</h1>'));
});
afterAll(async () => {
  await chromium.close();
  await porchlight.remove();
  await edge.close();
  await app.close();
});

const requestAddress = (changes: Record<string, string | undefined> = {}) =>
  authorizationUrl(
    edge.origin,
    signInRequest(app.origin, { scope: 'profile email create media channels', ...changes }),
  );

/** Asks for a sign-in, up to the page that waits for the owner. */
async function wait(visitor: Page): Promise<void> {
  await visitor.goto(requestAddress());
  await visitor.getByRole('button', { name: 'Ask on my computer' }).click();
  await visitor.waitForURL(/\/auth\/requests\/./);
}

/** Starts a test sign-in and returns the addresses of its app. */
async function testApp(): Promise<{ clientId: string; redirectUri: string }> {
  const { searchParams } = new URL((await porchlight.call('setup.testSignIn', {})).url);
  return {
    clientId: searchParams.get('client_id') ?? '',
    redirectUri: searchParams.get('redirect_uri') ?? '',
  };
}

/** Makes a test sign-in, up to the page after the owner's answer. */
async function testSignIn(visitor: Page, decide: 'signIns.approve' | 'signIns.deny'): Promise<void> {
  const { url } = await porchlight.call('setup.testSignIn', {});
  await visitor.goto(url);
  await visitor.getByRole('button', { name: 'Ask on my computer' }).click();
  await visitor.locator('#match-code').waitFor();
  const id = new URL(visitor.url()).pathname.split('/').at(-1) ?? '';
  if (decide === 'signIns.deny') await porchlight.call(decide, { id });
  else await porchlight.call(decide, { id, scopes: ['profile'] });
  await visitor.waitForURL(/\/done\?/);
}

interface PublicPage {
  readonly title: string;
  readonly show: (visitor: Page) => Promise<unknown>;
  /** The server is off. */
  readonly off?: true;
}

const longAddress = `https://marginalia.example/${'a-path-without-a-break-in-it'.repeat(8)}`;

const pages: readonly PublicPage[] = [
  { title: 'Sign in to Marginalia Marginalia', show: (visitor) => visitor.goto(requestAddress()) },
  {
    title: 'Sign in to Marginalia Marginalia',
    show: async (visitor) => {
      await porchlight.call('settings.update', { signIn: { allowWithoutPkce: true } });
      const bare = { scope: undefined, code_challenge: undefined, code_challenge_method: undefined };
      await visitor.goto(requestAddress(bare));
      await visitor.getByText(/PKCE/).waitFor();
    },
  },
  { title: 'Now look at your computer', show: wait },
  {
    title: 'Now look at your computer',
    show: async (visitor) => {
      await visitor.route('**/state*', (route) => route.abort());
      await wait(visitor);
      await visitor.getByText('Porchlight is turned off or asleep.').waitFor();
    },
  },
  {
    title: 'This sign-in is no longer waiting',
    show: async (visitor) => {
      await visitor.route('**/state*', (route) => route.fulfill({ status: 404, json: { state: 'over' } }));
      await wait(visitor);
    },
  },
  {
    title: 'This sign-in was replaced',
    show: async (visitor) => {
      await visitor.setExtraHTTPHeaders({ 'cf-connecting-ip': '192.0.2.1' });
      await wait(visitor);
      for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.3', '192.0.2.4']) {
        const other = openBrowser(edge.origin, { 'cf-connecting-ip': address });
        await ask({ base: edge.origin }, signInRequest(app.origin), other);
      }
    },
  },
  {
    title: 'No sign-in is waiting here',
    show: (visitor) => visitor.goto(`${edge.origin}/auth/requests/ended`),
  },
  {
    title: 'This sign-in can’t continue',
    show: (visitor) => visitor.goto(requestAddress({ response_type: 'token' })),
  },
  {
    title: 'This sign-in can’t continue',
    show: (visitor) => visitor.goto(requestAddress({ redirect_uri: longAddress })),
  },
  {
    title: 'That didn’t work',
    show: async (visitor) => {
      await visitor.goto(requestAddress());
      await visitor.context().clearCookies();
      await visitor.getByRole('button').click();
    },
  },
  { title: 'Page not found', show: (visitor) => visitor.goto(`${edge.origin}/nothing`) },
  {
    title: 'Porchlight test app',
    show: async (visitor) => visitor.goto((await testApp()).clientId),
  },
  { title: 'Your sign-in works', show: (visitor) => testSignIn(visitor, 'signIns.approve') },
  { title: 'You declined the sign-in', show: (visitor) => testSignIn(visitor, 'signIns.deny') },
  {
    title: 'The test sign-in failed',
    show: async (visitor) => {
      return visitor.goto(`${(await testApp()).redirectUri}?code=made-up&state=wrong`);
    },
  },
  { title: 'This test is over', show: (visitor) => visitor.goto(`${edge.origin}/test-sign-in/unknown`) },
  { title: 'Robin Marlow', show: (visitor) => visitor.goto(`${edge.origin}/`) },
  {
    title: 'Robin Marlow’s site is off right now',
    off: true,
    show: (visitor) => visitor.goto(`${edge.origin}/`),
  },
  {
    title: 'Robin Marlow’s site is off right now',
    off: true,
    show: (visitor) => visitor.goto(`${edge.origin}/auth/requests/my-sign-in`),
  },
];

describe('the public pages', () => {
  test.each(pages)(
    '“$title” has nothing that axe finds in light and dark, fits 320 px and double zoom, and moves nothing',
    async ({ title, show, off }) => {
      if (off) await porchlight.call('server.turnOff', {});
      const visitor = await context.newPage();
      try {
        await show(visitor);
        await visitor.getByRole('heading', { level: 1, name: title }).waitFor();
        expect(await axeFindings(visitor)).toEqual([]);
        await visitor.emulateMedia({ colorScheme: 'dark' });
        expect(await axeFindings(visitor, ['color-contrast'])).toEqual([]);
        for (const width of [800, 640, 320]) {
          await visitor.setViewportSize({ width, height: 900 });
          expect(await layoutFaults(visitor), `${width} px wide`).toEqual([]);
        }
        expect(await motionOn(visitor)).toEqual([]);
      } finally {
        await visitor.close();
        // Few sign-ins may wait at a time.
        for (const { id } of await porchlight.call('signIns.list', {}))
          await porchlight.call('signIns.deny', { id });
        if (off) await porchlight.call('server.turnOn', {});
      }
    },
  );

  test('a sign-in page that finds the server off continues when it is back', async () => {
    await porchlight.call('server.turnOff', {});
    const visitor = await context.newPage();
    await visitor.clock.install();
    await visitor.goto(`${edge.origin}/auth/requests/my-sign-in`);
    const off = visitor.getByRole('heading', { name: 'Robin Marlow’s site is off right now' });
    await off.waitFor();
    const checked = visitor.waitForResponse('**/state?now');
    await visitor.clock.fastForward(10_000);
    expect((await checked).status()).toBe(503);
    expect(await off.isVisible()).toBe(true);
    await porchlight.call('server.turnOn', {});
    await visitor.clock.fastForward(10_000);
    await visitor.getByRole('heading', { name: 'No sign-in is waiting here' }).waitFor();
    await visitor.close();
  });
});
