import { describe, expect, test } from 'vitest';
import type { PorchlightError } from '../../../src-main/contract/error.ts';
import { FetchError } from '../../../src-main/platform/guarded-fetch.ts';
import { documentOf, openDirectory, openPages, type Answer, type Pages } from '../../support/client-pages.ts';

const id = 'https://app.example/client';
const html = (body: string, headers: Record<string, string> = {}): Answer => ({
  headers: { 'content-type': 'text/html', ...headers },
  body,
});

/** A directory over an internet in which the one client is `page`. */
function withClient(
  page: Answer | (() => Promise<Answer>),
  more: { allowPrivate?: boolean; id?: string; spent?: string } = {},
) {
  const pages = openPages();
  pages.answers.set(more.id ?? id, page);
  return { pages, directory: openDirectory(pages.fetch, more) };
}

const asked = ({ requests }: Pages, url = id) => requests.filter((request) => request.url === url).length;
const invalid = expect.objectContaining({ code: 'invalid_client' }) as PorchlightError;

describe('what kind of page it is', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/activity+json',
    'application/vnd.client+json ; profile="x"',
    'application/ld+json',
  ])('IA-47 %s is a document', async (type) => {
    const { directory } = withClient(
      documentOf({ client_id: id, client_name: 'Doc' }, { 'content-type': type }),
    );
    expect((await directory.lookUp(id)).name).toBe('Doc');
  });

  test.each([
    'text/html',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/json5',
    'application/xhtml+xml',
    'x-application/json',
    '',
  ])('IA-47 %j is read as a page', async (type) => {
    const { directory } = withClient({
      headers: { 'content-type': type },
      body: '<title>Page</title>{"client_id":"x"}',
    });
    expect((await directory.lookUp(id)).name).toBe('Page');
  });

  test('IA-47 a page without a type is read as a page', async () => {
    const { directory } = withClient({ body: '<title>Page</title>' });
    expect((await directory.lookUp(id)).name).toBe('Page');
  });

  test('a page of another charset is read in that one', async () => {
    const latin1 = withClient({
      headers: { 'content-type': 'text/html; charset=iso-8859-1' },
      body: Buffer.from('<title>Größe</title>', 'latin1'),
    });
    expect((await latin1.directory.lookUp(id)).name).toBe('Größe');
    const utf16 = withClient({
      headers: { 'content-type': 'text/html; charset="utf-16le"' },
      body: Buffer.from('<title>Größe</title>', 'utf16le'),
    });
    expect((await utf16.directory.lookUp(id)).name).toBe('Größe');
  });

  test('a charset that nobody knows is read as UTF-8', async () => {
    const { directory } = withClient({
      headers: { 'content-type': 'text/html; charset=klingon' },
      body: '<title>Größe</title>',
    });
    expect((await directory.lookUp(id)).name).toBe('Größe');
  });
});

