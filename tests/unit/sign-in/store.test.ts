import { describe, expect, test, vi } from 'vitest';
import { Grants, type NewGrant } from '../../../src-main/sign-in/store.ts';
import { isGrantLive } from '../../../src-main/sign-in/grant.ts';
import { memoryGrants } from '../../support/memory-grants.ts';
import { createUnsaved } from '../../../src-main/sign-in/unsaved.ts';

const day = 86_400;
const app: NewGrant = {
  kind: 'app',
  me: 'https://owner.example/',
  clientId: 'https://app.example/',
  clientName: 'App',
  clientLogo: null,
  device: null,
  scopes: ['profile', 'create'],
  expiresIn: undefined,
};

function scene() {
  let now = Date.parse('2026-11-05T12:00:00Z');
  const document = memoryGrants();
  const grants = new Grants(
    document,
    () => now,
    createUnsaved(vi.fn(), vi.fn()),
    () => 30 * day,
  );
  return {
    document,
    grants,
    now: () => now,
    wait: (seconds: number) => (now += seconds * 1000),
    signIn: async (changes: Partial<NewGrant> = {}) => {
      const { grant, refreshToken = '' } = await grants.create({ ...app, ...changes });
      return { grant, refreshToken };
    },
  };
}

const refused = { code: 'invalid_grant', status: 400 };

describe('rotation', () => {
  test('IA-102 a refresh token is exchanged for the next one, which counts', async () => {
    const { grants, signIn } = scene();
    const { refreshToken, grant } = await signIn();
    const next = await grants.rotate(refreshToken, app.clientId);
    expect(next.refreshToken).not.toBe(refreshToken);
    expect(next.grant.id).toBe(grant.id);
    expect((await grants.rotate(next.refreshToken, app.clientId)).grant.id).toBe(grant.id);
  });

  test('IA-102 an old refresh token revokes the family, however old it is', async () => {
    const { grants, signIn, now } = scene();
    const { refreshToken: first, grant } = await signIn();
    let newest = first;
    for (let turn = 0; turn < 10; turn += 1)
      newest = (await grants.rotate(newest, app.clientId)).refreshToken;
    await expect(grants.rotate(first, app.clientId)).rejects.toMatchObject(refused);
    expect(isGrantLive(grants.get(grant.id)!, now())).toBe(false);
    await expect(grants.rotate(newest, app.clientId)).rejects.toMatchObject(refused);
  });

  test('IA-102 of two uses at the same moment at most one wins, and the grant is revoked', async () => {
    const { grants, signIn, now } = scene();
    const { refreshToken, grant } = await signIn();
    const results = await Promise.allSettled([1, 2].map(() => grants.rotate(refreshToken, app.clientId)));
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
    expect(isGrantLive(grants.get(grant.id)!, now())).toBe(false);
  });

  test('IA-100 another client gets nothing, and spends nothing', async () => {
    const { grants, signIn } = scene();
    const { refreshToken } = await signIn();
    await expect(grants.rotate(refreshToken, 'https://other.example/')).rejects.toMatchObject(refused);
    expect((await grants.rotate(refreshToken, app.clientId)).refreshToken).toEqual(expect.any(String));
  });

  test.each(['https://app.example', 'https://APP.example/', 'https://app.example:443/'])(
    'IA-100 %s is the same client',
    async (clientId) => {
      const { grants, signIn } = scene();
      const { refreshToken, grant } = await signIn();
      expect((await grants.rotate(refreshToken, clientId)).grant.id).toBe(grant.id);
    },
  );

  test('IA-101 the grant keeps its scopes', async () => {
    const { grants, signIn } = scene();
    const { refreshToken } = await signIn();
    expect((await grants.rotate(refreshToken, app.clientId)).grant.scopes).toEqual(app.scopes);
  });
});

