import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBrowser } from '../../support/browser.ts';
import { json, openSite, page, type Site } from '../../support/client-app.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { ask, authorizationUrl, redeem, signInRequest } from '../../support/sign-in.ts';

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

const publish = (answer: ReturnType<typeof page>) => site.pages.set(new URL(client).pathname, answer);
const other = 'https://other.example/callback';

async function view(parameters: Record<string, string | undefined>, server = porchlight) {
  const address = authorizationUrl(
    server.base,
    signInRequest(site.origin, { client_id: client, ...parameters }),
  );
  const response = await openBrowser(server.base).open(address);
  return { response, text: await response.text() };
}

/** Expects that a page leads nowhere but to the home page of the site that it is on (IA-56). */
function expectNoWayOn(text: string): void {
  expect(text.replace('<a href="/">', '')).not.toMatch(/<a |<form|http-equiv/);
}

/** Expects a page that leads nowhere (IA-56). */
async function expectRefused(parameters: Record<string, string | undefined>): Promise<void> {
  const { response, text } = await view(parameters);
  expect(response.status).toBe(400);
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  expect(response.headers.get('location')).toBeNull();
  expectNoWayOn(text);
}

async function expectShown(redirectUri: string): Promise<void> {
  const { response, text } = await view({ redirect_uri: redirectUri });
  expect(response.status).toBe(200);
  expect(text).toContain(`<code>${redirectUri.replaceAll('&', '&amp;')}</code>`);
}

describe('a list on a page', () => {
  test('IA-51 a link element', async () => {
    publish(page(`<link rel="redirect_uri" href="${other}">`));
    await expectShown(other);
  });

  test('IA-51 a Link header', async () => {
    publish(page('<p>', { 'content-type': 'text/html', link: `<${other}>; rel="redirect_uri"` }));
    await expectShown(other);
  });

  test('IA-54 a scheme of its own, only if listed', async () => {
    publish(page('<link rel="redirect_uri" href="app.example://cb">'));
    await expectShown('app.example://cb');
    await expectRefused({ redirect_uri: 'app.example://other' });
  });

  test('IA-51 another relation with the right address does not', async () => {
    publish(page(`<link rel="wrong_redirect_uri_rel" href="${other}">`));
    await expectRefused({ redirect_uri: other });
  });

  test('IA-54 no list makes a script a redirect_uri', async () => {
    publish(
      page(
        '<link rel="redirect_uri" href="javascript:alert(1)"><link rel="redirect_uri" href="data:text/html,x">',
      ),
    );
    await expectRefused({ redirect_uri: 'javascript:alert(1)' });
    await expectRefused({ redirect_uri: 'data:text/html,x' });
  });

  test('IA-53 nor plain http, nor a fragment, nor a user', async () => {
    const uris = ['http://other.example/cb', `${other}#x`, 'https://ann@other.example/cb'];
    publish(page(uris.map((uri) => `<link rel="redirect_uri" href="${uri}">`).join('')));
    for (const uri of uris) await expectRefused({ redirect_uri: uri });
  });
});

describe('a page that can’t be read', () => {
  const down = page('Down for maintenance.', {}, 503);

  test('isn’t the app’s mistake: the words say so, and nothing leads on', async () => {
    const uncached = { 'content-type': 'text/html', 'cache-control': 'no-store' };
    publish(page(`<link rel="redirect_uri" href="${other}">`, uncached));
    await expectShown(other);
    publish(down);
    const { response, text } = await view({ redirect_uri: other });
    expect(response.status).toBe(400);
    expect(text).toContain('Porchlight could not read this app’s page');
    expect(text).not.toContain('made a mistake');
    expectNoWayOn(text);
  });

  test('still lets the browser return to the app’s own site', async () => {
    publish(down);
    await expectShown(`${site.origin}/callback`);
  });

  test('an app that lists another address did make a mistake', async () => {
    publish(page('<link rel="redirect_uri" href="https://different.example/callback">'));
    const { text } = await view({ redirect_uri: other });
    expect(text).toContain('made a mistake');
    expect(text).not.toContain('could not read');
  });
});

describe('a list in a JSON document', () => {
  const publishDocument = (...uris: string[]) => publish(json({ client_id: client, redirect_uris: uris }));

  test('IA-51 IA-52 a redirect_uri of a JSON document must match exactly', async () => {
    publishDocument(other);
    await expectShown(other);
    for (const near of [`${other}/`, `${other}?a=b`, `${other}/..`, other.replace('https', 'HTTPS')])
      await expectRefused({ redirect_uri: near });
  });

  test('D-11 is all there is: the own origin is not in it by itself', async () => {
    publishDocument(other);
    await expectRefused({ redirect_uri: `${site.origin}/callback` });
  });
});

