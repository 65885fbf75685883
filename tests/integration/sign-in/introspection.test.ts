import path from 'node:path';
import type { JWK } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { newSigningKey } from '../../../src-main/sign-in/access-token.ts';
import { openSecretsFile } from '../../../src-main/platform/secrets.ts';
import { counts, expectError, expectNotKept, introspect, jsonOf, withToken } from '../../support/answers.ts';
import {
  patternOf,
  publicKeyAsSecret,
  signedWith,
  unsigned,
  withPayload,
} from '../../support/forged-token.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { post, type Tokens } from '../../support/sign-in.ts';

let scene: Scene;
let tokens: Tokens;
beforeAll(async () => void (scene = await openScene()));
beforeEach(async () => void (tokens = await scene.tokens(scene.request({ scope: 'profile create' }))));
afterEach(() => void vi.useRealTimers());
afterAll(() => scene.close());

const server = () => scene.porchlight;

describe('IA-110 the right to ask', () => {
  test.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['a token that was never given', { authorization: 'Bearer unknown' }],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
  ])('%s is not enough: 401', async (_name, headers) => {
    for (const fields of [{ token: tokens.access_token }, {}]) {
      const response = await post(server(), '/introspect', fields, headers);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
      expect(await response.text()).not.toContain('owner.example');
    }
  });

  test('the token itself is enough, and so is another of this server', async () => {
    const other = await scene.tokens(scene.request());
    expect(await introspect(server(), tokens.access_token)).toMatchObject({ active: true });
    expect(await introspect(server(), tokens.access_token, other.access_token)).toMatchObject({
      active: true,
    });
  });
});

test('IA-111 the way of RFC 7662: booleans and integers', async () => {
  const response = await post(
    server(),
    '/introspect',
    { token: tokens.access_token },
    { authorization: `Bearer ${tokens.access_token}` },
  );
  expectNotKept(response);
  const answer = await jsonOf(response);
  expect(answer).toEqual({
    active: true,
    me: 'https://owner.example/',
    client_id: `${scene.app.origin}/`,
    scope: 'profile create',
    iat: expect.any(Number) as unknown,
    exp: expect.any(Number) as unknown,
  });
  expect([answer['iat'], answer['exp']].every(Number.isInteger)).toBe(true);
  expect(Number(answer['exp']) - Number(answer['iat'])).toBe(tokens.expires_in);
});

test('D-5 the documented way: the bearer asks about itself, and active is text', async () => {
  const documented = {
    active: 'true',
    me: 'https://owner.example/',
    client_id: `${scene.app.origin}/`,
    scope: 'profile create',
  };
  const authorization = { authorization: `Bearer ${tokens.access_token}` };
  const answers = [
    await withToken(server(), '/introspect', tokens.access_token, { method: 'POST' }),
    await post(server(), '/introspect', {}, authorization),
    await post(server(), '/introspect', { token: '' }, authorization),
    await withToken(server(), '/token', tokens.access_token),
  ];
  for (const answer of answers) {
    expect(answer.status).toBe(200);
    expectNotKept(answer);
    expect(await jsonOf(answer)).toEqual(documented);
  }
});

