import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PorchlightError } from '../../../../src-main/contract/error.ts';
import type { FetchOptions } from '../../../../src-main/platform/fetch-request.ts';
import { createGuardedFetch } from '../../../../src-main/platform/guarded-fetch.ts';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { openReading, type PageReaders } from '../../../../src-main/app/reading.ts';
import { sourceReader, type ReadSource } from '../../../../src-main/mentions/receiving/read-source.ts';
import { openSite, page, type Site } from '../../../support/client-app.ts';
import { drip, endless } from '../../../support/hostile-server.ts';

const target = 'https://me.example/post';
const link = `<a href="${target}">a post</a>`;
const reply = `<a class="u-in-reply-to" href="${target}">re</a>`;

// Code that parses a page on the server's own thread meets this mock. The reading thread loads the real module.
vi.mock('../../../../src-main/untrusted/pages/page-document.ts', async (original) => ({
  ...(await original<object>()),
  parseDocument() {
    throw new Error('A page was parsed on the server’s own thread.');
  },
}));

/** Milliseconds that a busy computer may need for the largest page. */
const patient = 60_000;

let site: Site;
let readSource: ReadSource;
let pages: PageReaders;
const guardedFetch = createGuardedFetch({ allowPrivate: true, userAgent: 'Test' });
/** The time limits of the fetches so far, in ms: those that production has. */
const timeLimits: (number | undefined)[] = [];
/** What a fetch may take here, in ms, so that a busy computer never decides what a test sees. */
let mayTake = patient;
const timedFetch: typeof guardedFetch = Object.assign(
  (url: string, options?: FetchOptions) => {
    timeLimits.push(options?.timeoutMs);
    return guardedFetch(url, { ...options, timeoutMs: mayTake });
  },
  { close: () => guardedFetch.close() },
);

beforeAll(async () => {
  site = await openSite();
  pages = openReading({ clock: Date.now, deadlineMs: patient });
  readSource = sourceReader(timedFetch, pages.mentions, silentLog);
});
afterAll(async () => {
  await pages.close();
  await guardedFetch.close();
  await site.close();
});
beforeEach(() => {
  site.pages.clear();
  site.requests.length = 0;
});

const serve = (path: string, body: string, type = 'text/html; charset=utf-8', status = 200) =>
  site.pages.set(path, page(body, { 'content-type': type }, status));
const read = (path = '/note') => readSource(site.origin + path, target);