describe('time', () => {
  test('IA-103 a refresh token that is not used expires', async () => {
    const { grants, signIn, wait } = scene();
    const { refreshToken } = await signIn();
    wait(30 * day);
    await expect(grants.rotate(refreshToken, app.clientId)).rejects.toMatchObject(refused);
    expect(grants.byRefreshToken(refreshToken)).toBeUndefined();
    expect(grants.list()).toEqual([]);
  });

  test('IA-103 each use keeps the app signed in for as long again', async () => {
    const { grants, signIn, wait } = scene();
    let { refreshToken } = await signIn();
    for (let month = 0; month < 5; month += 1) {
      wait(30 * day - 1);
      ({ refreshToken } = await grants.rotate(refreshToken, app.clientId));
    }
    expect(grants.list()).toHaveLength(1);
  });

  test('the owner’s lifetime ends a grant, whatever was refreshed', async () => {
    const { grants, signIn, wait, now } = scene();
    const { refreshToken, grant } = await signIn({ expiresIn: day });
    wait(day - 1);
    const next = await grants.rotate(refreshToken, app.clientId);
    expect(isGrantLive(grants.get(grant.id)!, now())).toBe(true);
    wait(1);
    expect(isGrantLive(grants.get(grant.id)!, now())).toBe(false);
    await expect(grants.rotate(next.refreshToken, app.clientId)).rejects.toMatchObject(refused);
    expect(grants.list()).toEqual([]);
  });

  test('what ended is forgotten after 90 days, what counts is not', async () => {
    const { grants, signIn, wait, document } = scene();
    const { grant: ended } = await signIn();
    const { grant: manual } = await grants.create({ ...app, kind: 'manual' });
    await grants.revoke(ended.id);
    wait(90 * day - 1);
    await signIn();
    expect(grants.get(ended.id)).toBeDefined();
    wait(1);
    await signIn();
    expect(grants.get(ended.id)).toBeUndefined();
    expect([...document.data.keys()]).toContain(manual.id);
  });
});

describe('revoking', () => {
  test('ends the grant once', async () => {
    const { grants, signIn, now } = scene();
    const { grant, refreshToken } = await signIn();
    expect(await grants.revoke(grant.id)).toBe(true);
    expect(isGrantLive(grants.get(grant.id)!, now())).toBe(false);
    expect(grants.byRefreshToken(refreshToken)).toBeUndefined();
    await expect(grants.rotate(refreshToken, app.clientId)).rejects.toMatchObject(refused);
    expect(await grants.revoke(grant.id)).toBe(false);
    expect(await grants.revoke('unknown')).toBe(false);
  });

  test('leaves other grants alone', async () => {
    const { grants, signIn } = scene();
    const one = await signIn();
    const other = await signIn();
    await grants.revoke(one.grant.id);
    expect(grants.list().map(({ id }) => id)).toEqual([other.grant.id]);
  });
});

test('OA-7 refresh tokens hold 256 random bits and are kept as hashes', async () => {
  const { grants, signIn, document } = scene();
  const { refreshToken } = await signIn();
  const next = await grants.rotate(refreshToken, app.clientId);
  for (const token of [refreshToken, next.refreshToken]) {
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(JSON.stringify(document.data)).not.toContain(token);
  }
});

test('a token made by hand has no refresh token', async () => {
  const { grants } = scene();
  const { grant, refreshToken } = await grants.create({ ...app, kind: 'manual' });
  expect(refreshToken).toBeUndefined();
  expect(grant.refresh).toBeNull();
});

test('a use is seen at once, and written with the next change or when the server stops', async () => {
  const { grants, signIn, wait, document, now } = scene();
  const { grant } = await signIn();
  wait(5);
  grants.touch(grant.id);
  expect(grants.list()[0]?.lastUsedAt).toBe(now());
  expect([...document.data.values()][0]?.lastUsedAt).toBeNull();
  await grants.flush();
  expect([...document.data.values()][0]?.lastUsedAt).toBe(now());
});

test('the newest sign-in comes first', async () => {
  const { grants, signIn, wait } = scene();
  await signIn({ clientName: 'first' });
  wait(1);
  await signIn({ clientName: 'second' });
  expect(grants.list().map(({ clientName }) => clientName)).toEqual(['second', 'first']);
});
