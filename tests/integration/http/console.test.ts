import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openConsole, type Console } from '../../../src-main/http/console.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { openSite, page, type Site } from '../../support/client-app.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { ask, signInRequest } from '../../support/sign-in.ts';

let porchlight: Porchlight;
let ownersPage: Console;
let windowDir: string;
let app: Site;

beforeAll(async () => {
  porchlight = await startPorchlight();
  windowDir = await mkdtemp(path.join(tmpdir(), 'porchlight-window-'));
  await writeFile(path.join(windowDir, 'index.html'), '<!doctype html><title>The window</title>');
  const { owner, transfers } = porchlight.service;
  ownersPage = await openConsole({ owner, transfers, port: 0, windowDir, log: silentLog });
  app = await openSite();
  app.pages.set('/', page('<title>App</title>'));
});

afterAll(async () => {
  await ownersPage.close();
  await porchlight.remove();
  await app.close();
  await rm(windowDir, { recursive: true });
});

interface Raw {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** fetch refuses to forge Host and Origin; an attacker does not. */
function raw(
  address: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(address, ownersPage.url), { method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

function call(method: string, params: unknown, headers: Record<string, string> = {}): Promise<Raw> {
  const authorization = `Bearer ${ownersPage.ownerKey}`;
  return raw(`/api/${method}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(params),
  });
}

/** Client libraries normalize an address; this one is sent unchanged. */
async function statusOf(method: string, target: string, headers: readonly string[]): Promise<number> {
  const { host } = new URL(ownersPage.url);
  const head = [`${method} ${target} HTTP/1.1`, `host: ${host}`, 'connection: close', ...headers];
  const { statuses } = await rawRequest(ownersPage.url, `${head.join('\r\n')}\r\n\r\n`);
  return statuses[0] ?? 0;
}

describe('the owner’s page on loopback', () => {
  test('the window is served with its policy, and without CORS headers', async () => {
    const { status, headers, text } = await raw('/');
    expect(status).toBe(200);
    expect(text).toContain('The window');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  test('answers a call of the owner', async () => {
    const { status, text } = await call('status.get', {});
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ result: { server: 'on', me: 'https://owner.example/' } });
  });

  test.each([
    ['no key', {}],
    ['a wrong key', { authorization: 'Bearer wrong' }],
    ['the key as another scheme', { authorization: 'Basic wrong' }],
  ])('refuses a call with %s', async (_name, headers) => {
    const { status, text } = await raw('/api/status.get', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
    expect(status).toBe(401);
    expect(text).not.toContain('owner.example');
  });

  test('the key is accepted only in the header, because histories and logs keep addresses', async () => {
    const key = ownersPage.ownerKey;
    for (const [address, headers] of [
      [`/api/status.get?key=${key}&ownerKey=${key}&access_token=${key}&token=${key}`, {}],
      ['/api/status.get', { cookie: `key=${key}; ownerKey=${key}` }],
      ['/api/status.get', { 'x-owner-key': key }],
    ] as const) {
      const { status } = await raw(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ key, ownerKey: key, access_token: key }),
      });
      expect(status, address).toBe(401);
    }
  });

  test('a request with a forged Host (DNS rebinding) is refused, even with the right key', async () => {
    for (const host of [
      'evil.example',
      `evil.example:${new URL(ownersPage.url).port}`,
      '127.0.0.1',
      '127.0.0.1:1',
    ]) {
      expect(await call('status.get', {}, { host })).toMatchObject({ status: 403 });
      expect(await raw('/', { headers: { host } })).toMatchObject({ status: 403 });
    }
  });

  test('a request from another site is refused, even with the right key', async () => {
    for (const origin of ['https://evil.example', 'null', porchlight.base, 'http://127.0.0.1']) {
      expect(await call('status.get', {}, { origin }), origin).toMatchObject({ status: 403 });
    }
    expect(await call('status.get', {}, { 'sec-fetch-site': 'cross-site' })).toMatchObject({ status: 403 });
    expect(await call('status.get', {}, { 'sec-fetch-site': 'same-site' })).toMatchObject({ status: 403 });
    expect(
      await call('status.get', {}, { origin: ownersPage.url, 'sec-fetch-site': 'same-origin' }),
    ).toMatchObject({ status: 200 });
  });

  test('a cross-site form can’t approve a sign-in, and the owner can', async () => {
    const { id } = await ask(porchlight, signInRequest(app.origin));
    const forged = await raw('/api/signIns.approve', {
      method: 'POST',
      headers: { 'content-type': 'text/plain', origin: app.origin, 'sec-fetch-site': 'cross-site' },
      body: JSON.stringify({ id, scopes: ['profile'] }),
    });
    expect(forged.status).toBe(403);
    expect((await porchlight.call('signIns.list', {})).map((one) => one.id)).toContain(id);
    expect(JSON.parse((await call('signIns.approve', { id, scopes: ['profile'] })).text)).toEqual({
      result: { id, outcome: 'approved' },
    });
  });

  test('names the mistake in a call, and changes nothing', async () => {
    const before = await porchlight.call('settings.get', {});
    const { url } = await porchlight.call('posts.create', {
      text: 'Hello',
      photos: [],
      categories: [],
      visibility: 'public',
      status: 'draft',
    });
    for (const [method, params, status] of [
      ['posts.update', { url, text: 'Bye', ifVersion: 'another' }, 409],
      ['no.such', {}, 404],
      ['__proto__', {}, 404],
      ['constructor', {}, 404],
      ['settings.update', { profile: { me: 'not an address' } }, 400],
      ['settings.update', { nonsense: true }, 400],
      ['settings.update', { signIn: { accessTokenSeconds: '3600' } }, 400],
      ['settings.update', [], 400],
      ['signIns.approve', { id: 'x' }, 400],
      ['signIns.deny', { id: 'nobody' }, 404],
    ] as const) {
      const answer = await call(method, params);
      expect(answer.status, method).toBe(status);
      expect(JSON.parse(answer.text), method).toMatchObject({
        error: { code: expect.any(String) as string, message: expect.any(String) as string },
      });
    }
    expect(await porchlight.call('settings.get', {})).toEqual(before);
  });

  test('a body that isn’t JSON is the caller’s mistake', async () => {
    const authorization = `Bearer ${ownersPage.ownerKey}`;
    for (const [type, body] of [
      ['application/json', '{"a":'],
      ['text/plain', 'x'],
      ['application/json', '{"__proto__":{"a":1}}'],
    ] as const) {
      const { status } = await raw('/api/status.get', {
        method: 'POST',
        headers: { authorization, 'content-type': type },
        body,
      });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    }
  });

  test('sends events as they happen, to the owner only', async () => {
    expect((await raw('/api/events')).status).toBe(401);
    const stopped = new AbortController();
    const stream = await fetch(`${ownersPage.url}/api/events`, {
      headers: { authorization: `Bearer ${ownersPage.ownerKey}` },
      signal: stopped.signal,
    });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    const { id, matchCode } = await ask(porchlight, signInRequest(app.origin));
    let heard = '';
    const decoder = new TextDecoder();
    const reader = (stream.body ?? new ReadableStream<Uint8Array>()).getReader();
    while (!heard.includes('signIn.requested') || !heard.endsWith('\n\n')) {
      const { done, value } = await reader.read();
      if (done) break;
      heard += decoder.decode(value, { stream: true });
    }
    const line = heard.split('\n\n').find((one) => one.startsWith('event: signIn.requested'));
    expect(JSON.parse(line?.split('\ndata: ')[1] ?? '{}')).toMatchObject({ id, matchCode });
    stopped.abort();
  });

  test.each(['/%61pi/', '/ap%69/'])(
    'wants the key and its own pages however the address of a call is spelled: %s',
    async (start) => {
      const authorization = `Bearer ${ownersPage.ownerKey}`;
      for (const [method, target] of [
        ['POST', `${start}secrets.managementToken`],
        ['GET', `${start}events`],
      ] as const) {
        expect(await statusOf(method, target, [])).toBe(401);
        const foreign = [`authorization: ${authorization}`, 'sec-fetch-site: cross-site'];
        expect(await statusOf(method, target, foreign)).toBe(403);
      }
    },
  );

  test('refuses a call whose target is a whole address, even with the right key', async () => {
    const target = `${ownersPage.url}/api/secrets.managementToken`;
    const key = [`authorization: Bearer ${ownersPage.ownerKey}`];
    expect(await statusOf('POST', target, key)).toBe(400);
  });

  test('no file outside the window’s folder is served', async () => {
    for (const address of [
      '/../package.json',
      '/%2e%2e/package.json',
      '/..%2fpackage.json',
      '/%5c..%5cpackage.json',
    ]) {
      expect((await raw(address)).status, address).toBeGreaterThanOrEqual(400);
    }
  });

  test('a link’s code becomes the owner key once, and only for the page itself', async () => {
    const redeem = (code: string, headers: Record<string, string> = {}) =>
      raw('/link', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ code }),
      });
    const code = new URL(ownersPage.newLink()).hash.replace('#code=', '');
    expect((await redeem(code, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await redeem(code, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await redeem(code, { host: 'evil.example' })).status).toBe(403);
    expect((await redeem(`${code}x`)).status).toBe(401);
    const answer = await redeem(code);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({ ownerKey: ownersPage.ownerKey });
    expect((await redeem(code)).status).toBe(401);
    expect((await redeem('')).status).toBe(400);
  });
});