describe('IA-112 what does not count is inactive, and nothing else is said', () => {
  const inactive = { active: false };
  const asked = async (token: string) =>
    introspect(server(), token, (await scene.tokens(scene.request())).access_token);

  test.each(['unknown', 'a.b.c', '...', '\0', 'é', '"'])('%j', async (token) => {
    expect(await asked(token)).toEqual(inactive);
  });

  test('a token that is far too long', async () => {
    expect(await asked('x'.repeat(20_000))).toEqual(inactive);
  });

  test('a revoked token', async () => {
    await post(server(), '/revoke', { token: tokens.access_token });
    expect(await asked(tokens.access_token)).toEqual(inactive);
  });

  test('a refresh token, a code', async () => {
    const answer = await scene.signIn(scene.request());
    for (const token of [tokens.refresh_token, answer.get('code') ?? ''])
      expect(await asked(token)).toEqual(inactive);
  });

  test('a token without a signature, or signed with somebody else’s key', async () => {
    const pattern = patternOf(tokens.access_token);
    const stranger = await newSigningKey();
    const keys = (await (await fetch(new URL('/.well-known/jwks.json', server().base))).json()) as {
      keys: JWK[];
    };
    const confused = publicKeyAsSecret(keys.keys[0]!).map((secret) => signedWith(pattern, secret, 'HS256'));
    const forged = [
      ...unsigned(pattern),
      ...(await Promise.all(confused)),
      await signedWith(pattern, stranger),
      withPayload(tokens.access_token, { scope: 'profile create delete' }),
    ];
    const { access_token: caller } = await scene.tokens(scene.request());
    for (const token of forged) {
      expect(await introspect(server(), token, caller)).toEqual(inactive);
      expect(await counts(server(), token)).toBe(false);
    }
  });

  test('a token of our own key that is of another type, or of no grant', async () => {
    const secrets = await openSecretsFile({ file: path.join(server().dataDir, 'secrets.json') });
    const key = (await secrets.get('signing-key')) ?? '';
    const pattern = patternOf(tokens.access_token);
    expect(await asked(await signedWith(pattern, key))).toMatchObject({ active: true }); // so it is the right key
    expect(
      await asked(await signedWith({ ...pattern, header: { ...pattern.header, typ: 'JWT' } }, key)),
    ).toEqual(inactive);
    const payload = { ...pattern.payload, grant: 'nobody' };
    expect(await asked(await signedWith({ ...pattern, payload }, key))).toEqual(inactive);
  });
});

describe('IA-113 the request', () => {
  test('GET is not allowed', async () => {
    const response = await withToken(
      server(),
      `/introspect?token=${tokens.access_token}`,
      tokens.access_token,
    );
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  test('a repeated token is an invalid_request', async () => {
    const body = new URLSearchParams([
      ['token', tokens.access_token],
      ['token', 'x'],
    ]);
    const response = await withToken(server(), '/introspect', tokens.access_token, { method: 'POST', body });
    await expectError(response, 400, 'invalid_request');
  });

  test.each(['access_token', 'refresh_token', 'nonsense', ''])('the hint %j does no harm', async (hint) => {
    const response = await post(
      server(),
      '/introspect',
      { token: tokens.access_token, token_type_hint: hint },
      { authorization: `Bearer ${tokens.access_token}` },
    );
    expect(await jsonOf(response)).toMatchObject({ active: true });
  });
});

describe('IA-114 what changed is seen at once', () => {
  test('a token becomes inactive exactly at exp', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { token: caller } = await server().call('apps.issueToken', {
      label: 'A caller',
      scopes: ['create'],
    });
    const { access_token } = await scene.tokens(scene.request());
    const { exp } = await introspect(server(), access_token, caller);
    vi.setSystemTime(Number(exp) * 1000 - 1);
    expect(await introspect(server(), access_token, caller)).toMatchObject({ active: true });
    vi.setSystemTime(Number(exp) * 1000);
    expect(await introspect(server(), access_token, caller)).toEqual({ active: false });
    expect(await counts(server(), access_token)).toBe(false);
  });

  test('an app that the owner signed out', async () => {
    const { token: caller } = await server().call('apps.issueToken', {
      label: 'A caller',
      scopes: ['create'],
    });
    const { access_token } = await scene.tokens(scene.request());
    const app = (await server().call('apps.list', {})).find(({ kind }) => kind === 'app');
    await server().call('apps.revoke', { id: app?.id ?? '' });
    expect(await introspect(server(), access_token, caller)).toEqual({ active: false });
  });

  test('a token made by hand counts until its end', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { token } = await server().call('apps.issueToken', {
      label: 'x',
      scopes: ['create'],
      expiresIn: 100,
    });
    const { access_token: caller } = tokens;
    expect(await introspect(server(), token, caller)).toMatchObject({ active: true, scope: 'create' });
    vi.setSystemTime(Date.now() + 100_000);
    expect(await introspect(server(), token, caller)).toEqual({ active: false });
  });
});