describe('a JSON document', () => {
  const redirects = ['https://elsewhere.example/cb'];

  test('D-9 over http does not count', async () => {
    const http = 'http://app.example/client';
    const { directory } = withClient(
      documentOf({ client_id: http, client_name: 'Doc', redirect_uris: redirects }),
      { id: http },
    );
    expect(await directory.lookUp(http)).toMatchObject({
      name: 'app.example',
      redirects: { uris: [], exclusive: false },
      warnings: [expect.any(String)],
    });
  });

  test('D-9 over http counts in development', async () => {
    const http = 'http://app.example/client';
    const { directory } = withClient(documentOf({ client_id: http, redirect_uris: redirects }), {
      id: http,
      allowPrivate: true,
    });
    expect((await directory.lookUp(http)).redirects).toEqual({ uris: redirects, exclusive: true });
  });

  test('D-9 over https counts, however the scheme is written', async () => {
    const loud = 'HTTPS://app.example/client';
    const { directory } = withClient(documentOf({ client_id: loud, redirect_uris: redirects }), { id: loud });
    expect((await directory.lookUp(loud)).redirects.exclusive).toBe(true);
  });

  test('IA-44 D-10 behind a redirect is refused', async () => {
    const { directory } = withClient({ ...documentOf({ client_id: id }), url: 'https://app.example/moved' });
    await expect(directory.lookUp(id)).rejects.toEqual(invalid);
  });

  test('IA-44 of 5 KB is read, of more is refused', async () => {
    const sized = (length: number): Answer => {
      const text = JSON.stringify({ client_id: id, client_name: 'Doc' });
      return { ...documentOf({}), body: text.padEnd(length) };
    };
    expect((await withClient(sized(5 * 1024)).directory.lookUp(id)).name).toBe('Doc');
    await expect(withClient(sized(5 * 1024 + 1)).directory.lookUp(id)).rejects.toEqual(invalid);
  });

  test.each([201, 204, 206, 301, 304, 401, 404, 410, 500, 503])(
    'IA-44 with status %d does not count',
    async (status) => {
      const { directory } = withClient({
        ...documentOf({ client_id: id, client_name: 'Doc', redirect_uris: redirects }),
        status,
      });
      expect(await directory.lookUp(id)).toMatchObject({
        name: 'app.example',
        redirects: { uris: [], exclusive: false },
        warnings: [expect.any(String)],
      });
    },
  );

  test('IA-42 of another app is refused', async () => {
    const { directory } = withClient(documentOf({ client_id: 'https://other.example/' }));
    await expect(directory.lookUp(id)).rejects.toEqual(invalid);
  });
});

