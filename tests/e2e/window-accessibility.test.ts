import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { screens } from '../../src-main/contract/window.ts';
import {
  hashOf,
  restoreHash,
  routeIn,
  settingsHash,
  settingsPages,
  welcomeHash,
  welcomeSteps,
} from '../../src-renderer/routes.ts';
import { createAxeMemory, haveAxe } from '../support/axe.ts';
import { launchChromium } from '../support/chromium.ts';
import { layoutFaults } from '../support/window-layout.ts';
import { motionOn, watchMotion } from '../support/window-motion.ts';
import { serveWindow, type WindowServer } from '../support/window-server.ts';
import { comeToRest, openView, type View } from '../support/window-view.ts';
import { views } from '../support/window-views.ts';

const usual = { width: 800, height: 900 };
/** A wide window at a zoom of 200%, and the narrowest that has to work (WCAG 1.4.10). */
const widths = [640, 320];

const axe = createAxeMemory();
let browser: Browser;
let context: BrowserContext;
beforeAll(async () => {
  browser = await launchChromium({ draws: false });
  context = await browser.newContext({
    colorScheme: 'light',
    reducedMotion: 'reduce',
    viewport: usual,
  });
  await watchMotion(context);
  await haveAxe(context);
});
afterAll(async () => {
  await browser.close();
  await Promise.all(idle.map(({ server }) => server.close()));
});

interface Place {
  readonly page: Page;
  readonly server: WindowServer;
}

/** Places of former views. A page keeps its process, which has the window of this server compiled. */
const idle: Place[] = [];

/** Returns a page that looks like a new one, with the key unless the view is locked, and a server of the view's house. */
async function aPlace(view: View): Promise<Place> {
  const house = view.house(Date.now());
  const place = view.locked === true ? undefined : idle.pop();
  if (place === undefined) {
    const page = await context.newPage();
    if (view.locked !== true) await page.addInitScript(keepKey);
    return { page, server: await serveWindow(house) };
  }
  place.server.show(house);
  await place.page.emulateMedia({ colorScheme: 'light' });
  await place.page.setViewportSize(usual);
  return place;
}

/** Runs in the page: its tab has the key, as after a reload. */
function keepKey(): void {
  if (location.protocol === 'http:') sessionStorage.setItem('porchlight.ownerKey', 'the-owner-key');
}

/** Deletes the databases of an origin that no page has open. */
async function forgetStored(page: Page, origin: string): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
  await session.detach();
}

/** The part of an address that decides what the window shows. */
function routeOf(hash: string): string {
  const [path = '', query] = hash.split('?', 2);
  if (path === '#/welcome') return `${path}?step=${new URLSearchParams(query).get('step') ?? ''}`;
  return path === '#/' ? hashOf(routeIn(path).screen) : path;
}

describe('the list of views', () => {
  const listed = new Set(views.map(({ hash }) => routeOf(hash)));

  test.each([
    ...screens.map((screen) => hashOf(screen)),
    ...settingsPages.map((page) => settingsHash(page)),
    ...welcomeSteps.map((step) => welcomeHash(step)),
    restoreHash,
  ])('shows %s', (route) => {
    expect(listed).toContain(route);
  });

  test('names each view once', () => {
    expect(new Set(views.map(({ name }) => name)).size).toBe(views.length);
  });
});

describe('the window', () => {
  test('a fault is found, also one that only the dark mode has', async () => {
    const page = await context.newPage();
    await page.setContent(
      '<html lang="en"><title>-</title><style>body{background:#fff}@media(prefers-color-scheme:dark){body{background:#222}}</style><main><h1 style="color:#333">Words</h1><img></main>',
    );
    const fresh = createAxeMemory();
    expect((await fresh.all(page)).join()).toMatch(/image-alt/);
    await page.evaluate(() => document.images[0]?.remove());
    expect(await fresh.all(page)).toEqual([]);
    expect(await fresh.looks(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect((await fresh.looks(page)).join()).toMatch(/color-contrast/);
    expect((await fresh.all(page)).join()).toMatch(/color-contrast/);
    await page.emulateMedia({ colorScheme: 'light' });
    // The same text, on another background of a parent.
    await page.evaluate(() => (document.querySelector('main')!.style.background = '#444'));
    expect((await fresh.looks(page)).join()).toMatch(/color-contrast/);
    await page.close();
  });

  test('text that does not fit is found, and motion too', async () => {
    const page = await context.newPage();
    const faulty = `<style>@keyframes turn{to{rotate:1turn}} b{transition:color 1s}</style>
      <p style="width:2000px">wide</p><p style="width:40px;overflow:hidden;white-space:nowrap">a long line</p>
      <p style="height:20px;overflow:hidden">one<br>two</p><i style="animation:turn 2s infinite">x</i><b>y</b>`;
    // setContent would take away what watches the page.
    await page.goto(`data:text/html,${encodeURIComponent(faulty)}`);
    expect((await layoutFaults(page)).map((fault) => fault.split(' px')[0])).toEqual([
      expect.stringMatching(/^the page is \d+$/),
      'cut off sideways: a long line',
      'cut off down: two',
    ]);
    await page.locator('b').evaluate((element) => (element.style.color = 'red'));
    await expect
      .poll(() => motionOn(page))
      .toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^animationstart/),
          expect.stringMatching(/^transitionrun/),
          'I.',
          'B.',
        ]),
      );
    await page.close();
  });

  // Only colours differ in dark mode, so only they are checked there.
  test.concurrent.each(views)(
    '$name has nothing that axe finds in light and dark, fits 320 px and double zoom, and moves nothing where motion is unwanted',
    async (view) => {
      const place = await aPlace(view);
      const { page, server } = place;
      const complaints: string[] = [];
      const hear = (message: ConsoleMessage) => {
        if (message.type() === 'error') complaints.push(message.text());
      };
      const catchError = (error: Error) => complaints.push(error.message);
      page.on('console', hear).on('pageerror', catchError);
      try {
        await openView(page, new URL(server.address).origin, view);

        expect(await axe.all(page)).toEqual([]);
        expect(await layoutFaults(page)).toEqual([]);
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
        await comeToRest(page);
        expect(await axe.looks(page)).toEqual([]);
        const unfit: string[] = [];
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 });
          await comeToRest(page);
          unfit.push(...(await layoutFaults(page)).map((fault) => `${width} px: ${fault}`));
        }
        expect(unfit).toEqual([]);
        expect(await motionOn(page)).toEqual([]);
        if (view.faulty !== true) expect(complaints).toEqual([]);
        page.off('console', hear).off('pageerror', catchError);
        await page.unrouteAll();
        // The page keeps unsaved text for the next one in its tab, after this line has run and before it is left.
        await page.evaluate(() => addEventListener('pagehide', () => sessionStorage.clear()));
        await page.goto('about:blank');
        // The browser keeps unsaved posts, too, and the next page would open the editor with them.
        await forgetStored(page, new URL(server.address).origin);
        // The desktop's bridge stays in a page for good, and so does the lack of a key.
        if (view.desktop !== true && view.locked !== true) idle.push(place);
      } finally {
        if (!idle.includes(place)) {
          await page.close();
          await server.close();
        }
      }
    },
  );
});
