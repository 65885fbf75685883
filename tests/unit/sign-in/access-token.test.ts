import { describe, expect, test } from 'vitest';
import { createAccessTokens, newSigningKey } from '../../../src-main/sign-in/access-token.ts';
import {
  patternOf,
  publicKeyAsSecret,
  signedWith,
  unsigned,
  withHeader,
  withPayload,
} from '../../support/forged-token.ts';

const signingKey = await newSigningKey();
const start = Date.parse('2026-11-05T12:00:00.400Z');
const second = Math.floor(start / 1000);

async function scene(key = signingKey) {
  let now = start;
  const tokens = await createAccessTokens(
    key,
    () => 'https://porch.example/',
    () => now,
  );
  const claims = {
    grantId: 'grant-1',
    me: 'https://owner.example/',
    clientId: 'https://app.example/',
    scopes: ['profile', 'create'],
    expiresAt: second + 60,
  };
  return { tokens, claims, setTime: (ms: number) => (now = ms), token: await tokens.sign(claims) };
}

test('a token says who, for whom and what, and is believed', async () => {
  const { tokens, token, claims } = await scene();
  expect(await tokens.verify(token)).toEqual({ ...claims, issuedAt: second });
});

test('OA-4 a token names its issuer and its audience, and its type is its own', async () => {
  const { header, payload } = patternOf((await scene()).token);
  expect(header).toMatchObject({ alg: 'EdDSA', typ: 'at+jwt' });
  expect(payload).toMatchObject({ iss: 'https://porch.example/', aud: 'https://porch.example/' });
});

test('OA-6 the subject is the owner, never the client', async () => {
  const { payload } = patternOf((await scene()).token);
  expect(payload.sub).toBe('https://owner.example/');
  expect(payload['client_id']).toBe('https://app.example/');
});

test('OA-7 no two tokens are the same, and the published key is the public half', async () => {
  const { tokens, claims, token } = await scene();
  expect(await tokens.sign(claims)).not.toBe(token);
  const [key] = tokens.jwks.keys;
  expect(key).toMatchObject({ kty: 'OKP', crv: 'Ed25519', use: 'sig', kid: patternOf(token).header['kid'] });
  expect(key).not.toHaveProperty('d');
});

describe('time', () => {
  test('IA-114 a token expires exactly at exp', async () => {
    const { tokens, token, claims, setTime } = await scene();
    setTime(claims.expiresAt * 1000 - 1);
    expect(await tokens.verify(token)).not.toBeNull();
    setTime(claims.expiresAt * 1000);
    expect(await tokens.verify(token)).toBeNull();
  });

  test('IA-114 a token that is first seen after exp does not count', async () => {
    const { token } = await scene();
    const { tokens, claims, setTime } = await scene();
    setTime(claims.expiresAt * 1000);
    expect(await tokens.verify(token)).toBeNull();
  });

  test('a token without an end does not expire', async () => {
    const { tokens, claims, setTime } = await scene();
    const token = await tokens.sign({ ...claims, expiresAt: undefined });
    setTime(start + 100 * 365 * 86_400_000);
    expect((await tokens.verify(token))?.expiresAt).toBeUndefined();
  });
});

describe('forged tokens', () => {
  test('a token without a signature is refused', async () => {
    const { tokens, token } = await scene();
    for (const forged of unsigned(patternOf(token))) expect(await tokens.verify(forged)).toBeNull();
  });

  test('a token that uses the public key as a shared secret is refused', async () => {
    const { tokens, token } = await scene();
    for (const secret of publicKeyAsSecret(tokens.jwks.keys[0]!)) {
      for (const alg of ['HS256', 'HS512']) {
        expect(await tokens.verify(await signedWith(patternOf(token), secret, alg))).toBeNull();
      }
    }
  });

  test('one of another key that calls itself by our key’s name is refused', async () => {
    const { tokens, token } = await scene();
    const forged = await signedWith(patternOf(token), await newSigningKey());
    expect(patternOf(forged).header['kid']).toBe(tokens.jwks.keys[0]?.kid);
    expect(await tokens.verify(forged)).toBeNull();
    expect(await tokens.verify(await signedWith(patternOf(token), signingKey))).not.toBeNull();
  });

  test('a token that brings its own key is refused', async () => {
    const { tokens, token } = await scene();
    const theirs = await newSigningKey();
    const { kty, crv, x } = JSON.parse(theirs) as Record<string, string>;
    const { header, payload } = patternOf(token);
    const forged = { header: { ...header, jwk: { kty, crv, x }, jku: 'https://evil.example/jwks' }, payload };
    expect(await tokens.verify(await signedWith(forged, theirs))).toBeNull();
  });

  test.each(['JWT', 'id_token+jwt', 'logout+jwt', '', undefined])(
    'one of our own key whose type is %j is refused',
    async (typ) => {
      const { tokens, token } = await scene();
      const { header, payload } = patternOf(token);
      expect(
        await tokens.verify(await signedWith({ header: { ...header, typ }, payload }, signingKey)),
      ).toBeNull();
    },
  );

  test.each([
    { scope: 'profile create delete' },
    { sub: 'https://evil.example/' },
    { exp: second + 86_400 },
    { grant: 'grant-2' },
  ])('a token whose payload was changed to %j is refused', async (changes) => {
    const { tokens, token } = await scene();
    expect(await tokens.verify(withPayload(token, changes))).toBeNull();
  });

  test.each([
    { alg: 'none' },
    { alg: 'HS256' },
    { alg: 'ES256' },
    { typ: 'JWT' },
    { crit: ['exp'] },
    { kid: 'x' },
  ])('a token whose header was changed by %j is refused', async (changes) => {
    const { tokens, token } = await scene();
    await tokens.verify(token); // a token that is remembered vouches for no other
    expect(await tokens.verify(withHeader(token, changes))).toBeNull();
  });

  test.each(['sub', 'iat', 'client_id', 'scope', 'grant'])(
    'one of our own key without %s is refused',
    async (name) => {
      const { tokens, token } = await scene();
      const { header, payload } = patternOf(token);
      const rest = Object.fromEntries(Object.entries(payload).filter(([key]) => key !== name));
      expect(await tokens.verify(await signedWith({ header, payload: rest }, signingKey))).toBeNull();
    },
  );

  test.each(['', '.', '..', '...', 'a.b.c', 'x'.repeat(10_000), '{}', '\0', 'é.é.é'])(
    '%j is no token',
    async (text) => expect(await (await scene()).tokens.verify(text)).toBeNull(),
  );

  test('a token with something before or after it is another token', async () => {
    const { tokens, token } = await scene();
    for (const text of [
      `${token}.`,
      `${token}.x`,
      ` ${token}`,
      `${token}A`,
      `x.${token}`,
      token.slice(0, -2),
    ]) {
      expect(await tokens.verify(text)).toBeNull();
    }
  });
});

test('a clock that jumps back logs nobody out, and makes no token valid once it is right again', async () => {
  const day = 86_400_000;
  const { tokens, token, setTime } = await scene();
  setTime(start - day);
  expect(await tokens.verify(token)).not.toBeNull();
  setTime(start + 61_000);
  expect(await tokens.verify(token)).toBeNull();

  // Said to be from the future, where the clock was ahead when it was made: it ends when it says so.
  const { tokens: later, token: ahead, setTime: set } = await scene();
  set(start - day);
  expect(await later.verify(ahead)).not.toBeNull();
  set(start + 30_000);
  expect(await later.verify(ahead)).not.toBeNull();
  set(start + 60_000);
  expect(await later.verify(ahead)).toBeNull();
});