describe('the cache', () => {
  const page = html('<title>App</title>');

  test('IA-44 a page that does not say for how long is kept for a minute', async () => {
    const { pages, directory } = withClient(page);
    await directory.lookUp(id);
    directory.pass(59_999);
    await directory.lookUp(id);
    expect(asked(pages)).toBe(1);
    pages.answers.set(id, html('<title>New</title>'));
    directory.pass(1);
    expect((await directory.lookUp(id)).name).toBe('New');
  });

  test('a kept page never refuses an address that the app may have published since', async () => {
    const added = 'https://elsewhere.example/cb';
    const { pages, directory } = withClient(documentOf({ client_id: id, redirect_uris: [] }));
    expect((await directory.lookUp(id, undefined, added)).redirects.uris).toEqual([]);
    pages.answers.set(id, documentOf({ client_id: id, redirect_uris: [added] }));
    expect((await directory.lookUp(id, undefined, added)).redirects.uris).toEqual([added]);
    await directory.lookUp(id, undefined, added);
    expect(asked(pages)).toBe(2);
  });

  const date = 'Fri, 15 Jan 2027 08:00:00 GMT';
  test.each<[string, Record<string, string>, number]>([
    ['a page that changed a day ago', { date, 'last-modified': 'Thu, 14 Jan 2027 08:00:00 GMT' }, 60],
    ['a page that changed five minutes ago', { date, 'last-modified': 'Fri, 15 Jan 2027 07:55:00 GMT' }, 30],
    ['a page that changed just now', { date, 'last-modified': date }, 0],
    ['a page with Expires', { date, expires: 'Fri, 15 Jan 2027 08:05:00 GMT' }, 300],
    ['a page whose Expires is no date', { date, expires: '0' }, 0],
    ['max-age with Expires', { date, expires: '0', 'cache-control': 'max-age=300' }, 300],
    ['a page that a cache has had for a while', { 'cache-control': 'max-age=300', age: '100' }, 200],
    ['a page that a cache has had for too long', { 'cache-control': 'max-age=300', age: '400' }, 0],
    ['a page that differs for each request', { vary: '*' }, 0],
    ['a page without Cache-Control whose date is wrong', { date: 'today' }, 60],
  ])('IA-44 %s: %j are kept for %d seconds', async (_, headers, seconds) => {
    const { pages, directory } = withClient(html('<title>App</title>', headers));
    await directory.lookUp(id);
    directory.pass(Math.max(0, seconds * 1000 - 1));
    await directory.lookUp(id);
    expect(asked(pages)).toBe(seconds === 0 ? 2 : 1);
    directory.pass(1);
    await directory.lookUp(id);
    expect(asked(pages)).toBe(seconds === 0 ? 3 : 2);
  });

  test('the facts on a page hold for its button, for ten minutes', async () => {
    const { pages, directory } = withClient(page);
    await directory.lookUp(id);
    directory.pass(599_999);
    await directory.lookUpAgain(id);
    expect(asked(pages)).toBe(1);
    directory.pass(1);
    await directory.lookUpAgain(id);
    expect(asked(pages)).toBe(2);
  });

  test.each([
    ['no-store', 0],
    ['private, no-cache', 0],
    ['private, max-age=300', 0],
    ['max-age=300, s-maxage=20', 20],
    ['s-maxage=0', 0],
    ['public', 60],
    ['max-age=300', 300],
    ['public, Max-Age="900"', 900],
    ['max-age=0', 0],
    ['max-age=5', 5],
    ['max-age=99999999999', 86_400],
    ['max-age=soon', 0],
  ])('IA-44 Cache-Control: %s keeps it for %d seconds', async (header, seconds) => {
    const { pages, directory } = withClient(html('<title>App</title>', { 'cache-control': header }));
    await directory.lookUp(id);
    directory.pass(Math.max(0, seconds * 1000 - 1));
    await directory.lookUp(id);
    expect(asked(pages)).toBe(seconds === 0 ? 2 : 1);
    directory.pass(1);
    await directory.lookUp(id);
    expect(asked(pages)).toBe(seconds === 0 ? 3 : 2);
  });

  test.each<[string, () => Promise<Answer>]>([
    ['an error status', () => Promise.resolve({ status: 500 })],
    ['no answer', () => Promise.reject(new FetchError('fetch_timeout'))],
    ['a refused address', () => Promise.reject(new FetchError('fetch_refused_address'))],
    ['a malformed document', () => Promise.resolve({ ...documentOf({}), body: '{' })],
    ['a document of another app', () => Promise.resolve(documentOf({ client_id: 'https://other.example/' }))],
  ])('IA-44 %s is not', async (_, fault) => {
    const { pages, directory } = withClient(fault);
    await directory.lookUp(id).catch(() => undefined);
    pages.answers.set(id, page);
    expect((await directory.lookUp(id)).name).toBe('App');
  });

  test('an earlier success does not hide a later failure', async () => {
    const { pages, directory } = withClient(page);
    expect((await directory.lookUp(id)).name).toBe('App');
    pages.answers.set(id, { status: 500 });
    directory.pass(60_000);
    expect((await directory.lookUp(id)).name).toBe('app.example');
    expect((await directory.lookUpAgain(id)).name).toBe('app.example');
  });

  test('many who ask for the same client at once cause one request', async () => {
    let release: (answer: Answer) => void = () => undefined;
    const { pages, directory } = withClient(() => new Promise((resolve) => (release = resolve)));
    const all = Array.from({ length: 50 }, () => directory.lookUp(id));
    await expect.poll(() => asked(pages)).toBe(1);
    release(page);
    expect(new Set(await Promise.all(all)).size).toBe(1);
    expect(asked(pages)).toBe(1);
  });

  test('and one failure, after which it is fetched again', async () => {
    let fail: (error: Error) => void = () => undefined;
    const { pages, directory } = withClient(() => new Promise((_, reject) => (fail = reject)));
    const all = Array.from({ length: 5 }, () => directory.lookUp(id));
    await expect.poll(() => asked(pages)).toBe(1);
    fail(new TypeError('a fault of ours'));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    pages.answers.set(id, page);
    expect((await directory.lookUp(id)).name).toBe('App');
  });

  test('the number of clients is limited, and the oldest is dropped', async () => {
    const pages = openPages();
    const directory = openDirectory(pages.fetch);
    const ids = Array.from({ length: 201 }, (_, index) => `https://app.example/${index}`);
    for (const one of ids) pages.answers.set(one, page);
    for (const one of ids) await directory.lookUp(one);
    await directory.lookUpAgain(ids.at(-1)!);
    await directory.lookUpAgain(ids[0]!);
    expect([asked(pages, ids.at(-1)), asked(pages, ids[0])]).toEqual([1, 2]);
  });

  test('of clients with long descriptions, fewer are kept', async () => {
    const pages = openPages();
    const directory = openDirectory(pages.fetch);
    const ids = Array.from({ length: 20 }, (_, index) => `https://app.example/${index}`);
    const links = Array.from(
      { length: 100 },
      (_, index) => `<link rel="redirect_uri" href="https://app.example/${index}/${'x'.repeat(4000)}">`,
    );
    for (const one of ids) pages.answers.set(one, html(links.join('')));
    for (const one of ids) await directory.lookUp(one);
    await directory.lookUpAgain(ids.at(-1)!);
    await directory.lookUpAgain(ids[0]!);
    expect([asked(pages, ids.at(-1)), asked(pages, ids[0])]).toEqual([1, 2]);
  });
});

