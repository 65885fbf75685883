import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBrowser } from '../../support/browser.ts';
import { json, openSite, page, type Page, type Site } from '../../support/client-app.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { authorizationUrl, redeem, signIn, signInRequest } from '../../support/sign-in.ts';

let porchlight: Porchlight;
let site: Site;
beforeAll(async () => {
  site = await openSite();
  porchlight = await startPorchlight();
});
afterAll(async () => {
  await porchlight.remove();
  await site.close();
});

let client: string;
let number = 0;
/** Each test has a client of its own: what was learned of one is kept for a while. */
beforeEach(() => void (client = `${site.origin}/app-${++number}`));

const publish = (answer: Page) => site.pages.set(new URL(client).pathname, answer);

async function view(server = porchlight, clientId = client) {
  const request = signInRequest(site.origin, { client_id: clientId });
  const response = await openBrowser(server.base).open(authorizationUrl(server.base, request));
  return { status: response.status, text: await response.text() };
}

/** Expects the page of a request that can go on. */
async function shown(): Promise<string> {
  const { status, text } = await view();
  expect(status).toBe(200);
  return text;
}

describe('without leave to fetch from private addresses', () => {
  let guarded: Porchlight;
  beforeAll(async () => void (guarded = await startPorchlight({ allowPrivateFetch: false })));
  afterAll(() => guarded.remove());

  test.each(['127.0.0.1', 'localhost'])('IA-40 a loopback client on %s is never fetched', async (host) => {
    const local = await openSite();
    try {
      const origin = local.origin.replace('127.0.0.1', host);
      const request = signInRequest(origin);
      const response = await openBrowser(guarded.base).open(authorizationUrl(guarded.base, request));
      const text = await response.text();
      expect(response.status).toBe(200);
      expect(text).toContain(`<bdi>${new URL(origin).host}</bdi>`);
      expect(text).toContain('class="warning"');
      expect(local.requests).toEqual([]);
    } finally {
      await local.close();
    }
  });

  test('IA-40 it can sign in all the same', async () => {
    const local = await openSite();
    try {
      const request = signInRequest(local.origin);
      const answer = await signIn(guarded, request);
      expect((await redeem(guarded, request, answer)).status).toBe(200);
      expect(local.requests).toEqual([]);
    } finally {
      await local.close();
    }
  });
});

describe('the consent page about an app', () => {
  test('IA-48 IA-70 name, address and picture', async () => {
    publish(
      page('<div class="h-app"><b class="p-name">Quill</b><img class="u-logo" src="/logo.svg" alt=""></div>'),
    );
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
    site.pages.set('/logo.svg', page(svg, { 'content-type': 'image/svg+xml' }));
    const text = await shown();
    expect(text).toContain('<bdi>Quill</bdi>');
    expect(text.replaceAll('<wbr>', '')).toContain(`<code>${client}</code>`);
    // The page does not wait long for it: on a busy computer it is there the next time.
    await expect
      .poll(shown, { interval: 500 })
      .toMatch(/<img class="logo" src="data:image\/png;base64,[\w+/=]+"/);
  });

  test('IA-49 it loads nothing from anybody else', async () => {
    site.pages.set('/logo.png', page('no picture', { 'content-type': 'image/png' }));
    publish(json({ client_id: client, client_name: 'Quill', logo_uri: `${site.origin}/logo.png` }));
    const text = await shown();
    expect(text).not.toMatch(/(src|href|action)="(https?:)?\/\//);
    expect(text).not.toMatch(/url\(|@import/);
  });

  test('IA-44 an app that does not answer is shown with a warning', async () => {
    const text = await shown();
    expect(text).toContain(`<bdi>${new URL(client).host}</bdi>`);
    expect(text).toContain('class="warning"');
  });

  test('IA-70 a name is text', async () => {
    publish(json({ client_id: client, client_name: '</bdi><script>alert(1)</script>\u202E' }));
    const text = await shown();
    expect(text).toContain('<bdi>&lt;/bdi&gt;&lt;script&gt;');
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('\u202E');
  });
});

describe('a picture', () => {
  const logos: [string, Page][] = [
    ['is no picture', page('<html>', { 'content-type': 'image/png' })],
    ['is empty', page('', { 'content-type': 'image/png' })],
    ['is broken', page('\u0089PNG\r\n\u001a\nrest', { 'content-type': 'image/png' })],
    [
      'is 50 MB',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'image/png', 'content-length': String(50 * 1024 * 1024) });
        response.end(Buffer.alloc(50 * 1024 * 1024));
      },
    ],
  ];

  test.each(logos)('IA-49 that %s is replaced by a letter', async (_, logo) => {
    site.pages.set(`/logo-${number}`, logo);
    publish(json({ client_id: client, client_name: 'Quill', logo_uri: `${site.origin}/logo-${number}` }));
    const text = await shown();
    expect(text).not.toContain('<img');
    expect(text).toContain('aria-hidden="true">Q</span>');
  });

  test('IA-49 with a script in it arrives as a plain picture', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8" onload="alert(1)"><script>alert(2)</script><image href="${site.origin}/tracker.png" width="1" height="1"/><rect width="8" height="8"/></svg>`;
    site.pages.set('/evil.svg', page(svg, { 'content-type': 'image/svg+xml' }));
    publish(json({ client_id: client, logo_uri: `${site.origin}/evil.svg` }));
    const text = await shown();
    expect(text).toMatch(/src="data:image\/png;base64,/);
    expect(text).not.toContain('alert(');
    expect(text).not.toContain('svg');
    expect(site.requests).not.toContain('GET /tracker.png');
  });
});

