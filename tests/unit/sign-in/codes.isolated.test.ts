import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { codeSeconds, createCodes, type Permit, type Redemption } from '../../../src-main/sign-in/codes.ts';
import { pkcePair } from '../../support/client-app.ts';

const { timingSafeEqual } = vi.hoisted(() => ({ timingSafeEqual: vi.fn() }));
vi.mock(import('node:crypto'), async (original) => {
  const crypto = await original();
  timingSafeEqual.mockImplementation(crypto.timingSafeEqual);
  return { ...crypto, timingSafeEqual };
});

const { verifier, challenge } = pkcePair();
const clientId = 'https://app.example/';
const permit: Permit = {
  redirectUri: 'https://app.example/callback',
  challenge,
  grant: {
    kind: 'app',
    me: 'https://owner.example/',
    clientId,
    clientName: 'App',
    clientLogo: null,
    device: null,
    scopes: ['create'],
    expiresIn: undefined,
  },
};

function scene(changes: Partial<Permit> = {}) {
  let now = Date.parse('2026-11-05T12:00:00Z');
  const revoked: string[] = [];
  const codes = createCodes(
    () => now,
    (id) => Promise.resolve(revoked.push(id)),
  );
  const code = codes.issue({ ...permit, ...changes });
  return {
    codes,
    code,
    revoked,
    wait: (seconds: number) => (now += seconds * 1000),
    redeem: (other: Partial<Redemption> = {}) =>
      codes.redeem({ code, clientId, redirectUri: permit.redirectUri, verifier, ...other }),
  };
}

const refused = { code: 'invalid_grant', status: 400 };

test('IA-80 a code is redeemed by the one it was made for', async () => {
  const { redeem } = scene();
  expect((await redeem()).permit).toEqual(permit);
});

test.each(['', 'unknown', 'A'.repeat(43)])('IA-80 the unknown code %j is refused', async (code) => {
  await expect(scene().redeem({ code })).rejects.toMatchObject(refused);
});

const wrong: [string, Partial<Redemption>][] = [
  ['another client', { clientId: 'https://other.example/' }],
  ['a client of another path', { clientId: 'https://app.example/other' }],
  ['a client of another scheme', { clientId: 'http://app.example/' }],
  ['another redirect', { redirectUri: 'https://app.example/callback2' }],
  ['a redirect with a query', { redirectUri: 'https://app.example/callback?x' }],
  ['another verifier', { verifier: pkcePair().verifier }],
  ['the challenge as the verifier', { verifier: challenge }],
];

describe('a redemption with wrong parameters', () => {
  test.each(wrong)('IA-80 %s is refused', async (_name, changes) => {
    await expect(scene().redeem(changes)).rejects.toMatchObject(refused);
  });

  test.each(wrong)('IA-78 %s burns the code', async (_name, changes) => {
    const { redeem } = scene();
    await expect(redeem(changes)).rejects.toMatchObject(refused);
    await expect(redeem()).rejects.toMatchObject(refused);
  });
});

test.each<Partial<Redemption>>([
  { clientId: 'https://app.example' },
  { clientId: 'https://APP.example/' },
  { clientId: 'https://app.example:443/' },
  { redirectUri: 'https://App.Example/callback' },
])('IA-37 %j is the same, compared as URLs', async (changes) => {
  expect((await scene().redeem(changes)).permit.grant.clientId).toBe('https://app.example/');
});

describe('verifiers', () => {
  test('IA-82 a challenge needs its verifier', async () => {
    await expect(scene().redeem({ verifier: undefined })).rejects.toMatchObject(refused);
  });

  test('IA-82 a verifier needs its challenge', async () => {
    await expect(scene({ challenge: null }).redeem()).rejects.toMatchObject(refused);
  });

  test('IA-82 a code without a challenge is redeemed without a verifier', async () => {
    expect((await scene({ challenge: null }).redeem({ verifier: undefined })).permit.challenge).toBeNull();
  });

  const s256 = (text: string) => createHash('sha256').update(text).digest('base64url');

  test.each([
    'a'.repeat(42),
    'a'.repeat(129),
    `${'a'.repeat(42)} `,
    `${'a'.repeat(42)}+`,
    `${'a'.repeat(42)}é`,
  ])('IA-83 %j is not a verifier, even if the challenge was made from it', async (text) => {
    await expect(scene({ challenge: s256(text) }).redeem({ verifier: text })).rejects.toMatchObject(refused);
  });

  test.each(['a'.repeat(43), 'Z'.repeat(128), 'AZaz09-._~'.repeat(5)])('IA-83 %j is one', async (text) => {
    expect((await scene({ challenge: s256(text) }).redeem({ verifier: text })).permit.grant.me).toBe(
      permit.grant.me,
    );
  });

  test.each([(text: string) => text, (text: string) => text.toUpperCase()])(
    'D-8b a challenge in hex is met by its verifier, and by no other (%#)',
    async (spell) => {
      const hex = spell(createHash('sha256').update(verifier).digest('hex'));
      expect((await scene({ challenge: hex }).redeem()).permit.challenge).toBe(hex);
      await expect(scene({ challenge: hex }).redeem({ verifier: pkcePair().verifier })).rejects.toMatchObject(
        refused,
      );
    },
  );

  test('OA-7 verifiers are compared in constant time', async () => {
    timingSafeEqual.mockClear();
    await scene().redeem();
    expect(timingSafeEqual).toHaveBeenCalledOnce();
  });
});

describe('time', () => {
  test('IA-78 a code lives for 60 seconds', () => expect(codeSeconds).toBe(60));

  test('IA-78 a code counts until just before its end', async () => {
    const { redeem, wait } = scene();
    wait(59.999);
    expect((await redeem()).permit).toEqual(permit);
  });

  test('IA-78 a code is invalid from the moment it expires', async () => {
    const { redeem, wait } = scene();
    wait(60);
    await expect(redeem()).rejects.toMatchObject(refused);
  });
});

describe('a second use', () => {
  test('IA-78 a second use of a code fails and revokes the tokens of the first', async () => {
    const { redeem, revoked } = scene();
    await (await redeem()).given('grant-1');
    expect(revoked).toEqual([]);
    await expect(redeem()).rejects.toMatchObject(refused);
    expect(revoked).toEqual(['grant-1']);
  });

  test('IA-78 is noticed hours after the code expired', async () => {
    const { redeem, revoked, wait, codes } = scene();
    await (await redeem()).given('grant-1');
    wait(12 * 3600);
    codes.issue(permit); // which forgets what is old
    await expect(redeem()).rejects.toMatchObject(refused);
    expect(revoked).toEqual(['grant-1']);
  });

  test('IA-78 at the same moment: the first one gets nothing either', async () => {
    const { redeem, revoked } = scene();
    const first = await redeem(); // its grant is still being written
    await expect(redeem()).rejects.toMatchObject(refused);
    await expect(first.given('grant-1')).rejects.toMatchObject(refused);
    expect(revoked).toEqual(['grant-1']);
  });

  test('IA-91 fails at whichever endpoint: the two share their codes', async () => {
    const { redeem } = scene();
    await redeem(); // as the authorization endpoint does: nothing is given
    await expect(redeem()).rejects.toMatchObject(refused);
  });
});

test('OA-7 codes hold 256 random bits', () => {
  const { codes } = scene();
  const issued = Array.from({ length: 200 }, () => codes.issue(permit));
  expect(new Set(issued).size).toBe(200);
  for (const code of issued) expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/);
});
