import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Browser } from '../../support/browser.ts';
import { challengeOf, type Decided } from '../../../src-main/phones/assertion.ts';
import {
  decided,
  newPasskey,
  type Odd,
  type Passkey,
  sent,
  type Shown,
  tell,
} from '../../support/passkey.ts';
import { openScene, openVisitor, type Scene } from '../../support/scene.ts';
import { redeem, type Waiting } from '../../support/sign-in.ts';

const base = 'https://ada.example';
/** The owner's network. Each test has another, because networks have limits. */
let home = '';
let tests = 0;
let now = Date.now();
let scene: Scene;
let passkey: Passkey;
let phone: Browser;

beforeAll(async () => {
  scene = await openScene({ baseUrl: base, clock: () => now });
  await scene.porchlight.call('settings.update', { phones: { on: true } });
});
afterAll(() => scene.close());
beforeEach(async () => {
  home = `203.0.113.${(tests += 1)}`;
  for (const { id } of await scene.porchlight.call('phones.list', {}))
    await scene.porchlight.call('phones.remove', { id });
  for (const { id } of await scene.porchlight.call('signIns.list', {}))
    await scene.porchlight.call('signIns.deny', { id });
  now += 3_600_000;
  ({ passkey, phone } = await paired());
});

/** Pairs a phone that speaks from the owner's network. */
async function paired(kind: 'ec' | 'rsa' = 'ec') {
  const made = newPasskey(base, kind);
  const browser = openVisitor(scene.porchlight.base, home);
  const { id, url } = await scene.porchlight.call('phones.pair', {});
  const body = { name: 'My phone', passkey: made.create(url.split('#pair=')[1] ?? '') };
  expect((await tell(browser, 'pair', body)).status).toBe(200);
  await scene.porchlight.call('phones.confirm', { id });
  return { id, passkey: made, phone: browser };
}

async function shownOn(browser: Browser): Promise<Shown[]> {
  const response = await browser.open('/phone/waiting');
  expect(response.status).toBe(200);
  return ((await response.json()) as { signIns: Shown[] }).signIns;
}

/** Lets an app ask. Returns the sign-in as the browser has it, and as the phone shows it. */
async function asked(
  scope = 'profile create',
  browser?: Browser,
): Promise<{ waiting: Waiting; shown: Shown }> {
  const waiting = await scene.ask(scene.request({ scope }), browser);
  const shown = (await shownOn(phone)).find(({ id }) => id === waiting.id);
  if (!shown) throw new Error('The phone doesn’t show the sign-in.');
  return { waiting, shown };
}

const outcomes = async () =>
  (await scene.porchlight.call('signIns.history', {})).map(({ id, outcome }) => `${id} ${outcome}`);

/** Expects a refusal after which the sign-in still waits. */
async function expectRefused(body: unknown, id: string, status = 403): Promise<void> {
  const response = await tell(phone, 'decide', body);
  expect(response.status).toBe(status);
  expect((await scene.porchlight.call('signIns.list', {})).map((one) => one.id)).toContain(id);
  expect(await scene.porchlight.call('apps.list', {})).toEqual([]);
}

