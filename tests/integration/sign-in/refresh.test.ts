import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { counts, expectError, expectNotKept, introspect, jsonOf } from '../../support/answers.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { post, type Tokens } from '../../support/sign-in.ts';

let scene: Scene;
beforeAll(async () => void (scene = await openScene()));
afterAll(() => scene.close());
afterEach(() => void vi.useRealTimers());

const refresh = (refreshToken: string, changes: Record<string, string | undefined> = {}) =>
  post(scene.porchlight, '/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: `${scene.app.origin}/`,
    ...changes,
  });

async function refreshed(refreshToken: string, changes: Record<string, string> = {}): Promise<Tokens> {
  const response = await refresh(refreshToken, changes);
  expect(response.status).toBe(200);
  return (await response.json()) as Tokens;
}

const signIn = (scope = 'profile create') => scene.tokens(scene.request({ scope }));
const isActive = (token: string) => counts(scene.porchlight, token);

describe('IA-100 the client', () => {
  test('that the token belongs to gets the next one', async () => {
    expect((await refreshed((await signIn()).refresh_token)).me).toBe('https://owner.example/');
  });

  test('is the same one written without its slash', async () => {
    const { refresh_token } = await signIn();
    expect((await refresh(refresh_token, { client_id: scene.app.origin })).status).toBe(200);
  });

  test.each(['https://other.example/', 'x', '::'])(
    '%s gets nothing, and spends nothing',
    async (clientId) => {
      const { refresh_token, access_token } = await signIn();
      await expectError(await refresh(refresh_token, { client_id: clientId }), 400, 'invalid_grant');
      expect(await isActive(access_token)).toBe(true);
      expect((await refresh(refresh_token)).status).toBe(200);
    },
  );

  test.each(['client_id', 'refresh_token'])('must say its %s', async (name) => {
    const { refresh_token } = await signIn();
    await expectError(await refresh(refresh_token, { [name]: undefined }), 400, 'invalid_request');
    await expectError(await refresh(refresh_token, { [name]: '' }), 400, 'invalid_request');
    expect((await refresh(refresh_token)).status).toBe(200);
  });
});

describe('IA-101 the scope', () => {
  test.each([undefined, ''])('%j means the original one', async (scope) => {
    const { refresh_token } = await signIn('profile create update');
    const answer = await jsonOf(await refresh(refresh_token, { scope }));
    expect(answer['scope']).toBe('profile create update');
  });

  test('may be narrower for the access token; the refresh token keeps its own', async () => {
    const { refresh_token } = await signIn('profile create update');
    const narrow = await refreshed(refresh_token, { scope: 'create' });
    expect(narrow.scope).toBe('create');
    expect(narrow.profile).toBeUndefined();
    expect((await introspect(scene.porchlight, narrow.access_token))['scope']).toBe('create');
    expect((await refreshed(narrow.refresh_token)).scope).toBe('profile create update');
  });

  test.each(['profile create delete', 'delete', 'create "', 'email'])(
    'cannot be %j, which is more; the request does not use up the token',
    async (scope) => {
      const { refresh_token } = await signIn('profile create');
      await expectError(await refresh(refresh_token, { scope }), 400, 'invalid_scope');
      expect((await refresh(refresh_token)).status).toBe(200);
    },
  );
});

