import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { counts, expectError, expectNotKept, jsonOf } from '../../support/answers.ts';
import { pkcePair } from '../../support/client-app.ts';
import { openScene, owner, type Scene } from '../../support/scene.ts';
import { post, redeem, type Tokens } from '../../support/sign-in.ts';

let scene: Scene;
beforeAll(async () => void (scene = await openScene()));
afterAll(() => scene.close());
afterEach(() => void vi.useRealTimers());

const endpoints = ['/token', '/auth'];

/** A request and the code that was given for it. */
async function codeFor(parameters: Record<string, string | undefined> = {}, scopes?: string[]) {
  const request = scene.request(parameters);
  const answer = await scene.signIn(request, scopes && { scopes });
  return {
    request,
    answer,
    code: answer.get('code') ?? '',
    redeem: (changes: { at?: string } & Record<string, string | undefined> = {}) =>
      redeem(scene.porchlight, request, answer, changes),
  };
}

const appIds = async () => (await scene.porchlight.call('apps.list', {})).map(({ id }) => id);

const wrong: [string, Record<string, string>][] = [
  ['another code', { code: 'A'.repeat(43) }],
  ['another client', { client_id: 'https://other.example/' }],
  ['another redirect', { redirect_uri: 'https://other.example/' }],
  ['another verifier', { code_verifier: pkcePair().verifier }],
];

describe.each(endpoints)('at %s', (at) => {
  test.each(wrong)('IA-80 %s is refused', async (_name, changes) => {
    const { redeem } = await codeFor();
    await expectError(await redeem({ at, ...changes }), 400, 'invalid_grant');
  });

  test('IA-78 a failed attempt uses up the code', async () => {
    const { redeem } = await codeFor();
    await expectError(await redeem({ at, code_verifier: pkcePair().verifier }), 400, 'invalid_grant');
    await expectError(await redeem({ at }), 400, 'invalid_grant');
  });

  test.each(['grant_type', 'code', 'client_id', 'redirect_uri'])(
    'IA-81 %s must be there, once; a request without it does not burn the code',
    async (name) => {
      const { redeem, request, code } = await codeFor();
      await expectError(await redeem({ at, [name]: undefined }), 400, 'invalid_request');
      await expectError(await redeem({ at, [name]: '' }), 400, 'invalid_request');
      const twice = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        client_id: request.clientId,
        redirect_uri: request.redirectUri,
        code_verifier: request.verifier,
      });
      twice.append(name, twice.get(name) ?? '');
      const response = await fetch(new URL(at, scene.porchlight.base), { method: 'POST', body: twice });
      await expectError(response, 400, 'invalid_request');
      expect((await redeem({ at })).status).toBe(200);
    },
  );

  test.each([undefined, ''])(
    'a missing grant_type (%j) is that of a code if old clients are allowed',
    async (type) => {
      await scene.porchlight.call('settings.update', { signIn: { allowWithoutPkce: true } });
      const old = { code_challenge: undefined, code_challenge_method: undefined };
      const { redeem } = await codeFor(old);
      const requested = { at, grant_type: type, code_verifier: undefined };
      await scene.porchlight.call('settings.update', { signIn: { allowWithoutPkce: false } });
      await expectError(await redeem(requested), 400, 'invalid_request');
      await scene.porchlight.call('settings.update', { signIn: { allowWithoutPkce: true } });
      expect((await redeem(requested)).status).toBe(200);
      await scene.porchlight.call('settings.update', { signIn: { allowWithoutPkce: false } });
    },
  );

  test.each(['password', 'client_credentials', 'implicit', 'urn:x', 'AUTHORIZATION_CODE', '__proto__'])(
    'IA-81 the grant_type %s is not supported',
    async (type) => {
      const { redeem } = await codeFor();
      await expectError(await redeem({ at, grant_type: type }), 400, 'unsupported_grant_type');
    },
  );

  test.each([undefined, ''])('IA-82 a challenge needs its verifier (%j)', async (verifier) => {
    const { redeem } = await codeFor();
    await expectError(await redeem({ at, code_verifier: verifier }), 400, 'invalid_grant');
  });

  test('IA-82 a verifier needs its challenge', async () => {
    await scene.porchlight.call('settings.update', { signIn: { allowWithoutPkce: true } });
    const old = { code_challenge: undefined, code_challenge_method: undefined };
    const { redeem } = await codeFor(old);
    await expectError(await redeem({ at }), 400, 'invalid_grant');
    const without = await codeFor(old);
    expect((await without.redeem({ at, code_verifier: undefined })).status).toBe(200);
    await scene.porchlight.call('settings.update', { signIn: { allowWithoutPkce: false } });
  });

  test.each(['a'.repeat(42), 'a'.repeat(129), 'ä'.repeat(43), 'a b'.repeat(20)])(
    'IA-83 %j is no verifier',
    async (verifier) => {
      const { redeem } = await codeFor();
      await expectError(await redeem({ at, code_verifier: verifier }), 400, 'invalid_grant');
    },
  );

  test('IA-78 a code that is a minute old has expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const early = await codeFor();
    vi.setSystemTime(Date.now() + 59_000);
    expect((await early.redeem({ at })).status).toBe(200);
    const late = await codeFor();
    vi.setSystemTime(Date.now() + 60_000);
    await expectError(await late.redeem({ at }), 400, 'invalid_grant');
  });

  test('IA-87 the answer is JSON that nobody keeps, a fault too', async () => {
    const { redeem } = await codeFor();
    const good = await redeem({ at });
    expect(good.status).toBe(200);
    expect(good.headers.get('content-type')).toMatch(/^application\/json\b/);
    expectNotKept(good);
    await expectError(await redeem({ at }), 400, 'invalid_grant'); // looks at the same headers
  });

  test('IA-90 the parameter me of old apps does no harm', async () => {
    const { redeem } = await codeFor();
    const response = await redeem({ at, me: 'https://somebody-else.example/' });
    expect(await jsonOf(response)).toMatchObject({ me: 'https://owner.example/' });
  });
});