describe('what nobody lists', () => {
  test('IA-50 the own origin is allowed and shown', async () => {
    publish(page('<title>App</title>'));
    await expectShown(`${site.origin}/anywhere?a=b&c=d`);
  });

  test('IA-50 another address is refused', async () => {
    publish(page('<title>App</title>'));
    await expectRefused({ redirect_uri: 'https://evil.example/' });
  });

  test('IA-50 an app that cannot be read has its own origin and nothing else', async () => {
    await expectShown(`${site.origin}/callback`);
    await expectRefused({ redirect_uri: other });
  });
});

describe('a page without a way back', () => {
  test.each<[string, Record<string, string | undefined>]>([
    ['no client_id', { client_id: undefined }],
    ['an empty client_id', { client_id: '' }],
    ['a client_id that is none', { client_id: 'mailto:app@example.com' }],
    ['a client_id on an address', { client_id: 'https://172.28.92.51/' }],
    ['a client_id with dot segments', { client_id: 'https://app.example/a/../b' }],
    ['no redirect_uri', { redirect_uri: undefined }],
    ['an empty redirect_uri', { redirect_uri: '' }],
    ['a redirect_uri that is none', { redirect_uri: '/callback' }],
    ['a redirect_uri with a user', { redirect_uri: 'https://ann:pw@app.example/' }],
    ['a redirect_uri without end', { redirect_uri: `https://app.example/${'x'.repeat(5000)}` }],
    ['other faults besides', { redirect_uri: 'https://evil.example/', scope: '"', response_type: 'token' }],
  ])('IA-56 answers %s', async (_, parameters) => {
    await expectRefused(parameters);
  });

  test.each(['client_id', 'redirect_uri'])('IA-56 answers two of %s', async (name) => {
    const address = authorizationUrl(porchlight.base, signInRequest(site.origin));
    const value = encodeURIComponent(`${site.origin}/`);
    const response = await openBrowser(porchlight.base).open(`${address}&${name}=${value}`);
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
  });

  test('IA-56 shows the parameters as text, if at all', async () => {
    const { text } = await view({ client_id: 'https://app.example/"><script>alert(1)</script>' });
    expect(text).not.toContain('<script>alert');
  });

  test('IA-56 the owner hears nothing of it', async () => {
    await expectRefused({ redirect_uri: 'https://evil.example/' });
    expect(await porchlight.call('signIns.list', {})).toEqual([]);
    expect(porchlight.events.filter(({ name }) => name === 'signIn.requested')).toEqual([]);
  });
});

describe('the way back', () => {
  test('IA-55 the query of the redirect_uri is kept unchanged', async () => {
    const uri = `${site.origin}/cb?a=b&enc=%2B+%20&state=own`;
    const request = signInRequest(site.origin, { redirect_uri: uri });
    const waiting = await ask(porchlight, request);
    const [pending] = await porchlight.call('signIns.list', {});
    await porchlight.call('signIns.approve', { id: pending!.id, scopes: pending!.scopes });
    const location = (await waiting.browser.open(waiting.address)).headers.get('location') ?? '';
    expect(location.startsWith(`${uri}&code=`)).toBe(true);
    expect(new URL(location).searchParams.getAll('state')).toEqual(['own', 'a-state']);
  });

  test('IA-37 client and redirect are compared as URLs, and kept as they were sent', async () => {
    const loud = site.origin.replace('http', 'HTTP');
    const request = signInRequest(site.origin, { client_id: loud, redirect_uri: `${loud}/callback` });
    const { matchCode, id, browser, address } = await ask(porchlight, request);
    const pending = (await porchlight.call('signIns.list', {})).find((one) => one.id === id);
    expect(pending).toMatchObject({ matchCode, clientId: loud, redirectUri: `${loud}/callback` });
    await porchlight.call('signIns.approve', { id, scopes: pending!.scopes });
    const location = (await browser.open(address)).headers.get('location') ?? '';
    expect(location.startsWith(`${loud}/callback?code=`)).toBe(true);
    const { searchParams } = new URL(location);
    const redeemed = await redeem(porchlight, request, searchParams, {
      client_id: `${site.origin}/`,
      redirect_uri: `${site.origin}/callback`,
    });
    expect(redeemed.status).toBe(200);
  });

  test.each(['/größe?x=é', '/☃', '/🏡?emoji=🏡'])(
    'IA-55 a redirect_uri with %s gets its answer',
    async (path) => {
      const uri = `${site.origin}${path}`;
      const request = signInRequest(site.origin, { redirect_uri: uri });
      const { browser, address, id } = await ask(porchlight, request);
      await porchlight.call('signIns.approve', { id, scopes: [] });
      const location = (await browser.open(address)).headers.get('location') ?? '';
      expect(location).toMatch(/^[\x21-\x7e]+$/);
      expect(location.startsWith(new URL(uri).href)).toBe(true);
      expect(new URL(location).searchParams.get('state')).toBe('a-state');
    },
  );
});
