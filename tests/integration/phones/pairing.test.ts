import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { Check } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { events } from '../../../src-main/contract/contract.ts';
import { pairingCode } from '../../../src-main/phones/assertion.ts';
import { type PhoneRow, phoneTable } from '../../../src-main/phones/phones.ts';
import { newPasskey, type Odd, tell } from '../../support/passkey.ts';
import { openScene, openVisitor, type Scene } from '../../support/scene.ts';

const base = 'https://ada.example';
let now = Date.now();
let scene: Scene;
let visitors = 0;

beforeAll(async () => {
  scene = await openScene({ baseUrl: base, clock: () => now });
  await scene.porchlight.call('settings.update', { phones: { on: true } });
});
afterAll(() => scene.close());
beforeEach(async () => {
  for (const { id } of await scene.porchlight.call('phones.list', {}))
    await scene.porchlight.call('phones.remove', { id });
});

const someone = () => openVisitor(scene.porchlight.base, `198.51.100.${(visitors += 1)}`);
const list = () => scene.porchlight.call('phones.list', {});
async function begun() {
  const { id, url, expiresAt } = await scene.porchlight.call('phones.pair', {});
  expect(url).toMatch(/^https:\/\/ada\.example\/phone#pair=[\w-]{43}$/);
  expect(Date.parse(expiresAt) - now).toBe(300_000);
  return { id, secret: url.split('#pair=')[1] ?? '' };
}
const scan = (secret: string, odd: Odd = {}, browser = someone(), name = 'My phone') =>
  tell(browser, 'pair', { name, passkey: newPasskey(base).create(secret, odd) });

describe('a phone is paired', () => {
  test('when the owner confirms, and the code is of the secret and of its key', async () => {
    const { id, secret } = await begun();
    const made = newPasskey(base).create(secret, { flags: 0x1d });
    const browser = someone();
    const name = '  Ada’s\n\u202Ephone ';
    expect((await tell(browser, 'pair', { name, passkey: made })).status).toBe(200);
    expect((await browser.open('/phone/waiting')).status).toBe(401);
    const code = pairingCode(secret, made.publicKey);
    expect(await list()).toMatchObject([{ id, name: 'Ada’s phone', code, synced: true, pairedAt: null }]);
    expect(scene.porchlight.events.at(-1)).toMatchObject({ name: 'phones.changed', data: [{ code }] });
    await scene.porchlight.call('phones.confirm', { id });
    for (const { name: event, data } of scene.porchlight.events)
      expect(Check(events[event], data), event).toBe(true);
    expect((await browser.open('/phone/waiting')).status).toBe(200);
    const [phone] = await list();
    expect(phone).toMatchObject({ id, usable: true, lastUsedAt: null });
    expect(phone?.code).toBeUndefined();
  });

  test('with a link that works once: a second phone is refused, and one at the same time', async () => {
    const { secret } = await begun();
    const both = await Promise.all([scan(secret), scan(secret)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 410]);
    expect((await scan(secret)).status).toBe(410);
    expect(await list()).toHaveLength(1);
  });

  test('no more once the owner has removed it, also at the moment of confirming', async () => {
    const { id, secret } = await begun();
    await scan(secret);
    const { porchlight } = scene;
    await Promise.all([porchlight.call('phones.confirm', { id }), porchlight.call('phones.remove', { id })]);
    expect(await list()).toEqual([]);
  });

  test('once, however often the owner confirms, and another pairing may begin at that moment', async () => {
    const { id, secret } = await begun();
    await scan(secret);
    const confirm = () => scene.porchlight.call('phones.confirm', { id });
    const [, , next] = await Promise.all([confirm(), confirm(), begun()]);
    expect((await list()).map((one) => one.id)).toEqual([id]);
    expect((await scan(next.secret)).status).toBe(200);
  });

  test('not with a late link, a replaced one, or another secret', async () => {
    const first = await begun();
    const { secret } = await begun();
    expect((await scan(first.secret)).status).toBe(410);
    now += 300_000;
    expect((await scan(secret)).status).toBe(410);
    expect(await list()).toEqual([]);
    await expect(scene.porchlight.call('phones.confirm', { id: first.id })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('and strangers don’t learn whether the owner is pairing one', async () => {
    const answers = async () => {
      const said: string[] = [];
      for (const how of [{}, { origin: 'https://evil.example' }]) {
        const response = await scan('A'.repeat(43), how);
        said.push(`${response.status} ${await response.text()}`);
      }
      return said;
    };
    const before = await answers();
    await begun();
    expect(await answers()).toEqual(before);
  });

  const odd: [string, Odd][] = [
    ['of another page', { origin: 'https://evil.example' }],
    ['in a frame', { client: { crossOrigin: true } }],
    ['for another host', { host: 'evil.example' }],
    ['without the check of the user', { flags: 0x41 }],
    ['of an old passkey', { type: 'webauthn.get' }],
  ];
  test.each(odd)('not with an answer %s, and the link still works', async (_name, how) => {
    const { secret } = await begun();
    expect((await scan(secret, how)).status).toBe(403);
    expect(await list()).toEqual([]);
    expect((await scan(secret)).status).toBe(200);
  });

  test('not with a key of another kind, or a body that isn’t one', async () => {
    const { secret } = await begun();
    const made = newPasskey(base).create(secret);
    const ed25519 = 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE';
    const { publicKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    // With the exponent 1, a signature is the message itself.
    const open = createPublicKey({ format: 'jwk', key: { ...rsa.export({ format: 'jwk' }), e: 'AQ' } });
    const unsigned = open.export({ type: 'spki', format: 'der' }).toString('base64url');
    for (const publicKey of ['AAAA', ed25519, unsigned])
      expect((await tell(someone(), 'pair', { name: 'x', passkey: { ...made, publicKey } })).status).toBe(
        403,
      );
    for (const body of [
      null,
      [],
      {},
      { name: 'x' },
      { name: 7, passkey: made },
      { name: 'x', passkey: made, more: 1 },
    ])
      expect((await tell(someone(), 'pair', body)).status).toBe(400);
    const form = await someone().open('/phone/pair', {
      method: 'POST',
      body: new URLSearchParams({ name: 'x' }),
    });
    expect(form.status).toBe(400);
    expect(await list()).toEqual([]);
  });

  test.each([
    ['that the history uses for the computer', 'Computer', 'Phone'],
    ['that ends its quotation marks in prompts', 'x” anyway. “', 'x anyway.'],
    ['with half a character', `${'x'.repeat(59)}😀`, 'x'.repeat(59)],
  ])('under no name %s', async (_what, name, expected) => {
    const { secret } = await begun();
    await scan(secret, {}, someone(), name);
    expect((await list())[0]?.name).toBe(expected);
    const [row] = await list();
    expect(await scene.porchlight.call('phones.confirm', { id: row?.id ?? '' })).toMatchObject({
      name: expected,
    });
  });

  test('by a backup only under a name that a phone could give itself', () => {
    const row = { name: 'Ada’s\u202E “phone”', cookies: 'x' } as PhoneRow;
    expect(phoneTable.cleaned?.(row)).toEqual({ name: 'Ada’s phone', cookies: '' });
  });
});

test('no cookie of a phone is stored, nor the secret of a link', async () => {
  const { id, secret } = await begun();
  const browser = someone();
  await scan(secret, {}, browser);
  await scene.porchlight.call('phones.confirm', { id });
  const rows = JSON.stringify(await scene.porchlight.call('phones.list', {}));
  const cookie = browser.cookies.get('__Host-porchlight-phone') ?? '';
  expect(cookie).toHaveLength(43);
  for (const text of [cookie, secret]) expect(rows).not.toContain(text);
});

describe('phones need', () => {
  test('the setting: without it, their addresses don’t exist', async () => {
    await scene.porchlight.call('settings.update', { phones: { on: false } });
    for (const path of ['/phone', '/phone/waiting', '/phone/question'])
      expect((await someone().open(path)).status, path).toBe(404);
    expect((await scan('x')).status).toBe(404);
    await expect(scene.porchlight.call('phones.pair', {})).rejects.toMatchObject({ code: 'not_allowed' });
    await scene.porchlight.call('settings.update', { phones: { on: true } });
  });

  test('an address that stays the same, and that passkeys can belong to', async () => {
    for (const options of [{ baseUrl: 'http://127.0.0.1:8080' }, { tunnel: 'off' } as const]) {
      const other = await openScene(options);
      await other.porchlight.call('settings.update', { phones: { on: true } });
      await expect(other.porchlight.call('phones.pair', {})).rejects.toMatchObject({
        code: 'no_public_address',
      });
      await other.close();
    }
  });
});

describe('the page of phones', () => {
  test('has a policy of its own: one script by its hash, nothing of others, no frame', async () => {
    const { headers } = await someone().open('/phone');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/; script-src 'sha256-[\w+/]+=';/);
    for (const part of [
      "default-src 'none'",
      "connect-src 'self'",
      "worker-src 'self'",
      "manifest-src 'self'",
      "img-src data: 'self'",
      "frame-ancestors 'none'",
    ])
      expect(policy).toContain(part);
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toContain('publickey-credentials-get=(self)');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test.each(['/phone', '/phone/waiting', '/phone/question', '/%70hone/waiting', '/ph%6fne'])(
    'scripts on other sites can’t read %s',
    async (path) => {
      const response = await someone().open(path, { headers: { origin: 'https://evil.example' } });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    },
  );

  test('no other page may use passkeys', async () => {
    for (const path of ['/', '/auth', '/nothing-here', '/feed', '/search']) {
      const { headers } = await someone().open(path);
      expect(headers.get('permissions-policy'), path).toBe(
        'publickey-credentials-get=(), publickey-credentials-create=()',
      );
    }
  });
});
