import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { edgeScene, type EdgeScene } from '../../support/edge-scene.ts';

let scene: EdgeScene;
beforeAll(async () => {
  scene = await edgeScene();
});
beforeEach(() => scene.reset());
afterAll(() => scene.stop());

/** Starts a Worker for one test, which has not heard of its server for a while, or never. */
async function freshScene(options: Parameters<typeof edgeScene>[0]): Promise<EdgeScene> {
  const fresh = await edgeScene(options);
  onTestFinished(() => fresh.stop());
  return fresh;
}

const browser = { accept: 'text/html,application/xhtml+xml' };
const mention = { source: 'https://sender.test/reply', target: 'https://home.test/post' };
const subscription = {
  'hub.mode': 'subscribe',
  'hub.topic': 'https://home.test/',
  'hub.callback': 'https://reader.test/callback',
};

describe.each(['asleep', 'not answering', 'off'] as const)('while the server is %s', (state) => {
  beforeEach(async () => {
    scene.behave('broken');
    if (state !== 'not answering') await scene.client.call('away', { kind: state });
  });

  test.each([
    ['GET', '/token'],
    ['POST', '/token'],
    ['POST', '/introspect'],
    ['POST', '/revoke'],
    ['GET', '/userinfo'],
    ['GET', '/micropub?q=config'],
    ['POST', '/micropub'],
    ['POST', '/media'],
    ['POST', '/mcp'],
    ['GET', '/.well-known/oauth-protected-resource'],
    ['GET', '/.well-known/oauth-protected-resource/mcp'],
    ['DELETE', '/anything'],
    ['GET', '/no-copy-of-this'],
  ])('%s %s is answered in JSON with 503, so that apps keep their tokens', async (method, path) => {
    const response = await fetch(`${scene.url}${path}`, { method });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('300');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toMatchObject({
      error: 'temporarily_unavailable',
      error_description: expect.stringContaining(
        state === 'off' ? 'The owner has turned this server off' : 'asleep or not connected',
      ) as string,
    });
  });

  test.each([
    ['/auth?client_id=https%3A%2F%2Fapp.test%2F', 'sign in'],
    ['/auth/requests/abc', 'sign in'],
    ['/phone', 'approve sign-ins'],
  ])('a sign-in at %s sees a page without scripts', async (path, act) => {
    const response = await scene.get(path);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('300');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; /,
    );
    const page = await response.text();
    expect(page).toContain(state === 'off' ? 'This server is off' : 'This server is asleep');
    expect(page).toContain(`You can ${act} when it is back.`);
    expect(page).not.toContain('<script');
  });

  test('a browser sees a page at any address', async () => {
    const response = await scene.get('/no-copy-of-this', browser);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      503,
      'text/html; charset=utf-8',
    ]);
    // While the server is off, there are no copies of the home page either.
    expect((await response.text()).includes('<a href="/">Home page</a>')).toBe(state !== 'off');
  });

  test.each(['/micropub', '/mcp'])('a script on another site may ask %s first', async (path) => {
    const response = await fetch(`${scene.url}${path}`, { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const allowed = response.headers.get('access-control-allow-headers')?.split(', ');
    for (const name of ['Authorization', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id'])
      expect(allowed).toContain(name);
  });
});

describe.each(['asleep', 'not answering'] as const)('while the server is %s', (state) => {
  beforeEach(async () => {
    scene.behave('broken');
    if (state === 'asleep') await scene.client.call('away', { kind: 'asleep' });
  });

  test('a mention and a subscription are kept', async () => {
    expect((await scene.post('/webmention', mention)).status).toBe(202);
    expect((await scene.post('/websub', subscription)).status).toBe(202);
    expect(await scene.client.call('state', {})).toMatchObject({ state: 'asleep', kept: 2 });
  });

  test('somebody who sends a mention from a form sees a page', async () => {
    const response = await scene.post('/webmention', mention, browser);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      202,
      'text/html; charset=utf-8',
    ]);
    expect(await response.text()).toContain('It will process this request when it is back.');
  });

  test.each([
    ['no source', { target: mention.target }],
    ['a source that is no URL', { ...mention, source: 'reply' }],
    ['a source of another scheme', { ...mention, source: 'ftp://sender.test/' }],
    ['an address that is too long', { ...mention, source: `https://sender.test/${'a'.repeat(2048)}` }],
    ['source and target the same', { ...mention, source: mention.target }],
    ['a target at another host', { ...mention, target: 'https://elsewhere.test/post' }],
  ])('a mention with %s is refused', async (_name, fields) => {
    const response = await scene.post('/webmention', fields);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
    expect(await scene.client.call('state', {})).toMatchObject({ kept: 0 });
  });

  test.each([
    ['no callback', { 'hub.mode': 'subscribe', 'hub.topic': 'https://home.test/' }],
    ['an unknown mode', { ...subscription, 'hub.mode': 'publish' }],
    ['a value that is too long', { ...subscription, 'hub.secret': 'a'.repeat(2049) }],
    [
      'too many fields',
      { ...subscription, ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`hub.${i}`, ''])) },
    ],
  ])('a subscription with %s is refused', async (_name, fields) => {
    expect((await scene.post('/websub', fields as Record<string, string>)).status).toBe(400);
    expect(await scene.client.call('state', {})).toMatchObject({ kept: 0 });
  });

  test('a mention that is no form is refused', async () => {
    const body = JSON.stringify(mention);
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${scene.url}/webmention`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
  });
});

test('while the server is off, nothing is stored and no copies are served', async () => {
  await scene.client.store([copyOfPage]);
  await scene.client.call('away', { kind: 'off' });
  scene.behave('broken');
  expect((await scene.post('/webmention', mention)).status).toBe(503);
  expect((await scene.post('/websub', subscription)).status).toBe(503);
  expect((await scene.get('/page')).status).toBe(503);
  expect(await scene.client.call('state', {})).toMatchObject({ state: 'off', kept: 0, refused: 0 });
});

test('a failed request does not turn off into asleep, and the latest sign-off counts', async () => {
  await scene.client.call('away', { kind: 'off' });
  scene.behave('broken');
  await scene.get('/');
  expect(await scene.client.call('state', {})).toMatchObject({ state: 'off' });
  await scene.client.call('away', { kind: 'asleep' });
  expect(await scene.client.call('state', {})).toMatchObject({ state: 'asleep' });
});

test.each(['broken', 'dead'] as const)(
  'a server that is %s is not tried again by those who come next',
  async (behavior) => {
    scene.behave(behavior);
    await scene.get('/first');
    const tried = scene.requests.length;
    for (const path of ['/second', '/third', '/fourth']) expect((await scene.get(path)).status).toBe(503);
    await scene.post('/webmention', mention);
    expect(scene.requests.length).toBe(tried);
  },
);

test('a server that hangs is dropped after a while, and then not tried again', async () => {
  const fresh = await freshScene({ numbers: { reading: 200, pingPatience: 200 } });
  fresh.behave('hanging');
  // The mailbox still believes that the server is awake, so the deadline ends the wait.
  expect((await fresh.get('/first')).status).toBe(503);
  const tried = fresh.requests.length;
  expect((await fresh.get('/second')).status).toBe(503);
  expect(fresh.requests.length).toBe(tried);
});

test('one request that fails does not mark the server as away', async () => {
  const fresh = await freshScene({ numbers: { reading: 100 } });
  expect((await fresh.get('/unreadable')).status).toBe(431);
  expect((await fresh.get('/breaks')).status).toBe(504);
  const leaving = new AbortController();
  const waiting = fetch(`${fresh.url}/hangs`, { signal: leaving.signal }).catch(() => undefined);
  const pings = () => fresh.requests.filter(({ method }) => method === 'HEAD').length;
  const before = pings();
  for (const path of ['/one', '/two', '/three']) {
    const answer = await fresh.get(path);
    expect([answer.status, await answer.text()]).toEqual([200, `hello ${path}`]);
  }
  // The Worker has looked whether the server is there, because one request waits.
  await expect.poll(pings, { timeout: 90_000 }).toBeGreaterThan(before);
  expect((await fresh.get('/four')).status).toBe(200);
  expect((await fresh.client.call('state', {})).state).toBe('awake');
  const form = { source: 'https://bea.example/', target: 'https://home.test/' };
  expect((await fresh.post('/webmention', form)).status).toBe(200);
  leaving.abort();
  await waiting;
});

test('nobody waits for a server that has signed off and hangs', async () => {
  const fresh = await freshScene({});
  await fresh.client.store([copyOfPage]);
  await fresh.client.call('away', { kind: 'asleep' });
  fresh.behave('hanging');
  // Without the mailbox's word, the answer would come after the deadline, as a failed request.
  const response = await fresh.get('/page');
  expect(await response.text()).toBe('a page');
});

test.each(['asleep', 'off'] as const)(
  'nothing is sent to a server that has signed off (%s), although this instance of the Worker knows nothing about it',
  async (kind) => {
    const fresh = await freshScene({ numbers: { other: 200, reading: 200, pingPatience: 200 } });
    await fresh.client.call('away', { kind });
    fresh.behave('hanging');
    const answers = await Promise.all([
      fresh.post('/token', { grant_type: 'refresh_token' }),
      fresh.post('/webmention', mention),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(kind === 'asleep' ? [503, 202] : [503, 503]);
    expect(fresh.requests.map(({ method }) => method)).not.toContain('POST');
  },
);

test('as soon as the server says that it is awake, requests reach it', async () => {
  scene.behave('broken');
  expect((await scene.get('/')).status).toBe(503);
  scene.behave('answering');
  await scene.client.call('awake', { hosts: ['home.test'] });
  expect(await (await scene.get('/here')).text()).toBe('hello /here');
  expect(await scene.client.call('state', {})).toMatchObject({ state: 'awake' });
});

test('a server that answers again without a word is found after a while', async () => {
  const fresh = await freshScene({ numbers: { pause: 100 } });
  fresh.behave('broken');
  expect((await fresh.get('/')).status).toBe(503);
  fresh.behave('answering');
  await expect
    .poll(async () => (await fresh.get('/here')).status, { timeout: 360_000, interval: 50 })
    .toBe(200);
  expect(await fresh.client.call('state', {})).toMatchObject({ state: 'awake' });
}, 450_000);

test('a server that is on again is found although it could not say so, but not while it says that it is off', async () => {
  const fresh = await freshScene({ numbers: { pause: 100 } });
  await fresh.client.call('away', { kind: 'off' });
  // While it is off, the server still proves that it is there.
  fresh.answerWith((_request, response) => response.writeHead(503).end('off'));
  const pings = () => fresh.requests.filter(({ method }) => method === 'HEAD').length;
  await expect
    .poll(
      async () => {
        expect((await fresh.get('/here', browser)).status).toBe(503);
        return pings();
      },
      { timeout: 360_000, interval: 50 },
    )
    .toBeGreaterThan(2);
  expect(await fresh.client.call('state', {})).toMatchObject({ state: 'off' });
  fresh.answerWith((_request, response) => response.writeHead(404).end('hello'));
  await expect
    .poll(async () => (await fresh.get('/here')).status, { timeout: 360_000, interval: 50 })
    .toBe(404);
  expect(await fresh.client.call('state', {})).toMatchObject({ state: 'awake' });
}, 300_000);

test('until a server has called, everything passes, because nothing is known about one', async () => {
  const fresh = await freshScene({ isNew: true });
  fresh.behave('broken');
  const response = await fresh.get('/');
  expect([response.status, await response.text()]).toEqual([502, 'bad gateway']);
  expect((await fresh.post('/webmention', mention)).status).toBe(502);
});

test('a form of 10 MB is not read while the server is away, and passes while it is not', async () => {
  const body = new URLSearchParams({ ...mention, more: 'a'.repeat(10_000_000) });
  const send = () => fetch(`${scene.url}/webmention`, { method: 'POST', body });
  scene.answerWith((request, response) => {
    let length = 0;
    request.on('data', (chunk: Buffer) => (length += chunk.length));
    request.on('end', () => response.end(String(length)));
  });
  expect(Number(await (await send()).text())).toBeGreaterThan(10_000_000);
  await scene.client.call('away', { kind: 'asleep' });
  scene.behave('broken');
  expect((await send()).status).toBe(413);
  expect(await scene.client.call('state', {})).toMatchObject({ kept: 0 });
});

test('a form without a length is read up to the limit', async () => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const sending = request(`${scene.url}/webmention`, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
      sending.destroy();
    });
    sending.on('error', reject);
    // It never ends.
    sending.write('a'.repeat(100_000));
  });
  expect(status).toBe(413);
});

const copyOfPage = {
  address: '/page',
  hash: 'one',
  status: 200,
  headers: { 'content-type': 'text/plain' },
  noteAt: null,
  body: new TextEncoder().encode('a page'),
};