describe('a source that is read', () => {
  test('WR-6 is asked for as HTML, its redirects are followed, and its final address is known', async () => {
    let accept: string | undefined;
    for (let hop = 0; hop < 10; hop += 1) {
      site.pages.set(`/hop${hop}`, (_, response) => {
        response.writeHead(302, { location: `/hop${hop + 1}` }).end();
      });
    }
    site.pages.set('/hop10', (request, response) => {
      accept = request.headers.accept;
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>Hi</title><p>Read ${link}</p>`);
    });
    expect(await read('/hop0')).toEqual({
      kind: 'links',
      facts: { type: 'mention', property: 'mention-of' },
      url: `${site.origin}/hop10`,
      title: 'Hi',
      text: 'Read a post',
    });
    expect(accept).toMatch(/^text\/html\b/);
  });

  test('is read on a thread of its own: there is no parser on this one', async () => {
    const { parseDocument } = await import('../../../../src-main/untrusted/pages/page-document.ts');
    expect(() => parseDocument(link)).toThrow('own thread');
    serve('/note', `<p class="h-entry">${reply}<b class="e-content">Yes</b></p>`);
    expect(await read()).toMatchObject({ facts: { type: 'reply', content: { value: 'Yes' } } });
  });

  test('AU-1 has the author whom the author’s page names', async () => {
    serve('/note', `<p class="h-entry">${reply}<a class="u-author" href="/about">me</a></p>`);
    serve('/about', '<div class="h-card"><a class="u-url u-uid p-name" href="/about">Ann</a></div>');
    const about = `${site.origin}/about`;
    expect(await read()).toMatchObject({ facts: { author: { name: 'Ann', url: about, photo: '' } } });
    expect(site.requests).toEqual(['GET /note', 'GET /about']);
  });

  test.each([404, 500])('AU-1 has the author’s address if that page answers %i', async (status) => {
    serve('/note', `<p class="h-entry">${reply}<a class="u-author" href="/about">me</a></p>`);
    serve('/about', 'no', 'text/html', status);
    expect(await read()).toMatchObject({
      facts: { author: { name: '', url: `${site.origin}/about`, photo: '' } },
    });
  });

  test('WR-7 may be JSON or text', async () => {
    serve('/note', JSON.stringify({ links: [target] }), 'application/json');
    expect(await read()).toMatchObject({ kind: 'links' });
    serve('/note', `See ${target}.`, 'text/plain');
    expect(await read()).toMatchObject({ kind: 'links', text: `See ${target}.` });
  });

  test('WR-10 without the link has none', async () => {
    serve('/note', '<p class="h-entry">Nothing here</p>');
    expect(await read()).toEqual({ kind: 'no-link' });
  });

  test('WR-8, WR-10 is gone where its answer says so, or a meta element', async () => {
    serve('/note', link, 'text/html', 410);
    expect(await read()).toEqual({ kind: 'gone' });
    serve('/note', `<meta http-equiv="status" content="410 Gone">${link}`);
    expect(await read()).toEqual({ kind: 'gone' });
    serve('/note', `<meta http-equiv="status" content="404 Not Found">${link}`);
    expect(await read()).toMatchObject({ kind: 'failed', mayPass: false });
  });

  test.each([
    [400, false],
    [403, false],
    [404, false],
    [408, true],
    [429, true],
    [500, true],
    [503, true],
  ])('WR-10 that answers %i is not gone, and may be there later: %s', async (status, mayPass) => {
    serve('/note', link, 'text/html', status);
    expect(await read()).toMatchObject({
      kind: 'failed',
      mayPass,
      words: expect.stringContaining(`${status}`) as string,
    });
  });

  test('WR-10 whose server is down may be there later', async () => {
    const down = await openSite();
    await down.close();
    expect(await readSource(`${down.origin}/`, target)).toMatchObject({ kind: 'failed', mayPass: true });
  });

  test('of another kind is not read', async () => {
    serve('/note', link, 'image/png');
    expect(await read()).toMatchObject({ kind: 'failed', mayPass: false });
  });

  test('any page can be read off the server’s thread', async () => {
    const page = {
      url: 'https://a.example/',
      linkHeader: '</cb>; rel=redirect_uri',
      text: '<title>App</title><p class="h-app">App</p>',
    };
    expect(await pages.client({ clientId: page.url, page }, { address: page.url })).toMatchObject({
      name: 'App',
      redirects: { uris: ['https://a.example/cb'] },
    });
    const { rels } = await pages.rels(page, ['redirect_uri', 'constructor']);
    expect(rels).toEqual({ redirect_uri: ['https://a.example/cb'], constructor: [] });
    expect(await pages.profile({ ...page, text: '<p class="h-card">Ann</p>' })).toMatchObject({
      name: 'Ann',
    });
  });
});

describe('bad input', () => {
  test('WR-6 an endless page is too large', async () => {
    const pour = endless(Buffer.from('<p>more</p>'.repeat(1000)), { 'content-type': 'text/html' });
    site.pages.set('/note', (request, response) => pour(response, request));
    expect(await read()).toMatchObject({ kind: 'failed', mayPass: false });
  });

  test('WR-6 a page that drips takes too long, and may be quicker later', async () => {
    const slowly = drip(50);
    site.pages.set('/note', (request, response) => slowly(response, request));
    onTestFinished(() => void (mayTake = patient));
    mayTake = 500;
    expect(await read()).toMatchObject({ kind: 'failed', mayPass: true });
    expect(timeLimits.at(-1)).toBe(10_000);
  });

  test('WR-6 a small answer that unpacks to a large one is too large', async () => {
    const bomb = gzipSync(Buffer.alloc(30 * 1024 * 1024, 32));
    site.pages.set('/note', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb);
    });
    expect(await read()).toMatchObject({ kind: 'failed', mayPass: false });
  });

  test('WR-6 redirects in a circle, or without end, lead nowhere', async () => {
    site.pages.set('/note', (_, response) => response.writeHead(302, { location: '/back' }).end());
    site.pages.set('/back', (_, response) => response.writeHead(302, { location: '/note' }).end());
    expect(await read()).toMatchObject({ kind: 'failed', mayPass: false });
    site.pages.set('/note', (request, response) => {
      response.writeHead(302, { location: `/note?${(request.url ?? '').length}${request.url ?? ''}` }).end();
    });
    expect(await read()).toMatchObject({ kind: 'failed', mayPass: false });
  });

  test('10 MB on one line are too large', async () => {
    serve('/note', link + 'x'.repeat(10 * 1024 * 1024));
    expect(await read()).toMatchObject({ kind: 'failed', mayPass: false });
  });

  test('2 MB on one line are read', async () => {
    serve('/note', 'x'.repeat(2 * 1024 * 1024 - 200) + link);
    expect(await read()).toMatchObject({ kind: 'links' });
  });

  test('a page that takes too long now is read again later, when the computer may be less busy', async () => {
    // On a computer that is too busy, a real thread is starved instead. Tests of the threads tell these apart.
    const tooSlow = new PorchlightError('page_too_slow', 'This page takes too long to read.', 400);
    const short = { ...pages.mentions, source: () => Promise.reject(tooSlow) };
    const hasty = sourceReader(guardedFetch, short, silentLog);
    serve('/note', link);
    expect(await hasty(`${site.origin}/note`, target)).toMatchObject({
      kind: 'failed',
      mayPass: true,
      wasSlow: true,
    });
  });

  test('5,000 links are read', async () => {
    const links = Array.from({ length: 5000 }, (_, index) => `<a href="https://b.example/${index}">x</a>`);
    serve('/note', `<div class="h-entry">${links.join('')}${reply}</div>`);
    expect(await read()).toMatchObject({ kind: 'links', facts: { type: 'reply' } });
  });

  test('a link under 100,000 elements is found, though nobody looks for more there', async () => {
    serve('/note', `${'<div class="h-entry">'.repeat(90_000)}${reply}`);
    expect(await read()).toMatchObject({ kind: 'links', facts: { type: 'mention' } });
    serve('/note', `${'<i>'.repeat(100_000)}nothing`);
    expect(await read()).toEqual({ kind: 'no-link' });
  });

  test.each([
    [
      'with 100,000 attributes',
      `<a ${'x '.repeat(10)}${Array.from({ length: 100_000 }, (_, i) => `a${i}`).join(' ')}>x</a>`,
    ],
    ['that is a tag without an end', `<a ${'"'.repeat(500_000)}`],
    ['of opening brackets', '<'.repeat(1_000_000)],
    ['of comments without an end', '<!--'.repeat(250_000)],
    ['of character references', '&amp'.repeat(250_000)],
    ['with one srcset of 900,000 words', `<img srcset="${'a '.repeat(900_000)}">`],
    ['with one srcset of spaces', `<img srcset="x${' '.repeat(1_500_000)}x">`],
    ['of templates', '<template>'.repeat(50_000)],
    ['of meta elements', '<meta http-equiv=status content=x>'.repeat(20_000)],
  ])('a page %s is answered', async (_, text) => {
    serve('/note', text);
    expect((await read()).kind).toMatch(/^(no-link|failed)$/);
    serve('/note', `${link}${text}`);
    expect((await read()).kind).toMatch(/^(links|failed)$/);
  });

  test.each([
    ['windows-1252', Buffer.from([0x43, 0x61, 0x66, 0xe9]), 'Café'],
    ['shift_jis', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
  ])('text in %s is read', async (charset, said, text) => {
    const parts = [`<div class="h-entry">${reply}<p class="e-content">`, said, '</p></div>'];
    const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
    site.pages.set('/note', (_, response) => {
      response.writeHead(200, { 'content-type': `text/html; charset=${charset}` }).end(body);
    });
    expect(await read()).toMatchObject({ facts: { content: { value: text } } });
  });

  test('UTF-16 with its byte order mark is read', async () => {
    const body = Buffer.from(
      `\ufeff<div class="h-entry">${reply}<p class="e-content">é</p></div>`,
      'utf16le',
    );
    site.pages.set('/note', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(body);
    });
    expect(await read()).toMatchObject({ facts: { type: 'reply', content: { value: 'é' } } });
  });

  test('an invalid address, and one with a password, are refused', async () => {
    expect(await readSource('nonsense', target)).toMatchObject({ kind: 'failed', mayPass: false });
    expect(await readSource('https://a:b@ann.example/', target)).toMatchObject({ mayPass: false });
  });
});