describe('IA-84 the authorization endpoint tells who signed in', () => {
  const { email, ...profile } = owner;

  test.each([
    [undefined, { me: 'https://owner.example/' }],
    ['create update', { me: 'https://owner.example/' }],
    ['profile', { me: 'https://owner.example/', profile }],
    ['profile email', { me: 'https://owner.example/', profile: { ...profile, email } }],
    ['profile create', { me: 'https://owner.example/', profile }],
  ])('for the scope %j, and never gives a token', async (scope, answer) => {
    const before = await appIds();
    const { redeem } = await codeFor({ scope });
    expect(await jsonOf(await redeem({ at: '/auth' }))).toEqual(answer);
    expect(await appIds()).toEqual(before);
  });

  test('a refresh token is nothing for it', async () => {
    const { refresh_token } = await scene.tokens(scene.request());
    const fields = { grant_type: 'refresh_token', refresh_token, client_id: `${scene.app.origin}/` };
    await expectError(await post(scene.porchlight, '/auth', fields), 400, 'unsupported_grant_type');
  });
});

describe('the token endpoint', () => {
  test('IA-85 gives no token for a code without scope', async () => {
    const before = await appIds();
    const { redeem } = await codeFor({ scope: undefined });
    await expectError(await redeem(), 400, 'invalid_grant');
    expect(await appIds()).toEqual(before);
  });

  test('IA-85 gives no token if the owner removed every scope', async () => {
    const { redeem } = await codeFor({ scope: 'create' }, []);
    await expectError(await redeem(), 400, 'invalid_grant');
  });

  test('IA-86 answers with all that apps look for', async () => {
    const { redeem } = await codeFor({ scope: 'profile email create' });
    const answer = await jsonOf(await redeem());
    expect(answer).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as unknown,
      token_type: 'Bearer',
      scope: 'profile email create',
      me: 'https://owner.example/',
      expires_in: expect.any(Number) as unknown,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/) as unknown,
      profile: owner,
    });
    const { signIn } = await scene.porchlight.call('settings.get', {});
    expect(answer['expires_in']).toBe(signIn.accessTokenSeconds);
  });

  test('IA-86 the owner’s lifetime is the token’s', async () => {
    const request = scene.request();
    const tokens = await scene.tokens(request, { expiresIn: 120 });
    expect(tokens.expires_in).toBeGreaterThan(100);
    expect(tokens.expires_in).toBeLessThanOrEqual(120);
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + 121_000);
    expect(await counts(scene.porchlight, tokens.access_token)).toBe(false);
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    await expectError(
      await post(scene.porchlight, '/token', { ...refresh, client_id: request.clientId }),
      400,
      'invalid_grant',
    );
  });

  test('IA-88 names the granted scopes if they differ from the requested ones', async () => {
    const { redeem } = await codeFor({ scope: 'profile create delete' }, ['create']);
    const answer = await jsonOf(await redeem());
    expect(answer['scope']).toBe('create');
    expect(answer).not.toHaveProperty('profile');
  });

  test('IA-89 the profile has the email only with its scope', async () => {
    const { email, ...profile } = owner;
    expect(email).not.toBe('');
    expect((await scene.tokens(scene.request({ scope: 'profile create' }))).profile).toEqual(profile);
    expect((await scene.tokens(scene.request({ scope: 'profile email' }))).profile).toEqual(owner);
    expect((await scene.tokens(scene.request({ scope: 'create' }))).profile).toBeUndefined();
  });

  test('IA-90 answers in the form encoding if an old app prefers it', async () => {
    const accepting = async (accept: string) => {
      const { request, code } = await codeFor();
      const fields = { grant_type: 'authorization_code', code, client_id: request.clientId };
      const rest = { redirect_uri: request.redirectUri, code_verifier: request.verifier };
      return post(scene.porchlight, '/token', { ...fields, ...rest }, { accept });
    };
    const form = await accepting('application/x-www-form-urlencoded');
    expect(form.headers.get('content-type')).toMatch(/^application\/x-www-form-urlencoded/);
    expectNotKept(form);
    const answer = new URLSearchParams(await form.text());
    expect(Object.fromEntries(answer)).toMatchObject({ token_type: 'Bearer', me: 'https://owner.example/' });
    expect(await counts(scene.porchlight, answer.get('access_token') ?? '')).toBe(true);
    for (const accept of ['*/*', 'application/json', 'application/json, application/x-www-form-urlencoded']) {
      expect((await accepting(accept)).headers.get('content-type')).toMatch(/^application\/json/);
    }
  });
});

