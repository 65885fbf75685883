import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { counts, expectError, introspect, jsonOf } from '../../support/answers.ts';
import { patternOf } from '../../support/forged-token.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { storedGrants } from '../../support/stored-grants.ts';
import { authorizationUrl, post, redeem } from '../../support/sign-in.ts';

let scene: Scene;
beforeAll(async () => void (scene = await openScene()));
afterAll(() => scene.close());

const metadata = async () =>
  jsonOf(await fetch(new URL('/.well-known/oauth-authorization-server', scene.porchlight.base)));

describe('OA-1 the issuer', () => {
  test('is the same in the metadata, in an approval and in a refusal, and the metadata says it comes', async () => {
    const { issuer, authorization_response_iss_parameter_supported: announced } = await metadata();
    const waiting = await scene.ask(scene.request());
    await scene.porchlight.call('signIns.deny', { id: waiting.id });
    const denied = (await scene.wayBack(waiting)).searchParams;
    const approved = await scene.signIn(scene.request());
    expect(announced).toBe(true);
    expect([approved.get('iss'), denied.get('iss')]).toEqual([issuer, issuer]);
    expect(denied.get('error')).toBe('access_denied');
  });

  test('has no query and no fragment', async () => {
    const url = new URL(String((await metadata())['issuer']));
    expect([url.search, url.hash, url.pathname]).toEqual(['', '', '/']);
  });
});

test('OA-3 refresh tokens can be revoked, with any hint, at the address that the metadata names', async () => {
  const tokens = await scene.tokens(scene.request());
  const address = String((await metadata())['revocation_endpoint']);
  const fields = { token: tokens.refresh_token, token_type_hint: 'access_token' };
  expect((await post(scene.porchlight, address, fields)).status).toBe(200);
  expect(await counts(scene.porchlight, tokens.access_token)).toBe(false);
});

describe('OA-4', () => {
  test.each(['token', 'id_token', 'code token'])('no implicit answer: response_type %s', async (type) => {
    const url = authorizationUrl(scene.porchlight.base, scene.request({ response_type: type }));
    const response = await scene.visitor().open(url);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test('no password grant', async () => {
    const fields = {
      grant_type: 'password',
      username: 'ada',
      password: 'x',
      client_id: `${scene.app.origin}/`,
    };
    await expectError(await post(scene.porchlight, '/token', fields), 400, 'unsupported_grant_type');
  });

  test('the authorization endpoint has no CORS, the token endpoint has', async () => {
    const preflight = {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    };
    const { base } = scene.porchlight;
    for (const address of ['/auth', '/auth?client_id=x', '/auth/requests', '/auth/requests/x/state']) {
      for (const init of [preflight, { headers: { origin: 'https://app.example' } }]) {
        const { headers } = await fetch(new URL(address, base), init);
        expect(headers.get('access-control-allow-origin')).toBeNull();
      }
    }
    const token = await fetch(new URL('/token', base), preflight);
    expect([token.ok, token.headers.get('access-control-allow-origin')]).toEqual([true, '*']);
    expect(token.headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('tokens name their audience, and allow only the granted scopes', async () => {
    const { access_token, scope } = await scene.tokens(scene.request({ scope: 'profile create delete' }), {
      scopes: ['create'],
    });
    const { payload } = patternOf(access_token);
    expect(payload).toMatchObject({ aud: `${scene.porchlight.base}/`, scope: 'create' });
    expect(scope).toBe('create');
    expect(payload.exp).toEqual(expect.any(Number));
  });

  test('redirects must match exactly if the app lists them', async () => {
    const waiting = await scene.ask(scene.request());
    await scene.approve(waiting);
    const code = (await scene.wayBack(waiting)).searchParams;
    const request = { ...scene.request(), redirectUri: `${scene.app.origin}/callback/` };
    await expectError(await redeem(scene.porchlight, request, code), 400, 'invalid_grant');
  });
});

test('OA-5 a challenge that comes twice binds each code to its own sign-in', async () => {
  const request = scene.request();
  const [first, second] = [await scene.signIn(request), await scene.signIn(request)];
  expect(first.get('code')).not.toBe(second.get('code'));
  expect((await redeem(scene.porchlight, request, first)).status).toBe(200);
  await expectError(await redeem(scene.porchlight, request, first), 400, 'invalid_grant');
  expect((await redeem(scene.porchlight, request, second)).status).toBe(200);
});

test('OA-6 tokens name the owner and the app, and never one in place of the other', async () => {
  const { access_token, me } = await scene.tokens(scene.request());
  const answer = await introspect(scene.porchlight, access_token);
  expect([me, answer['me'], patternOf(access_token).payload.sub]).toEqual(
    new Array(3).fill('https://owner.example/'),
  );
  expect(answer['sub'] ?? me).toBe(me);
  expect(answer['client_id']).toBe(`${scene.app.origin}/`);
});

test('OA-7 codes and refresh tokens hold at least 128 bits; no secret of an app is on the disk', async () => {
  const request = scene.request();
  const answer = await scene.signIn(request);
  const tokens = await jsonOf(await redeem(scene.porchlight, request, answer));
  const secrets = [answer.get('code'), tokens['refresh_token'], tokens['access_token']].map(String);
  for (const secret of secrets.slice(0, 2))
    expect(Buffer.from(secret, 'base64url').length).toBeGreaterThanOrEqual(16);
  const stored = JSON.stringify(await storedGrants(scene.porchlight.dataDir));
  expect(stored).toContain(request.clientId);
  for (const secret of secrets) expect(stored).not.toContain(secret);
});
