import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openScene, type Scene } from '../../support/scene.ts';
import { post } from '../../support/sign-in.ts';

let scene: Scene;
beforeEach(async () => void (scene = await openScene()));
afterEach(() => scene.close());

/** What Chromium, Firefox and Safari send when they open a page. */
const browsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const ask = (path: string, init: RequestInit = {}) => fetch(new URL(path, scene.porchlight.base), init);
const off = () => scene.porchlight.call('server.turnOff', {});
/** Resolves when a request for this path is at the server. */
const arrivalOf = (path: string) =>
  new Promise<void>((resolve) => {
    const channel = 'http.server.request.start';
    const hear = (message: unknown) => {
      if ((message as { request: IncomingMessage }).request.url !== path) return;
      diagnostics.unsubscribe(channel, hear);
      resolve();
    };
    diagnostics.subscribe(channel, hear);
  });
const on = () => scene.porchlight.call('server.turnOn', {});

describe('while the server is off', () => {
  test.each(['/', '/posts/any', '/auth?client_id=x', '/no-such-page'])(
    'a person who opens %s reads a page that says so',
    async (path) => {
      await off();
      const response = await ask(path, { headers: { accept: browsers } });
      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      const page = await response.text();
      expect(page).toContain('site is off right now</h1>');
      expect(page).toContain('Try again later.');
      expect(page).not.toContain('http-equiv="refresh"');
    },
  );

  test('a person whose form arrives then reads the same page', async () => {
    await off();
    const body = new URLSearchParams({ request: 'x', proof: 'y' });
    const response = await ask('/auth/requests', { method: 'POST', body, headers: { accept: browsers } });
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('site is off right now</h1>');
  });

  test.each([
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/feed.atom'],
    ['POST', '/token'],
    ['POST', '/introspect'],
    ['POST', '/revoke'],
    ['GET', '/userinfo'],
    ['GET', '/micropub?q=config'],
    ['POST', '/micropub'],
    ['POST', '/media'],
    ['POST', '/webmention'],
    ['DELETE', '/webmention'],
    ['GET', '/process'],
    ['PUT', '/no-such-page'],
  ])(
    'a program that sends %s %s gets 503 as JSON, which scripts of other sites may read',
    async (method, path) => {
      await off();
      const response = await ask(path, {
        method,
        headers: { accept: 'application/json', origin: 'https://app.example' },
        ...(method === 'POST' && { body: new URLSearchParams({ h: 'entry', content: 'Hello' }) }),
      });
      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.json()).toEqual({
        error: 'temporarily_unavailable',
        error_description: 'The owner has turned this server off. Try again later.',
      });
    },
  );

  test('HEAD has the status and no body, and the authorization endpoint has no CORS', async () => {
    await off();
    const head = await ask('/', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([503, '']);
    const auth = await ask('/auth', { headers: { origin: 'https://app.example' } });
    expect(auth.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('no sign-in and no post gets through, and tokens are good again afterwards', async () => {
    const { access_token: token } = await scene.tokens(scene.request());
    const bearer = { authorization: `Bearer ${token}` };
    const createdWith = { h: 'entry', content: 'Written while it was off' };
    const visitor = scene.visitor();
    const page = await (
      await visitor.open(`/auth?${new URLSearchParams(defined(scene.request().parameters))}`)
    ).text();
    await off();
    expect((await post(scene.porchlight, '/micropub', createdWith, bearer)).status).toBe(503);
    expect((await visitor.press(page)).status).toBe(503);
    expect(await scene.porchlight.call('signIns.list', {})).toEqual([]);
    expect((await scene.porchlight.call('posts.list', {})).items).toEqual([]);
    await on();
    expect((await post(scene.porchlight, '/micropub', createdWith, bearer)).status).toBe(201);
    expect((await visitor.press(page)).status).toBe(303);
  });

  test('a post that was on its way is finished before the owner hears that the server is off', async () => {
    const { access_token: token } = await scene.tokens(scene.request());
    let finish = (): void => undefined;
    const slow = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('h=entry&content='));
        finish = () => {
          controller.enqueue(new TextEncoder().encode('Just+in+time'));
          controller.close();
        };
      },
    });
    const arrived = arrivalOf('/micropub');
    const posted = ask('/micropub', {
      method: 'POST',
      body: slow,
      duplex: 'half',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
    } as RequestInit);
    await arrived;
    const turnedOff = off();
    setTimeout(finish, 300);
    expect((await posted).status).toBe(201);
    await turnedOff;
    expect((await scene.porchlight.call('posts.list', {})).items).toHaveLength(1);
    expect((await ask('/')).status).toBe(503);
  });

  test('a waiting page without scripts continues by itself', async () => {
    const waiting = await scene.ask(scene.request());
    await off();
    const away = await waiting.browser.open(waiting.address);
    expect(away.status).toBe(503);
    const page = await away.text();
    expect(page).toContain('Your sign-in continues when the site is back.');
    expect(page).toMatch(/<noscript><meta http-equiv="refresh" content="\d+"\s*\/?><\/noscript>/);
    await scene.approve(waiting);
    await on();
    expect((await scene.wayBack(waiting)).searchParams.has('code')).toBe(true);
  });

  test('turning it off again changes nothing, and stopping closes the port', async () => {
    await off();
    await off();
    expect((await ask('/')).status).toBe(503);
    await scene.porchlight.stop();
    await expect(ask('/')).rejects.toThrow();
  });
});

function defined(parameters: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
