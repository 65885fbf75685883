import type { Browser, Page, Request } from 'playwright';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { screens, type Screen } from '../../src-main/contract/window.ts';
import { launchChromium } from '../support/chromium.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { drawing } from '../support/picture-samples.ts';
import { unescape } from '../support/browser.ts';
import { payloadPart, xssPayloads } from '../support/xss-payloads.ts';
import { tallWindow, watchBrowser, type Watched } from '../support/xss-watch.ts';
import * as planted from '../support/xss-scene.ts';

let house: HeadlessProcess;
let chromium: Browser;
let scene: planted.XssScene;
let posts: string[];
let whole: string;
let statuses: string[];
let files: string[];
/** What the public sees, and what the owner sees. */
let site: Watched;
let ownersWindow: Watched;
let sitePage: Page;
let windowPage: Page;
/** The requests of the window that have no answer yet. */
const awaited = new Set<Request>();
/** The screens that list who asked to sign in. */
const signInScreens: Screen[] = ['apps', 'sign-ins'];

// Minutes only where many others use the same computer.
vi.setConfig({ testTimeout: 480_000, hookTimeout: 480_000 });

beforeAll(async () => {
  house = await startHeadless({ args: ['--allow-private-fetch', '--me', 'https://owner.example/'] });
  chromium = await launchChromium({ draws: false });
  scene = await planted.openXssScene(house);
  whole = await planted.plantWholePost(scene);
  const png = await drawing().png().toBuffer();
  [posts, statuses, files] = await Promise.all([
    planted.plantPosts(scene),
    planted.plantMentions(scene, whole),
    planted.plantFiles(scene, png),
    planted.plantImports(scene, whole),
  ]);
  const own = [house.ready.baseUrl, house.ready.consoleUrl];
  site = await watchBrowser(chromium, own);
  ownersWindow = await watchBrowser(chromium, own);
  sitePage = await site.context.newPage();
  windowPage = await ownersWindow.context.newPage();
  watchAnswers(windowPage);
  await sitePage.goto(`${house.ready.baseUrl}/webmention`);
  await vi.waitUntil(async () => (await house.call('webmentions.process', {})).waiting === 0, {
    timeout: 360_000,
    interval: 500,
  });
});

afterAll(async () => {
  await chromium.close();
  await house.remove();
});

/** The payloads whose mark was seen nowhere, by field. */
function missing({ seen }: Watched, fields: readonly string[]): Record<string, string[]> {
  const found = fields.map((field) => {
    const isThere = (index: number) => seen.has(planted.markOf(index, field)) || isBare(field, index);
    return [
      field,
      planted.allPayloads.filter((index) => !isThere(index)).map((index) => xssPayloads[index] ?? ''),
    ] as const;
  });
  return Object.fromEntries(found.filter(([, payloads]) => payloads.length > 0));
}

/** A source with a template in it is kept as a bare link: nothing that it says of itself is shown. */
const isBare = (field: string, index: number) =>
  field.startsWith('m') && xssPayloads[index]?.includes('<template') === true;

/** Opens a screen of the window again. */
async function openWindow(page: Page, screen: string): Promise<void> {
  await page.goto('about:blank');
  // The browser doesn't always say how the requests of a page that is left ended.
  awaited.clear();
  await page.goto(`${house.ready.consoleUrl}/#key=${house.ready.ownerKey}`);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.evaluate((to) => (window.location.hash = `#/${to}`), screen);
  await page.getByRole('heading', { level: 1 }).waitFor();
  ownersWindow.shown.documents += 1;
}

/** Scrolls to the end of a screen, however much is read on the way. */
async function scrollThrough(): Promise<void> {
  for (let isEnd = false; !isEnd;) {
    await answered();
    await ownersWindow.noteShown(windowPage);
    const from = await scrollOn();
    await answered();
    // Once more: what came in meanwhile made the screen longer.
    isEnd = from === 'end' && (await scrollOn()) === 'end';
  }
  await ownersWindow.noteShown(windowPage);
}

