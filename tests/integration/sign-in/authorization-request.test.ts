import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectError, jsonOf } from '../../support/answers.ts';
import { unescape } from '../../support/browser.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { authorizationUrl, post, redeem } from '../../support/sign-in.ts';

let scene: Scene;
beforeAll(async () => void (scene = await openScene()));
afterAll(() => scene.close());

const view = (parameters: Record<string, string | undefined>, more = '') =>
  scene.visitor().open(authorizationUrl(scene.porchlight.base, scene.request(parameters)) + more);

/** Where a page's link back to the app leads; null where there is none. */
function linkOf(text: string): URL | null {
  const href = /<a class="button[^>]*href="([^"]*)"/.exec(text)?.[1];
  return href === undefined ? null : new URL(unescape(href));
}

async function nobodyRings(): Promise<void> {
  expect(await scene.porchlight.call('signIns.list', {})).toEqual([]);
}

test('a right request is answered with a page, and rings no bell yet', async () => {
  const response = await view({});
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  expect(response.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-porchlight=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
  ]);
  await nobodyRings();
});

describe('an error that is sent to the app', () => {
  test.each<[string, string, Record<string, string | undefined>, string?]>([
    ['IA-60 the response_type token', 'unsupported_response_type', { response_type: 'token' }],
    ['IA-60 no response_type', 'unsupported_response_type', { response_type: undefined }],
    ['IA-61 a challenge without its method', 'invalid_request', { code_challenge_method: undefined }],
    ['IA-61 a method without a challenge', 'invalid_request', { code_challenge: undefined }],
    ['IA-61 the method plain', 'invalid_request', { code_challenge_method: 'plain' }],
    ['IA-61 a challenge that is too short', 'invalid_request', { code_challenge: 'abc' }],
    ['IA-62 no PKCE', 'invalid_request', { code_challenge: undefined, code_challenge_method: undefined }],
    ['IA-63 no state', 'invalid_request', { state: undefined }],
    ['IA-64 a scope with a quote', 'invalid_scope', { scope: 'create "x"' }],
    ['IA-64 a scope with a backslash', 'invalid_scope', { scope: 'cre\\ate' }],
    ['IA-65 email without profile', 'invalid_scope', { scope: 'email' }],
    ['IA-67 a repeated scope', 'invalid_request', {}, '&scope=create'],
    ['IA-67 a repeated challenge', 'invalid_request', {}, '&code_challenge=x'],
    ['IA-68 an empty state', 'invalid_request', { state: '' }],
  ])('%s: a page that names %s, with the way back', async (_name, error, parameters, more) => {
    const response = await view(parameters, more);
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    const back = linkOf(await response.text());
    expect(`${back?.origin ?? ''}${back?.pathname ?? ''}`).toBe(`${scene.app.origin}/callback`);
    expect(Object.fromEntries(back?.searchParams ?? [])).toEqual({
      error,
      error_description: expect.any(String) as unknown,
      iss: `${scene.porchlight.base}/`,
      ...('state' in parameters ? {} : { state: 'a-state' }),
    });
    await nobodyRings();
  });
});

describe('a fault that must lead nowhere', () => {
  test.each<[string, Record<string, string | undefined>, string?]>([
    ['IA-67 a repeated client_id', {}, '&client_id=https%3A%2F%2Fevil.example%2F'],
    ['IA-67 a repeated redirect_uri', {}, '&redirect_uri=https%3A%2F%2Fevil.example%2F'],
    ['IA-68 an empty client_id', { client_id: '' }],
    ['IA-68 an empty redirect_uri', { redirect_uri: '' }],
    ['IA-73 a way back to another site', { redirect_uri: 'https://evil.example/' }],
    ['IA-73 such a way back, and another fault', { redirect_uri: 'https://evil.example/', state: undefined }],
  ])('%s: a page without a way back', async (_name, parameters, more) => {
    const response = await view(parameters, more);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    expect(response.headers.get('location')).toBeNull();
    expect(linkOf(await response.text())).toBeNull();
  });
});

describe('state', () => {
  const states = [
    'plain',
    'with spaces  and two',
    'a+b',
    'a%2Bb%20c%',
    'x&y=z&code=fake&iss=https://evil.example/',
    'ünïcödé ✓ 🏮 日本',
    '"<script>\'`\\#?/;,|',
    'line\r\nbreak\ttab\0nul',
    'x'.repeat(2048),
  ];

  test.each(states)('IA-63 %j comes back unchanged', async (state) => {
    const answer = await scene.signIn(scene.request({ state }));
    expect(answer.getAll('state')).toEqual([state]);
    expect(answer.getAll('code')).toHaveLength(1);
    expect(answer.getAll('iss')).toEqual([`${scene.porchlight.base}/`]);
  });

  test.each(states)('IA-63 %j comes back with a fault too', async (state) => {
    const back = linkOf(await (await view({ state, response_type: 'token' })).text());
    expect(back?.searchParams.getAll('state')).toEqual([state]);
  });

  test('IA-63 a plus sign in the query is a space, and comes back as one', async () => {
    const back = linkOf(await (await view({ state: undefined, scope: 'email' }, '&state=a+b%2Bc')).text());
    expect(back?.searchParams.get('state')).toBe('a b+c');
    expect(back?.search).toContain('state=a%20b%2Bc');
  });
});

test('IA-64 without a scope the owner is asked who they are, nothing else', async () => {
  const request = scene.request({ scope: undefined });
  const waiting = await scene.ask(request);
  expect(await scene.porchlight.call('signIns.list', {})).toMatchObject([{ id: waiting.id, scopes: [] }]);
  await scene.approve(waiting);
  const answer = (await scene.wayBack(waiting)).searchParams;
  expect(await jsonOf(await redeem(scene.porchlight, request, answer, { at: '/auth' }))).toEqual({
    me: 'https://owner.example/',
  });
});

test.each([
  'example.com',
  'https://somebody-else.example/',
  'https://example.com:8443/',
  'https://172.28.92.51/',
  'https://example.com/#me',
])('IA-66 the hint me=%s decides nothing about who signs in', async (me) => {
  const request = scene.request({ me });
  const answer = await scene.signIn(request);
  expect(answer.has('me')).toBe(false);
  expect(await jsonOf(await redeem(scene.porchlight, request, answer))).toMatchObject({
    me: 'https://owner.example/',
  });
});

test('IA-68 parameters outside the specification are ignored, and not sent back', async () => {
  const answer = await scene.signIn(scene.request({ nonce: 'n', prompt: 'none', __proto__x: 'y' }));
  expect([...answer.keys()].sort()).toEqual(['code', 'iss', 'state']);
});

describe('IA-69 a POST to the authorization endpoint', () => {
  test('is the redemption of a code', async () => {
    const request = scene.request();
    const answer = await scene.signIn(request);
    expect((await redeem(scene.porchlight, request, answer, { at: '/auth' })).status).toBe(200);
  });

  test('with an authorization request is no such thing', async () => {
    const { parameters } = scene.request();
    await expectError(await post(scene.porchlight, '/auth', parameters), 400, 'invalid_request');
    await nobodyRings();
  });
});

describe('D-8 old apps', () => {
  const old = { code_challenge: undefined, code_challenge_method: undefined };

  test('old apps are refused unless the owner allows them, and then both screens warn', async () => {
    const { porchlight } = scene;
    expect((await view(old)).status).toBe(400);
    await porchlight.call('settings.update', { signIn: { allowWithoutPkce: true } });
    try {
      const page = await (await view(old)).text();
      const request = scene.request(old);
      const waiting = await scene.ask(request);
      const [pending] = await porchlight.call('signIns.list', {});
      const [warning] = pending?.warnings ?? [];
      expect(warning).toMatch(/PKCE/);
      expect(unescape(page)).toContain(warning);
      await scene.approve(waiting);
      const answer = (await scene.wayBack(waiting)).searchParams;
      const redeemed = await redeem(porchlight, request, answer, { code_verifier: undefined });
      expect(redeemed.status).toBe(200);
    } finally {
      await porchlight.call('settings.update', { signIn: { allowWithoutPkce: false } });
    }
    expect((await view(old)).status).toBe(400);
  });
});

test('D-14 a literal plus between scopes separates them', async () => {
  const tokens = await scene.tokens(scene.request({ scope: 'profile+create update' }));
  expect(tokens.scope).toBe('profile create update');
});
