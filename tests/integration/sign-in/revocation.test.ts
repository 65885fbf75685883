import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { counts, expectError, expectNotKept, introspect, jsonOf, withToken } from '../../support/answers.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { post, type Tokens } from '../../support/sign-in.ts';

let scene: Scene;
let tokens: Tokens;
beforeAll(async () => void (scene = await openScene()));
beforeEach(async () => void (tokens = await scene.tokens(scene.request())));
afterAll(() => scene.close());

const revoke = (fields: Record<string, string>) => post(scene.porchlight, '/revoke', fields);
const refresh = () =>
  post(scene.porchlight, '/token', {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
    client_id: `${scene.app.origin}/`,
  });

describe('IA-120 the answer is 200', () => {
  test('for a token that is revoked, and again when it was', async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      const response = await revoke({ token: tokens.access_token });
      expect(response.status).toBe(200);
      expectNotKept(response);
    }
    expect(await counts(scene.porchlight, tokens.access_token)).toBe(false);
  });

  test.each(['unknown', 'a.b.c', '\0', 'é', 'x'.repeat(200)])('for %j', async (token) => {
    expect((await revoke({ token })).status).toBe(200);
    expect(await counts(scene.porchlight, tokens.access_token)).toBe(true);
  });
});

describe('IA-121', () => {
  test('a refresh token is revoked, and the access tokens with it', async () => {
    expect((await revoke({ token: tokens.refresh_token })).status).toBe(200);
    await expectError(await refresh(), 400, 'invalid_grant');
    expect(await counts(scene.porchlight, tokens.access_token)).toBe(false);
  });

  test('an access token is revoked, and the app is signed out', async () => {
    expect((await revoke({ token: tokens.access_token })).status).toBe(200);
    expect(await counts(scene.porchlight, tokens.access_token)).toBe(false);
    await expectError(await refresh(), 400, 'invalid_grant');
  });

  test('other sign-ins are left alone', async () => {
    const other = await scene.tokens(scene.request());
    await revoke({ token: tokens.refresh_token });
    expect(await counts(scene.porchlight, other.access_token)).toBe(true);
  });

  test('the owner’s list of apps no longer has it', async () => {
    const before = await scene.porchlight.call('apps.list', {});
    await revoke({ token: tokens.refresh_token });
    expect(await scene.porchlight.call('apps.list', {})).toHaveLength(before.length - 1);
  });
});

describe('IA-122 the request', () => {
  test('without a token, or with two, is an invalid_request', async () => {
    await expectError(await revoke({}), 400, 'invalid_request');
    await expectError(await revoke({ token: '' }), 400, 'invalid_request');
    const body = new URLSearchParams([
      ['token', tokens.access_token],
      ['token', tokens.refresh_token],
    ]);
    const twice = await fetch(new URL('/revoke', scene.porchlight.base), { method: 'POST', body });
    await expectError(twice, 400, 'invalid_request');
    expect(await counts(scene.porchlight, tokens.access_token)).toBe(true);
  });

  test.each([
    ['access_token', 'refresh_token'],
    ['refresh_token', 'access_token'],
    ['nonsense', 'access_token'],
    ['nonsense', 'refresh_token'],
  ] as const)('with the hint %s finds the %s', async (hint, kind) => {
    await revoke({ token: tokens[kind], token_type_hint: hint });
    expect(await counts(scene.porchlight, tokens.access_token)).toBe(false);
  });
});

describe('IA-123 the older style, at the token endpoint', () => {
  test.each(['access_token', 'refresh_token'] as const)('revokes: %s', async (kind) => {
    const response = await post(scene.porchlight, '/token', { action: 'revoke', token: tokens[kind] });
    expect(response.status).toBe(200);
    expect(await counts(scene.porchlight, tokens.access_token)).toBe(false);
  });

  test('is 200 for an unknown token too', async () => {
    const response = await post(scene.porchlight, '/token', { action: 'revoke', token: 'unknown' });
    expect(response.status).toBe(200);
  });
});

test('IA-124 a revoked token gives no access', async () => {
  const { token: caller } = await scene.porchlight.call('apps.issueToken', {
    label: 'A caller',
    scopes: ['create'],
  });
  expect(await introspect(scene.porchlight, tokens.access_token, caller)).toMatchObject({ active: true });
  await revoke({ token: tokens.access_token });
  expect(await introspect(scene.porchlight, tokens.access_token, caller)).toEqual({ active: false });
  for (const address of ['/token', '/userinfo']) {
    const response = await withToken(scene.porchlight, address, tokens.access_token);
    expect(response.status).toBe(401);
    expect(await jsonOf(response)).toMatchObject({ error: 'invalid_token' });
  }
});