describe('a document that breaks a rule', () => {
  test.each<[string, (id: string) => unknown]>([
    ['IA-42 of another app', () => ({ client_id: 'https://other.example/' })],
    ['IA-42 with a slash more', (id) => ({ client_id: `${id}/` })],
    ['IA-44 that is a list', () => []],
    ['IA-44 longer than 5 KB', (id) => ({ client_id: id, padding: 'x'.repeat(6000) })],
    ['IA-45 with a secret', (id) => ({ client_id: id, client_secret: 's' })],
    [
      'IA-45 that shares a secret',
      (id) => ({ client_id: id, token_endpoint_auth_method: 'client_secret_basic' }),
    ],
    [
      'IA-46 of a confidential client',
      (id) => ({ client_id: id, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } }),
    ],
  ])('%s ends the sign-in with a page', async (_, content) => {
    publish(json(content(client)));
    const { status, text } = await view();
    expect(status).toBe(400);
    expect(text).toContain('This sign-in can’t continue');
    expect(text).not.toContain('<form');
  });

  test('D-10 a document behind a redirect does too', async () => {
    const target = `/moved-${number}`;
    site.pages.set(target, json({ client_id: client }));
    publish((_request, response) => response.writeHead(302, { location: target }).end());
    expect((await view()).status).toBe(400);
  });

  test('D-10 a page behind a redirect is read', async () => {
    const target = `/moved-${number}`;
    site.pages.set(target, page('<title>Moved</title>'));
    publish((_request, response) => response.writeHead(302, { location: target }).end());
    expect(await shown()).toContain('<bdi>Moved</bdi>');
  });

  test('IA-42 keys that every object has do no harm', async () => {
    const body = `{"client_id":"${client}","client_name":"Quill","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`;
    publish(page(body, { 'content-type': 'application/json' }));
    expect(await shown()).toContain('<bdi>Quill</bdi>');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a page made to hurt is no fault of this server', () => {
  test.each<[string, string]>([
    ['nested 10,000 deep', '<div>'.repeat(10_000)],
    ['with objects nested 10,000 deep', '<div class="h-app">'.repeat(10_000)],
    [
      'that grows as it is read',
      `<p>${Array.from({ length: 2000 }, (_, i) => `<b x${i}>`).join('')}</p>${'<p>a</p>'.repeat(2000)}`,
    ],
    ['of 10 MB', 'x'.repeat(10 * 1024 * 1024)],
    ['that is empty', ''],
    ['of null characters', '\u0000'.repeat(1000)],
    [
      'with a property that every object has',
      '<p class="h-app"><b class="p-constructor p-__proto__">x</b></p>',
    ],
  ])('%s', async (_, body) => {
    publish(page(body));
    expect(await shown()).toContain('<form');
  });

  test.each([
    '<<>>;,rel=',
    '<https://other.example/cb>',
    '<https://[>; rel="redirect_uri"',
    ';',
    ',,,',
    `<x>; rel="${'y '.repeat(2000)}"`,
  ])('a Link header of %j', async (link) => {
    publish(page('<title>Quill</title>', { 'content-type': 'text/html', link }));
    expect(await shown()).toContain('<bdi>Quill</bdi>');
  });
});

test('many browsers at once cause one request for the app’s page', async () => {
  const waiting: (() => void)[] = [];
  publish((_request, response) => {
    waiting.push(() => response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Quill</title>'));
  });
  const pages = Promise.all(Array.from({ length: 10 }, () => view()));
  await expect.poll(() => waiting.length).toBe(1);
  waiting[0]?.();
  for (const { text } of await pages) expect(text).toContain('<bdi>Quill</bdi>');
  expect(site.requests.filter((line) => line === `GET ${new URL(client).pathname}`)).toHaveLength(1);
});