/** Scrolls on by what is shown, and leaves the window the time to draw it and to ask for more. */
async function scrollOn(): Promise<'end' | 'further'> {
  return windowPage.evaluate(async () => {
    const before = window.scrollY;
    window.scrollBy(0, window.innerHeight * 0.9);
    for (let drawn = 0; drawn < 3; drawn += 1)
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)));
    return window.scrollY === before ? 'end' : 'further';
  });
}

/** Keeps `awaited` up to date. */
function watchAnswers(page: Page): void {
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/api/')) awaited.add(request);
  });
  page.on('requestfinished', (request) => awaited.delete(request));
  page.on('requestfailed', (request) => awaited.delete(request));
}

/** Waits until the window has all answers, and names those that are missing after a minute. */
const answered = () =>
  vi.waitFor(() => expect([...awaited].map((request) => request.url())).toEqual([]), {
    timeout: 180_000,
    interval: 10,
  });

interface Thing {
  readonly id: string;
  readonly text: string;
}

/** The things of a list whose text holds a mark of the field. */
async function idsOf(
  field: string,
  read: (cursor: { cursor?: string }) => Promise<{ things: Thing[]; nextCursor?: string | undefined }>,
): Promise<{ id: string; mark: string }[]> {
  const found: { id: string; mark: string }[] = [];
  for (let cursor: { cursor?: string } | undefined = {}; cursor;) {
    const { things, nextCursor } = await read(cursor);
    for (const { id, text } of things) {
      const [mark] = new RegExp(`xm\\d+${field}z`).exec(text) ?? [];
      if (mark !== undefined) found.push({ id, mark });
    }
    cursor = nextCursor === undefined ? undefined : { cursor: nextCursor };
  }
  return found;
}

/** Opens one thing of a screen after the other, and waits until what is beside the list shows its mark. */
async function openEach(
  page: Page,
  screen: string,
  things: readonly { id: string; mark: string }[],
): Promise<void> {
  await page.setViewportSize({ width: 1400, height: 900 });
  await openWindow(page, screen);
  for (let at = 0; at < things.length; at += 40) {
    const found = await page.evaluate(showEach, { screen, things: things.slice(at, at + 40) });
    ownersWindow.note(found);
    ownersWindow.shown.documents += 40;
  }
}

/** It runs in the window. A post is shown as the site shows it, in a shadow root. */
async function showEach(asked: {
  screen: string;
  things: readonly { id: string; mark: string }[];
}): Promise<string> {
  const hasPages = asked.screen === 'posts';
  let found = '';
  for (const { id, mark } of asked.things) {
    window.location.hash = `#/${asked.screen}?id=${encodeURIComponent(id)}`;
    const until = Date.now() + 10_000;
    const beside = () => document.querySelector('aside');
    const pages = () =>
      [...(beside()?.querySelectorAll('*') ?? [])].flatMap(({ shadowRoot }) => shadowRoot ?? []);
    const isShown = () =>
      beside()?.textContent.includes(mark) === true &&
      (!hasPages || pages().some(({ textContent }) => textContent.includes(mark)));
    while (!isShown() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
    found += beside()?.getHTML({ shadowRoots: pages() }) ?? '';
  }
  return found;
}

/** It runs in the window. */
const showsAll = (marks: readonly string[]) => {
  const page = document.body.textContent;
  return marks.every((mark) => page.includes(mark));
};

async function texts(addresses: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (let at = 0; at < addresses.length; at += 10) {
    const some = addresses
      .slice(at, at + 10)
      .map((address) => fetch(address, { headers: { accept: 'text/html' } }));
    found.push(...(await Promise.all((await Promise.all(some)).map((response) => response.text()))));
  }
  return found;
}

/** The pages of the front page, from the newest posts to the oldest. */
async function frontPages(): Promise<string[]> {
  const pages: string[] = [];
  for (let next: string | undefined = '/'; next !== undefined;) {
    const [text = ''] = await texts([new URL(unescape(next), house.ready.baseUrl).href]);
    pages.push(text);
    next = /<a [^>]*rel="next"[^>]*>/.exec(text)?.[0].match(/href="([^"]*)"/)?.[1];
  }
  return pages;
}