describe('a second use', () => {
  test.each([
    ['/token', '/token'],
    ['/token', '/auth'],
  ])('IA-78 of a code: %s, then %s: refused, and its tokens are revoked', async (first, second) => {
    const { redeem } = await codeFor();
    const { access_token } = (await (await redeem({ at: first })).json()) as Tokens;
    expect(await counts(scene.porchlight, access_token)).toBe(true);
    await expectError(await redeem({ at: second }), 400, 'invalid_grant');
    expect(await counts(scene.porchlight, access_token)).toBe(false);
  });

  test('IA-78 of a code with a wrong verifier revokes too: somebody else has the code', async () => {
    const { redeem } = await codeFor();
    const { access_token } = (await (await redeem()).json()) as Tokens;
    await expectError(await redeem({ code_verifier: pkcePair().verifier }), 400, 'invalid_grant');
    expect(await counts(scene.porchlight, access_token)).toBe(false);
  });

  test.each([
    ['/auth', '/token'],
    ['/auth', '/auth'],
  ])('IA-91 of a code: %s, then %s: refused, and no token is made', async (first, second) => {
    const before = await appIds();
    const { redeem } = await codeFor();
    expect((await redeem({ at: first })).status).toBe(200);
    await expectError(await redeem({ at: second }), 400, 'invalid_grant');
    expect(await appIds()).toEqual(before);
  });

  test.each([
    ['/token', '/token'],
    ['/token', '/auth'],
    ['/auth', '/token'],
  ])(
    'IA-78 at the same moment, %s and %s: one answer at most, and no token that counts',
    async (one, other) => {
      const before = await appIds();
      const { redeem } = await codeFor();
      const answers = await Promise.all([redeem({ at: one }), redeem({ at: other })]);
      const good = answers.filter(({ status }) => status === 200);
      expect(good.length).toBeLessThanOrEqual(1);
      for (const answer of good) {
        const { access_token: token } = await jsonOf(answer);
        if (typeof token === 'string') expect(await counts(scene.porchlight, token)).toBe(false);
      }
      expect(await appIds()).toEqual(before);
    },
  );
});