describe('the picture', () => {
  const logo = 'https://cdn.example/logo.png';
  const described = documentOf({ client_id: id, logo_uri: logo });

  test('IA-49 is fetched along with the page, and handed on as our own copy', async () => {
    const { pages, directory } = withClient(described);
    pages.answers.set(logo, { headers: { 'content-type': 'image/png' }, body: 'png' });
    expect((await directory.lookUp(id)).logo).toBe(
      `data:image/png;base64,${Buffer.from('png').toString('base64')}`,
    );
  });

  test.each<[string, Answer | (() => Promise<Answer>)]>([
    ['is not there', { status: 404, body: 'png' }],
    ['does not come', () => Promise.reject(new FetchError('fetch_timeout'))],
    ['is on a private address', () => Promise.reject(new FetchError('fetch_refused_address'))],
    ['is too big', () => Promise.reject(new FetchError('fetch_too_large'))],
  ])('IA-49 that %s is no fault of the app', async (_, picture) => {
    const { pages, directory } = withClient(described);
    pages.answers.set(logo, picture);
    expect(await directory.lookUp(id)).toMatchObject({ logo: null, warnings: [] });
  });
});

test('a fetch has limits of time and size, and of three redirects', async () => {
  const { pages, directory } = withClient(
    documentOf({ client_id: id, logo_uri: 'https://app.example/logo' }),
  );
  await directory.lookUp(id);
  expect(pages.requests).toHaveLength(2);
  for (const { options } of pages.requests) {
    expect(options.maxRedirects).toBe(3);
    expect(options.timeoutMs).toBeLessThanOrEqual(10_000);
    expect(options.maxBytes).toBeLessThanOrEqual(1024 * 1024);
  }
});

test('a visitor who shares another visitor’s look-up does not share its refusal', async () => {
  const { pages, directory } = withClient(
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return html('<title>Page</title>');
    },
    { spent: 'attacker' },
  );
  const refused = directory.lookUp(id, 'attacker');
  const shared = directory.lookUp(id, 'owner');
  await expect(refused).rejects.toMatchObject({ status: 429 });
  expect((await shared).name).toBe('Page');
  expect(asked(pages)).toBe(2);
});

test('visitors who ask for one app at once share one fetch', async () => {
  const { pages, directory } = withClient(html('<title>Page</title>'));
  await Promise.all(['a', 'b', 'c', 'd'].map((visitor) => directory.lookUp(id, visitor)));
  expect(asked(pages)).toBe(1);
});

test('forty visitors whose pages wait to be read don’t delay a lookup', async () => {
  const pages = openPages();
  const directory = openDirectory(pages.fetch, { slow: 'https://evil' });
  for (let number = 0; number < 40; number += 1) {
    const evil = `https://evil-${number}.example/`;
    pages.answers.set(evil, html('<title>Evil</title>'));
    directory.lookUp(evil, `visitor ${number}`).catch(() => undefined);
  }
  pages.answers.set(id, html('<title>Page</title>'));
  expect((await directory.lookUp(id, 'owner')).name).toBe('Page');
});