describe('a phone', () => {
  test.each(['ec', 'rsa'] as const)(
    'approves with a key of %s, and the app gets its tokens',
    async (kind) => {
      ({ passkey, phone } = await paired(kind));
      const request = scene.request({ scope: 'profile create' });
      const waiting = await scene.ask(request);
      const [shown] = await shownOn(phone);
      expect(shown).toMatchObject({ number: null, network: null });
      const body = sent(decided(shown!, { number: waiting.matchCode, expiresIn: 86_400 }), passkey);
      expect(await (await tell(phone, 'decide', body)).json()).toEqual({ outcome: 'approved' });
      const tokens = await redeem(scene.porchlight, request, (await scene.wayBack(waiting)).searchParams);
      expect(await tokens.json()).toMatchObject({ scope: 'profile create' });
      const [app] = await scene.porchlight.call('apps.list', {});
      expect(app?.expiresAt).not.toBeNull();
      const [listed] = (await scene.porchlight.call('phones.list', {})).filter(
        ({ approved }) => approved.length,
      );
      expect(listed?.approved).toEqual([{ id: app?.id, name: 'Quill' }]);
      await scene.porchlight.call('phones.remove', { id: listed?.id ?? '', revoke: true });
      expect(await scene.porchlight.call('apps.list', {})).toEqual([]);
    },
  );

  test('fills in the number only for a sign-in of its own browser', async () => {
    const own = await asked('profile', phone);
    expect(own.shown).toMatchObject({ number: own.waiting.matchCode, network: 'same' });
    const neighbor = await asked('profile', openVisitor(scene.porchlight.base, '203.0.113.250'));
    expect(neighbor.shown).toMatchObject({ number: null, network: 'another' });
    expect(JSON.stringify(neighbor.shown)).not.toContain('203.0.113');
  });

  test('denies, and a signed wrong number denies too', async () => {
    const first = await asked();
    const no = decided(first.shown, { decision: 'deny', scopes: [] });
    expect(await (await tell(phone, 'decide', sent(no, passkey))).json()).toEqual({ outcome: 'denied' });
    const second = await asked();
    const wrong = second.waiting.matchCode === '00' ? '01' : '00';
    const body = sent(decided(second.shown, { number: wrong }), passkey);
    expect(await (await tell(phone, 'decide', body)).json()).toEqual({ outcome: 'denied' });
    expect((await scene.wayBack(second.waiting)).searchParams.get('error')).toBe('access_denied');
    expect((await scene.porchlight.call('signIns.history', {}))[0]).toMatchObject({ by: 'My phone' });
  });

  test('leaves out what the owner doesn’t allow, and posting together with mentions', async () => {
    const { shown } = await asked('profile delete odd create read_mentions');
    expect(shown.leftOut).toEqual(['delete', 'odd', 'create']);
    expect(shown.permissions.map(({ scope }) => scope)).toEqual(['profile', 'read_mentions']);
    for (const scopes of [['delete'], ['read_mentions', 'create'], ['media']]) {
      const body = sent(decided(shown, { scopes }), passkey);
      await expectRefused(body, shown.id, 400);
    }
  });
});