describe('IA-102 rotation', () => {
  test('each refresh gives a new refresh token', async () => {
    const first = await signIn();
    const second = await refreshed(first.refresh_token);
    const third = await refreshed(second.refresh_token);
    expect(new Set([first, second, third].map((one) => one.refresh_token)).size).toBe(3);
    expect(new Set([first, second, third].map((one) => one.access_token)).size).toBe(3);
    expect(await isActive(third.access_token)).toBe(true);
  });

  test('a refresh token that is used twice revokes everything from its sign-in', async () => {
    const first = await signIn();
    const second = await refreshed(first.refresh_token);
    await expectError(await refresh(first.refresh_token), 400, 'invalid_grant');
    expect(await isActive(first.access_token)).toBe(false);
    expect(await isActive(second.access_token)).toBe(false);
    await expectError(await refresh(second.refresh_token), 400, 'invalid_grant');
  });

  test('that it asks for more does not hide a second use', async () => {
    const first = await signIn();
    const second = await refreshed(first.refresh_token);
    expect((await refresh(first.refresh_token, { scope: 'profile create delete' })).status).toBe(400);
    expect(await isActive(second.access_token)).toBe(false);
  });

  test('other sign-ins of the same app are left alone', async () => {
    const [mine, other] = [await signIn(), await signIn()];
    await refreshed(mine.refresh_token);
    await expectError(await refresh(mine.refresh_token), 400, 'invalid_grant');
    expect(await isActive(other.access_token)).toBe(true);
    expect((await refresh(other.refresh_token)).status).toBe(200);
  });

  test('two uses at the same moment: one answer at most, and the sign-in is over', async () => {
    const first = await signIn();
    const answers = await Promise.all([refresh(first.refresh_token), refresh(first.refresh_token)]);
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length).toBeLessThanOrEqual(1);
    for (const answer of good) {
      const tokens = (await answer.json()) as Tokens;
      expect(await isActive(tokens.access_token)).toBe(false);
      await expectError(await refresh(tokens.refresh_token), 400, 'invalid_grant');
    }
    expect(await isActive(first.access_token)).toBe(false);
  });
});

describe('IA-103 time', () => {
  const inactivity = async () => (await scene.porchlight.call('settings.get', {})).signIn.refreshTokenSeconds;

  /** Lets time go by as on a computer that runs: a clock that jumps by months is not believed. */
  async function goBy(seconds: number): Promise<void> {
    const month = 30 * 86_400;
    for (let left = seconds; left > 0; left -= month) {
      vi.setSystemTime(Date.now() + Math.min(left, month) * 1000);
      await scene.porchlight.call('status.get', {});
    }
  }

  test('an app that is not used is signed out', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { refresh_token } = await signIn();
    await goBy(await inactivity());
    await expectError(await refresh(refresh_token), 400, 'invalid_grant');
  });

  test('a token that is used stays', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    let { refresh_token } = await signIn();
    for (let turn = 0; turn < 3; turn += 1) {
      await goBy((await inactivity()) - 1);
      ({ refresh_token } = await refreshed(refresh_token));
    }
    expect(refresh_token).toMatch(/^[\w-]{43}$/);
  });

  test('signing the app out ends its refresh token', async () => {
    const { refresh_token, access_token } = await signIn();
    const [app] = await scene.porchlight.call('apps.list', {}); // the newest
    await scene.porchlight.call('apps.revoke', { id: app?.id ?? '' });
    await expectError(await refresh(refresh_token), 400, 'invalid_grant');
    expect(await isActive(access_token)).toBe(false);
  });
});

test('IA-104 the answer is that of a code, me included, and is kept by nobody', async () => {
  const response = await refresh((await signIn('profile create')).refresh_token);
  expectNotKept(response);
  const answer = await jsonOf(response);
  expect(answer).toMatchObject({
    access_token: expect.any(String) as unknown,
    refresh_token: expect.any(String) as unknown,
    token_type: 'Bearer',
    scope: 'profile create',
    me: 'https://owner.example/',
    expires_in: expect.any(Number) as unknown,
  });
  expect(await isActive(String(answer['access_token']))).toBe(true);
});

test('IA-104 access tokens live for an hour or so, refresh tokens for long', async () => {
  const { signIn: settings } = await scene.porchlight.call('settings.get', {});
  expect(settings.accessTokenSeconds).toBeLessThanOrEqual(86_400);
  expect(settings.refreshTokenSeconds).toBeGreaterThan(settings.accessTokenSeconds);
});

test.each(['', 'x', 'A'.repeat(43), '\0', 'x'.repeat(200)])('%j is no refresh token', async (text) => {
  const error = text === '' ? 'invalid_request' : 'invalid_grant';
  await expectError(await refresh(text), 400, error);
});