afterAll(() => {
  const shown = site.shown.documents + ownersWindow.shown.documents;
  console.log(
    `${xssPayloads.length} payloads (PORCHLIGHT_PAYLOADS=${payloadPart}), seen ${site.times() + ownersWindow.times()} times as the text of a field, in ${shown} pages.`,
  );
});

test('the check finds markup that runs, and markup that swallows the text after it', async () => {
  const watched = await watchBrowser(chromium, [house.ready.baseUrl]);
  const page = await watched.context.newPage();
  await page.goto(`${house.ready.baseUrl}/webmention`);
  const sound = '<!doctype html><html><head><title>x</title></head><body><p>x</p></body></html>';
  await watched.frames(page, [sound, sound]);
  expect(watched.misdeeds).toEqual([]);
  for (const broken of ['<img src=x: onerror=parent.canary(1)>', '<!-- ', '<plaintext>', '</section>x']) {
    await watched.frames(page, [sound, broken, sound]);
    expect.soft(watched.misdeeds.splice(0), broken).not.toEqual([]);
  }
  await watched.context.close();
});

describe('payloads of strangers and apps never run and request nothing', () => {
  test('on the site, no payload runs: front page, posts of every kind, responses', async () => {
    await site.visit(sitePage, house.ready.baseUrl);
    await site.frames(sitePage, await frontPages());
    for (const part of [1, 2, 3, 4]) await site.visit(sitePage, `${whole}?responses=${part}`);
    for (const post of posts.slice(0, 20)) await site.visit(sitePage, post);
    await site.frames(sitePage, await texts(posts));
    expect(site.misdeeds).toEqual([]);
    const fields = ['nam', 'sum', 'cht', 'cat', 'alt', 'sta', 'rsv', 'chk', 'loc', 'lcl', 'lat', 'slg'];
    expect(missing(site, [...fields, 'cit', 'cau', 'cco', 'ctx', 'ctg', 'mau', 'mht', 'iau'])).toEqual({});
  });

  test('each mention was read', async () => {
    const statusPages = await Promise.all(
      statuses.map(async (address) => (await fetch(address)).json() as Promise<unknown>),
    );
    expect(statusPages.filter((one) => (one as { status: string }).status !== 'success')).toEqual([]);
  });

  test('pages that repeat a visitor’s words: forms, errors, categories, status pages', async () => {
    await sitePage.goto(`${house.ready.baseUrl}/webmention`);
    const pages = await texts(statuses);
    await planted.forEachPayload(async (index) => {
      for (const answer of await planted.echoesOf(scene, index)) {
        expect(answer.headers.getSetCookie().join()).not.toContain('owned');
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        const to = answer.headers.get('location');
        if (to !== null)
          expect([scene.apps.origin, house.ready.baseUrl]).toContain(new URL(to, answer.url).origin);
        const text = await answer.text();
        // What holds nothing of the visitor's is the same for everybody.
        const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true;
        if (isPage && /xm\d|canary/.test(text)) pages.push(text);
      }
    });
    await site.frames(sitePage, pages);
    expect(site.misdeeds).toEqual([]);
    expect(missing(site, ['src', 'tgt', 'cat'])).toEqual({});
  });

  test('in files, opened by themselves', async () => {
    const visitor = await watchBrowser(chromium, [house.ready.baseUrl], { bypassCSP: false });
    const answers = await Promise.all(files.map((file) => fetch(file, { method: 'HEAD' })));
    for (const { headers } of answers) {
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-type')).toMatch(
        /^(?:image\/(?:png|svg\+xml)|text\/plain; charset=utf-8|application\/pdf)$/,
      );
    }
    // A PDF is shown by a program of its own, a picture by none.
    const pages = files.filter((file) => /\.(?:svg|txt)$/.test(file));
    const visitAll = async (page: Page) => {
      for (let file = pages.pop(); file !== undefined; file = pages.pop()) await visitor.visit(page, file);
    };
    await Promise.all([1, 2, 3].map(async () => visitAll(await visitor.context.newPage())));
    expect(visitor.misdeeds).toEqual([]);
    await visitor.context.close();
  });

  test('in the window: sign-ins that wait, and the pages that their visitors see', async () => {
    // Those that wait are on top. A low window draws little of those before them each time that one is answered.
    await windowPage.setViewportSize({ width: 1400, height: 900 });
    await openWindow(windowPage, 'sign-ins');
    const pages: string[] = [];
    for (let index = 0; index < xssPayloads.length; index += 5) {
      const some = planted.allPayloads.slice(index, index + 5);
      const asked = await Promise.all(some.map((one) => planted.askToSignIn(scene, one)));
      pages.push(...asked.flatMap((one) => one.pages));
      const marks = some.flatMap((one) => ['cna', 'sco'].map((field) => planted.markOf(one, field)));
      await windowPage.waitForFunction(showsAll, marks, { polling: 20 });
      await ownersWindow.noteShown(windowPage);
      const waiting = await house.call('signIns.list', {});
      await Promise.all(waiting.map(({ id, scopes }) => house.call('signIns.approve', { id, scopes })));
      await Promise.all(asked.map((one) => one.finish()));
    }
    await site.frames(sitePage, pages);
    expect(site.misdeeds).toEqual([]);
    expect(ownersWindow.misdeeds).toEqual([]);
    expect(missing(site, ['cna', 'sco'])).toEqual({});
    expect(missing(ownersWindow, ['cna', 'sco'])).toEqual({});

    // The same once more: what was approved is in other lists.
    ownersWindow.forget();
    await windowPage.setViewportSize(tallWindow);
    for (const screen of signInScreens) {
      await openWindow(windowPage, screen);
      await scrollThrough();
    }
    expect(ownersWindow.misdeeds).toEqual([]);
    expect(missing(ownersWindow, ['cna', 'sco'])).toEqual({});
  });

  test('in the window, no payload runs: every screen, and everything that opens in it', async () => {
    // The test before this one has looked through the other two.
    for (const screen of screens.filter((one) => !signInScreens.includes(one))) {
      await openWindow(windowPage, screen);
      await scrollThrough();
    }
    const mentions = await idsOf('mht', async (cursor) => {
      const { items, nextCursor } = await house.call('webmentions.list', { limit: 200, ...cursor });
      return { things: items.map(({ id, content }) => ({ id, text: content?.value ?? '' })), nextCursor };
    });
    const opened = await idsOf('nam', async (cursor) => {
      const { items, nextCursor } = await house.call('posts.list', { limit: 200, ...cursor });
      return { things: items.map(({ url, name }) => ({ id: url, text: name })), nextCursor };
    });
    const other = await ownersWindow.context.newPage();
    await Promise.all([openEach(windowPage, 'webmentions', mentions), openEach(other, 'posts', opened)]);
    await other.close();
    expect(ownersWindow.misdeeds).toEqual([]);
    const fields = ['nam', 'ctx', 'cht', 'cat', 'alt', 'fil', 'mau', 'mht', 'mna', 'iau'];
    expect(missing(ownersWindow, fields)).toEqual({});
  });

  test('in the feeds, the sitemap and the reading API, no payload runs', async () => {
    const api = (format: string) =>
      `${house.ready.baseUrl}/api/mentions${format}${format.includes('?') ? '&' : '?'}target=${encodeURIComponent(whole)}&per-page=1000`;
    const addresses = ['/feed.atom', '/feed.rss', '/feed.json', '/sitemap.xml'].map(
      (path) => house.ready.baseUrl + path,
    );
    for (const address of [
      ...addresses,
      ...['.html', '.atom', '.json', '.jf2', '.json?jsonp=call'].map(api),
    ]) {
      await site.visit(sitePage, address);
      const fields = address.includes('/feed')
        ? ['wna', 'wco', 'wca']
        : address.includes('/api')
          ? ['mht', 'mau', 'iau']
          : [];
      expect(missing(site, fields), address).toEqual({});
    }
    expect(site.misdeeds).toEqual([]);
  });
});