describe('what a passkey signed counts for nothing else', () => {
  const honest = async () => {
    const { waiting, shown } = await asked();
    return { shown, what: decided(shown, { number: waiting.matchCode }) };
  };

  test('the same decision sent twice counts once', async () => {
    const { what } = await honest();
    const body = sent(what, passkey);
    expect((await tell(phone, 'decide', body)).status).toBe(200);
    expect((await tell(phone, 'decide', body)).status).toBe(404);
    const all = await outcomes();
    expect(all.filter((one) => one.startsWith(what.id))).toEqual([`${what.id} approved`]);
    await scene.porchlight.call('signIns.undo', { id: what.id });
  });

  test('the signature for one sign-in approves no other', async () => {
    const first = await honest();
    const second = await honest();
    await expectRefused(sent(second.what, passkey, challengeOf(first.what)), second.shown.id);
  });

  const changed: [string, (what: Decided) => Partial<Decided>][] = [
    ['permissions', () => ({ scopes: ['profile'] })],
    ['redirect URI', () => ({ redirectUri: 'https://evil.example/' })],
    ['lifetime', () => ({ expiresIn: 60 })],
    ['app', () => ({ clientId: 'https://evil.example/' })],
    ['number', () => ({ number: '' })],
    ['nonce', () => ({ nonce: 'a'.repeat(43) })],
    ['decision', () => ({ decision: 'deny' })],
  ];
  test.each(changed)('another %s than the signed one is refused', async (_name, change) => {
    const { what, shown } = await honest();
    await expectRefused(sent(what, passkey, challengeOf({ ...what, ...change(what) })), shown.id);
  });

  const odd: [string, Odd][] = [
    ['of another page', { origin: 'https://evil.example' }],
    ['of another port', { origin: `${base}:8443` }],
    ['in a frame of another site', { client: { crossOrigin: true } }],
    ['with a topOrigin', { client: { topOrigin: 'https://evil.example' } }],
    ['with a topOrigin of ours', { client: { crossOrigin: false, topOrigin: base } }],
    ['for another host', { host: 'evil.example' }],
    ['without the check of the user', { flags: 0x01 }],
    ['without the presence of the user', { flags: 0x04 }],
    ['of a new passkey', { type: 'webauthn.create' }],
  ];
  test.each(odd)('an answer %s is refused', async (_name, how) => {
    const { what, shown } = await honest();
    await expectRefused(sent(what, passkey, challengeOf(what), how), shown.id);
  });

  test('a damaged signature, another key, and a removed phone are refused', async () => {
    const { what, shown } = await honest();
    const body = sent(what, passkey);
    const signature = newPasskey(base).sign(challengeOf(what)).signature;
    await expectRefused({ ...body, passkey: { ...body.passkey, signature } }, shown.id);
    await expectRefused({ ...body, passkey: { ...body.passkey, signature: 'AAAA' } }, shown.id);
    await expectRefused(sent(what, newPasskey(base)), shown.id);
    const [{ id } = { id: '' }] = await scene.porchlight.call('phones.list', {});
    await scene.porchlight.call('phones.remove', { id });
    await expectRefused(body, shown.id);
    expect((await phone.open('/phone/waiting')).status).toBe(401);
  });

  test('a decision that is still arriving when the owner turns phones off is refused', async () => {
    const { what, shown } = await honest();
    const body = JSON.stringify(sent(what, passkey));
    const { host, port } = new URL(scene.porchlight.base);
    const socket = connect(Number(port), '127.0.0.1');
    const head = `POST /phone/decide HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json`;
    const waits = 'expect: 100-continue\r\nconnection: close';
    socket.write(`${head}\r\ncontent-length: ${body.length}\r\n${waits}\r\n\r\n`);
    const [next] = (await once(socket, 'data')) as [Buffer];
    expect(next.toString()).toContain('100 Continue');
    await scene.porchlight.call('settings.update', { phones: { on: false } });
    socket.write(body);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    await scene.porchlight.call('settings.update', { phones: { on: true } });
    expect(answer.toString()).toContain('404');
    expect((await scene.porchlight.call('signIns.list', {})).map(({ id }) => id)).toContain(shown.id);
  });

  test('without the signature of a phone, the answer is the same whatever phones may give', async () => {
    const { waiting, shown } = await asked('profile create delete');
    const answers: string[] = [];
    for (const scopes of [['profile'], ['create'], ['delete']]) {
      const body = sent(decided(shown, { scopes, number: waiting.matchCode }), newPasskey(base));
      const response = await tell(openVisitor(scene.porchlight.base, '198.51.100.2'), 'decide', body);
      answers.push(`${response.status} ${await response.text()}`);
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('403');
  });

  test('a counter must grow, unless it stays 0', async () => {
    for (const [counter, isTaken] of [
      [0, true],
      [0, true],
      [7, true],
      [7, false],
      [6, false],
      [0, false],
      [8, true],
    ] as const) {
      const { what, shown } = await honest();
      const body = sent(what, passkey, challengeOf(what), { counter });
      if (isTaken) expect((await tell(phone, 'decide', body)).status, String(counter)).toBe(200);
      else await expectRefused(body, shown.id);
      for (const { id } of await scene.porchlight.call('signIns.list', {}))
        await scene.porchlight.call('signIns.deny', { id });
      now += 120_000;
      for (const past of await scene.porchlight.call('signIns.history', {}))
        if (past.canUndo) await scene.porchlight.call('signIns.undo', { id: past.id });
    }
  });
});

describe('the cookie of a phone', () => {
  test('shows, and approves nothing', async () => {
    const { waiting, shown } = await asked();
    const { passkey: _unsigned, ...body } = sent(decided(shown, { number: waiting.matchCode }), passkey);
    await expectRefused(body, shown.id, 400);
    const line = (await tell(phone, 'open', {})).headers.getSetCookie();
    expect(line).toEqual([]);
  });

  test('is given to another browser of the phone for one answered question', async () => {
    const second = openVisitor(scene.porchlight.base, home);
    const { question } = (await (await second.open('/phone/question')).json()) as { question: string };
    const body = { question, passkey: passkey.sign(question) };
    const response = await tell(second, 'open', body);
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^__Host-porchlight-phone=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(await shownOn(second)).toEqual([]);
    expect(await shownOn(phone)).toEqual([]);
    expect((await tell(second, 'open', body)).status).toBe(403);
    now += 121_000;
    const late = (await (await second.open('/phone/question')).json()) as { question: string };
    now += 121_000;
    const answer = { question: late.question, passkey: passkey.sign(late.question) };
    expect((await tell(second, 'open', answer)).status).toBe(403);
    const forged = Buffer.alloc(64, 1).toString('base64url');
    expect((await tell(second, 'open', { question: forged, passkey: passkey.sign(forged) })).status).toBe(
      403,
    );
  });

  test('without one, the page and the answers are the same whether something waits or not', async () => {
    const stranger = openVisitor(scene.porchlight.base, '198.51.100.1');
    const look = async () => {
      const [page, waiting] = [await stranger.open('/phone'), await stranger.open('/phone/waiting')];
      return [page.status, await page.text(), waiting.status, await waiting.text()];
    };
    const before = await look();
    await asked();
    expect(await look()).toEqual(before);
  });
});

test('a phone that is removed with its apps takes along what they have not fetched or redeemed yet', async () => {
  const { porchlight } = scene;
  const [{ id } = { id: '' }] = await porchlight.call('phones.list', {});
  const approve = async () => {
    const request = scene.request({ scope: 'profile create' });
    const waiting = await scene.ask(request);
    const shown = (await shownOn(phone)).find((one) => one.id === waiting.id);
    const body = sent(decided(shown!, { number: waiting.matchCode }), passkey);
    expect((await tell(phone, 'decide', body)).status).toBe(200);
    return { request, waiting };
  };
  const fetched = await approve();
  const code = (await scene.wayBack(fetched.waiting)).searchParams;
  const unfetched = await approve();
  await porchlight.call('phones.remove', { id, revoke: true });
  expect((await redeem(porchlight, fetched.request, code)).status).toBe(400);
  expect((await scene.wayBack(unfetched.waiting)).searchParams.get('error')).toBe('access_denied');
  expect(await porchlight.call('apps.list', {})).toEqual([]);
});

test('Undo ends the way back, the code, and the access', async () => {
  const { porchlight } = scene;
  const approve = async () => {
    const request = scene.request({ scope: 'profile create' });
    const waiting = await scene.ask(request);
    await scene.approve(waiting);
    return { request, waiting };
  };
  const early = await approve();
  await porchlight.call('signIns.undo', { id: early.waiting.id });
  expect((await scene.wayBack(early.waiting)).searchParams.get('error')).toBe('access_denied');
  const fetched = await approve();
  const answer = (await scene.wayBack(fetched.waiting)).searchParams;
  await porchlight.call('signIns.undo', { id: fetched.waiting.id });
  expect((await redeem(porchlight, fetched.request, answer)).status).toBe(400);
  const redeemed = await approve();
  const code = (await scene.wayBack(redeemed.waiting)).searchParams;
  expect((await redeem(porchlight, redeemed.request, code)).status).toBe(200);
  expect((await porchlight.call('signIns.history', {}))[0]).toMatchObject({ by: 'computer', canUndo: true });
  expect(await porchlight.call('signIns.undo', { id: redeemed.waiting.id })).toMatchObject({ saved: true });
  expect(await porchlight.call('apps.list', {})).toEqual([]);
  await expect(porchlight.call('signIns.undo', { id: redeemed.waiting.id })).rejects.toMatchObject({
    code: 'not_found',
  });
});
