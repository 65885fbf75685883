import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectNotKept, jsonOf, withToken } from '../../support/answers.ts';
import { openScene, owner, type Scene } from '../../support/scene.ts';
import { post, type Tokens } from '../../support/sign-in.ts';

let scene: Scene;
beforeAll(async () => void (scene = await openScene()));
afterAll(() => scene.close());

const tokensFor = (scope: string) => scene.tokens(scene.request({ scope }));
const userinfo = (token: string) => withToken(scene.porchlight, '/userinfo', token);

describe('IA-130 userinfo', () => {
  const { email, ...profile } = owner;

  test.each([
    ['profile', profile],
    ['profile email', { ...profile, email }],
    ['profile create', profile],
  ])('for the scope %s is the very profile of the token answer', async (scope, expected) => {
    const tokens = await tokensFor(scope);
    const response = await userinfo(tokens.access_token);
    expect(response.status).toBe(200);
    expectNotKept(response);
    expect(await jsonOf(response)).toEqual(expected);
    expect(tokens.profile).toEqual(expected);
  });

  test('follows the current profile', async () => {
    const { access_token } = await tokensFor('profile email');
    await scene.porchlight.call('settings.update', { profile: { name: 'Ada Lovelace', email: '' } });
    expect(await jsonOf(await userinfo(access_token))).toEqual({ ...profile, name: 'Ada Lovelace' });
    await scene.porchlight.call('settings.update', { profile: owner });
  });
});

describe('IA-131', () => {
  const expectLacking = async (response: Response) => {
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="profile"',
    );
    const body = await jsonOf(response);
    expect(body['error']).toBe('insufficient_scope');
    expect(JSON.stringify(body)).not.toContain(owner.name);
  };

  test('a token without profile is told which scope is missing', async () => {
    await expectLacking(await userinfo((await tokensFor('create update')).access_token));
  });

  test('a refreshed token that gave profile up has lost it, email alone does not open', async () => {
    const { refresh_token } = await tokensFor('profile email create');
    const response = await post(scene.porchlight, '/token', {
      grant_type: 'refresh_token',
      refresh_token,
      client_id: `${scene.app.origin}/`,
      scope: 'email create',
    });
    await expectLacking(await userinfo(((await response.json()) as Tokens).access_token));
  });

  test.each(['unknown', 'a.b.c', 'A'.repeat(43)])('%s is an invalid_token', async (token) => {
    const response = await userinfo(token);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect(await jsonOf(response)).toMatchObject({ error: 'invalid_token' });
  });

  test('D-4 without a token: 401 without an error code', async () => {
    const response = await fetch(new URL('/userinfo', scene.porchlight.base));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await jsonOf(response)).not.toHaveProperty('error');
  });
});
