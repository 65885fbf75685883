import type { FastifyRequest } from 'fastify';
import { decodeJwt } from 'jose';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { readSecrets } from '../../../src-main/data/restore-desk.ts';
import { buildPublicApp } from '../../../src-main/http/app.ts';
import { ntfyHandlers } from '../../../src-main/phones/push/ntfy.ts';
import { PhonePush } from '../../../src-main/phones/push/push.ts';
import { createGuardedFetch, type GuardedFetch } from '../../../src-main/platform/guarded-fetch.ts';
import { createLog, silentLog } from '../../../src-main/platform/log.ts';
import {
  ntfyName,
  openSecretsFile,
  phonePushName,
  secretsFileIn,
} from '../../../src-main/platform/secrets.ts';
import { endless, type Behaviour } from '../../support/hostile-server.ts';
import { memoryWork } from '../../support/memory-work.ts';
import { newReceiver, openPush, openPushService } from '../../support/push-service.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const base = 'https://ada.example';
const minute = 60_000;
const hour = 60 * minute;

/** A server with paired phones, which name themselves in a header instead of a cookie. */
async function openPhones(settings: Partial<Settings['phones']> = {}) {
  const phones: Settings['phones'] = { on: true, scopes: [], push: 'web', ...settings };
  const state = { now: Date.parse('2026-11-29T12:00:00Z'), paired: ['ada'], waiting: new Set<string>() };
  const lines: string[] = [];
  const file = secretsFileIn(await temporaryFolder());
  const secrets = await openSecretsFile({ file });
  const { work, records } = await memoryWork({ now: () => state.now });
  const service = await openPushService();
  const guarded = createGuardedFetch({ allowPrivate: true, userAgent: 'Porchlight/test' });
  const limits: (number | undefined)[] = [];
  const fetch: GuardedFetch = (url, options) => {
    limits.push(options?.timeoutMs);
    return guarded(url, { ...options, timeoutMs: 500 });
  };
  const deps = {
    fetch,
    secrets,
    clock: () => state.now,
    base: () => base,
    allowPrivate: true,
    log: createLog({ level: 'info' }, { write: (line) => void lines.push(line) }),
    settings: () => phones,
    phoneOf: ({ headers }: FastifyRequest) => state.paired.find((phone) => phone === headers['x-phone']),
    isPaired: (phone: string) => state.paired.includes(phone),
    isWaiting: (signIn: string) => state.waiting.has(signIn),
  };
  const push = new PhonePush({ ...deps, work });
  const app = await buildPublicApp({ log: silentLog, features: [push.routes], closing: () => undefined });
  onTestFinished(async () => {
    await work.stop();
    await app.close();
    await service.close();
  });
  work.start();
  const receiver = await newReceiver();
  const queued = () => records.rows(({ key }) => String(key), 'SELECT key FROM work');

  return {
    phones,
    state,
    lines,
    limits,
    secrets,
    work,
    records,
    service,
    deps,
    push,
    app,
    receiver,
    queued,
    ntfy: ntfyHandlers(secrets, true)['secrets.setNtfy'],
    hasNtfy: ntfyHandlers(secrets, true)['secrets.hasNtfy'],
    post: (payload: unknown, headers: Record<string, string> = { 'x-phone': 'ada' }) =>
      app.inject({
        method: 'POST',
        url: '/phone/subscription',
        headers: { 'content-type': 'application/json', ...headers },
        payload: JSON.stringify(payload),
      }),
    /** Turns pushes on for a phone. */
    async subscribe(phone = 'ada') {
      const sent = service.subscription(receiver, `/push/${phone}`);
      expect((await this.post(sent, { 'x-phone': phone })).statusCode).toBe(204);
    },
    /** Begins a sign-in that waits for the owner. */
    async ask(id: string, askers: readonly string[] = [id]) {
      state.waiting.add(id);
      await push.notify({ id, askers });
    },
    /** Ends a sign-in. */
    async end(id: string) {
      state.waiting.delete(id);
      await push.ended(id);
    },
    /** Resolves when nothing is left to be sent. */
    settled: () => vi.waitFor(() => expect(queued()).toEqual([]), 10_000),
    /** Lets time pass, as far as the queue and the limits know. */
    later(ms: number) {
      state.now += ms;
      work.wake();
    },
  };
}

const status =
  (code: number): Behaviour =>
  (response) =>
    response.writeHead(code).end();

describe('a push to a phone', () => {
  test('says that someone asks to sign in, leads to /phone, and says nothing more', async () => {
    const house = await openPhones();
    await house.subscribe();
    await house.ask('sign-in-1');
    await house.settled();
    const [one, ...others] = house.service.received;
    expect(others).toEqual([]);
    expect(JSON.parse(await openPush(one!.body, house.receiver))).toEqual({
      web_push: 8030,
      notification: { title: 'Someone asks to sign in', navigate: `${base}/phone` },
    });
    expect(one!.path).toBe('/push/ada');
    expect(one!.headers).toMatchObject({
      ttl: '600',
      urgency: 'high',
      topic: 'sign-in',
      'content-encoding': 'aes128gcm',
    });
    const [, token = '', key] = /^vapid t=(.+), k=(.+)$/.exec(one!.headers.authorization ?? '') ?? [];
    expect(key).toBe(await house.push.publicKey());
    expect(decodeJwt(token)).toMatchObject({ aud: house.service.origin, sub: base });
    expect(house.limits.every((ms) => ms !== undefined && ms <= 10_000)).toBe(true);
  });

  test('goes to each paired phone, and to none that was removed', async () => {
    const house = await openPhones();
    house.state.paired.push('eve', 'old');
    for (const phone of house.state.paired) await house.subscribe(phone);
    house.state.paired.pop();
    await house.push.forget('eve');
    await house.ask('sign-in-1');
    await house.settled();
    expect(house.service.received.map(({ path }) => path)).toEqual(['/push/ada']);
  });

  test('is not sent about a sign-in that ended before', async () => {
    const house = await openPhones();
    await house.subscribe();
    house.service.respond(status(503));
    await house.ask('sign-in-1');
    await vi.waitFor(() => expect(house.service.received).toHaveLength(1));
    await house.end('sign-in-1');
    expect(house.queued()).toEqual([]);
    house.later(minute);
    // Also where only the waiting room knows: after a restart, it is empty, and the queue isn't.
    await house.ask('sign-in-2');
    await vi.waitFor(() => expect(house.service.received).toHaveLength(2));
    house.state.waiting.clear();
    await vi.waitFor(() => {
      house.later(minute);
      expect(house.queued()).toEqual([]);
    });
    expect(house.service.received).toHaveLength(2);
  });

  test.each([404, 410])('that is answered %i ends the subscription', async (code) => {
    const house = await openPhones();
    await house.subscribe();
    house.service.respond(status(code));
    await house.ask('sign-in-1');
    await house.settled();
    house.service.respond(status(201));
    await house.ask('sign-in-2');
    await house.settled();
    expect(house.service.received).toHaveLength(1);
    await expect(house.push.test()).rejects.toMatchObject({ code: 'not_set_up' });
  });

  test.each([429, 500])('that is answered %i is sent again', async (code) => {
    const house = await openPhones();
    await house.subscribe();
    house.service.respond(status(code));
    await house.ask('sign-in-1');
    await vi.waitFor(() => expect(house.service.received).toHaveLength(1));
    house.service.respond(status(201));
    await vi.waitFor(() => {
      house.later(minute);
      expect(house.service.received).toHaveLength(2);
    });
    await house.settled();
    expect(await openPush(house.service.received[1]!.body, house.receiver)).toContain('Someone asks');
  });

  test.each<[string, Behaviour]>([
    ['redirects to this computer', (response) => response.writeHead(307, { location: '/secret' }).end()],
    ['responds without an end', endless(Buffer.alloc(65_536, 'a'))],
    ['refuses', status(403)],
  ])('is sent once to a push service that %s', async (_what, behave) => {
    const house = await openPhones();
    await house.subscribe();
    house.service.respond(behave);
    await house.ask('sign-in-1');
    await house.settled();
    expect(house.service.received.map(({ path }) => path)).toEqual(['/push/ada']);
  });

  test('is given up if the push service never responds, and keeps no other phone waiting', async () => {
    const house = await openPhones();
    house.state.paired.push('eve');
    await house.subscribe();
    await house.subscribe('eve');
    house.service.respond((response, request) => {
      if (request.url === '/push/eve') response.writeHead(201).end();
    });
    await house.ask('sign-in-1');
    await vi.waitFor(() => expect(house.queued()).toEqual(['sign-in-1 ada']));
    await vi.waitFor(() => {
      house.later(5 * minute);
      expect(house.queued()).toEqual([]);
    }, 20_000);
    const paths = house.service.received.map(({ path }) => path);
    expect(paths.filter((path) => path === '/push/eve')).toHaveLength(1);
    expect(paths.filter((path) => path === '/push/ada')).toHaveLength(7);
  });
});

describe('strangers', () => {
  test('cause at most ten pushes a day with 1,000 sign-ins', async () => {
    const house = await openPhones();
    await house.subscribe();
    for (let count = 0; count < 1000; count += 1) {
      await house.ask(`sign-in-${count}`);
      house.state.now += minute;
    }
    await house.settled();
    expect(house.service.received).toHaveLength(10);
    house.later(24 * hour);
    await house.ask('next-day');
    await house.settled();
    expect(house.service.received).toHaveLength(11);
  });

  test('cause one push in ten minutes from one browser, and from one network', async () => {
    const house = await openPhones();
    await house.subscribe();
    for (const askers of [
      ['browser 1', 'network 1'],
      ['browser 1'],
      ['browser 2', 'network 1'],
      ['browser 3'],
    ])
      await house.ask(askers.join(), askers);
    await house.settled();
    expect(house.service.received).toHaveLength(2);
    house.later(10 * minute);
    await house.ask('again', ['browser 1', 'network 1']);
    await house.settled();
    expect(house.service.received).toHaveLength(3);
  });

  test('cause none for an hour after the owner denied three sign-ins', async () => {
    const house = await openPhones();
    await house.subscribe();
    for (const id of ['1', '2', '3']) {
      await house.ask(id);
      await house.settled();
      await house.end(id);
      house.push.denied();
    }
    await house.ask('4');
    house.later(hour - 1);
    await house.ask('5');
    await house.settled();
    expect(house.service.received).toHaveLength(3);
    house.later(1);
    await house.ask('6');
    await house.settled();
    expect(house.service.received).toHaveLength(4);
  });
});

describe('a subscription', () => {
  test.each([
    'https://fcm.googleapis.com/fcm/send/a',
    'https://jmt17.google.com/fcm/send/a',
    'https://updates.push.services.mozilla.com/wpush/v2/a',
    'https://web.push.apple.com/a',
    'https://wns2-par02p.notify.windows.com/w/?token=a',
  ])('at %s is taken', async (endpoint) => {
    const house = await openPhones();
    const sent = { ...house.service.subscription(house.receiver), endpoint };
    expect((await house.post(sent)).statusCode).toBe(204);
    expect(await house.secrets.get(phonePushName)).toContain(endpoint);
  });

  test.each([
    'https://push.example/a',
    'http://fcm.googleapis.com/a',
    'https://fcm.googleapis.com:8443/a',
    'https://fcm.googleapis.com./a',
    'https://user:word@fcm.googleapis.com/a',
    'https://fcm.googleapis.com.evil.example/a',
    'https://evil.example/fcm.googleapis.com',
    'https://push.apple.com.evil.example/a',
    'https://evilpush.apple.com/a',
    'https://192.168.0.1/a',
    'file:///etc/passwd',
    'fcm.googleapis.com',
  ])('at %s is refused', async (endpoint) => {
    const house = await openPhones();
    const response = await house.post({ ...house.service.subscription(house.receiver), endpoint });
    expect(response.statusCode).toBe(400);
    expect(await house.secrets.get(phonePushName)).toBeNull();
  });

  test('at another server that a backup brought gets no push', async () => {
    const house = await openPhones();
    await house.subscribe();
    const stored = JSON.parse((await house.secrets.get(phonePushName)) ?? '') as { subscriptions: object[] };
    const foreign = stored.subscriptions.map((one) => ({ ...one, endpoint: 'https://push.example/a' }));
    await house.secrets.set(phonePushName, JSON.stringify({ ...stored, subscriptions: foreign }));
    const restored = new PhonePush({ ...house.deps, work: (await memoryWork()).work });
    await expect(restored.test()).rejects.toMatchObject({ code: 'not_set_up' });
  });

  test('with a wrong key is refused, and so is what is no subscription', async () => {
    const house = await openPhones();
    const { endpoint, keys } = house.service.subscription(house.receiver);
    const off = Buffer.alloc(65, 4).toString('base64url');
    for (const sent of [
      { endpoint, keys: { ...keys, p256dh: off } },
      { endpoint, keys: { ...keys, auth: 'short' } },
      { endpoint },
      { endpoint: `https://fcm.googleapis.com/${'a'.repeat(1024)}`, keys },
      [],
      null,
    ])
      expect((await house.post(sent)).statusCode).toBe(400);
    expect((await house.post('a'.repeat(9000))).statusCode).toBe(413);
    expect(await house.secrets.get(phonePushName)).toBeNull();
  });

  test('comes only from a paired phone, as JSON, and while phones are on', async () => {
    const house = await openPhones();
    const sent = house.service.subscription(house.receiver);
    expect((await house.post(sent, {})).statusCode).toBe(403);
    expect((await house.post(sent, { 'x-phone': 'eve' })).statusCode).toBe(403);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
      expect((await house.post(sent, { 'x-phone': 'ada', 'content-type': type })).statusCode).toBe(415);
    house.phones.on = false;
    for (const url of ['/phone/worker.js', '/phone/manifest.webmanifest'])
      expect((await house.app.inject({ url })).statusCode).toBe(404);
    expect((await house.post(sent)).statusCode).toBe(404);
    expect(await house.secrets.get(phonePushName)).toBeNull();
  });

  test('is ended by the phone itself, and replaced by a newer one', async () => {
    const house = await openPhones();
    await house.subscribe();
    const newer = house.service.subscription(house.receiver, '/push/newer');
    await house.post(newer);
    await house.ask('1');
    await house.settled();
    expect(house.service.received.map(({ path }) => path)).toEqual(['/push/newer']);
    const headers = { 'x-phone': 'ada' };
    const ended = await house.app.inject({ method: 'DELETE', url: '/phone/subscription', headers });
    expect(ended.statusCode).toBe(204);
    await house.ask('2');
    await house.settled();
    expect(house.service.received).toHaveLength(1);
  });

  test('beyond what a keychain holds is refused, and the others stay', async () => {
    const house = await openPhones();
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      house.state.paired.push(`phone-${count}`);
      const sent = house.service.subscription(house.receiver, `/push/${count}${'a'.repeat(200)}`);
      statuses.push((await house.post(sent, { 'x-phone': `phone-${count}` })).statusCode);
    }
    const taken = statuses.filter((one) => one === 204).length;
    expect(taken).toBeGreaterThanOrEqual(4);
    expect(statuses.slice(taken)).toEqual(Array(12 - taken).fill(403));
    expect((await house.secrets.get(phonePushName))?.length).toBeLessThan(2560);
    await house.ask('1');
    await house.settled();
    expect(house.service.received).toHaveLength(taken);
  });

  test('stands only among the secrets: not in the log, and not in the queue', async () => {
    const house = await openPhones();
    await house.subscribe();
    house.service.respond(status(403));
    await house.ask('sign-in-1');
    await house.settled();
    house.service.respond(status(500));
    await house.ask('sign-in-2');
    await vi.waitFor(() => expect(house.service.received).toHaveLength(2));
    await vi.waitFor(() => expect(JSON.stringify(rowsOf(house))).toContain('responded with 500'));
    expect(house.lines.join('')).toContain('responded with 403');
    const stored = (await readSecrets(house.secrets))[phonePushName] ?? '';
    const { sender } = JSON.parse(stored) as { sender: { d: string } };
    const { endpoint, keys } = house.service.subscription(house.receiver, '/push/ada');
    for (const secret of [sender.d, endpoint, keys.p256dh, keys.auth]) {
      expect(stored).toContain(secret);
      expect(JSON.stringify(rowsOf(house))).not.toContain(secret);
      expect(house.lines.join('')).not.toContain(secret);
    }
  });
});

const rowsOf = ({ records }: Awaited<ReturnType<typeof openPhones>>) =>
  records.rows((row) => row, 'SELECT * FROM work');

describe('ntfy', () => {
  test('gets the same words, and a button that only opens /phone', async () => {
    const house = await openPhones({ push: 'ntfy' });
    house.service.respond(status(200));
    await house.ask('before');
    expect(await house.ntfy({ server: house.service.origin, topic: 'ada_sign-ins' })).toEqual({
      stored: true,
    });
    await house.ask('sign-in-1');
    await house.settled();
    const [one, ...others] = house.service.received;
    expect(others).toEqual([]);
    expect(one!.path).toBe('/ada_sign-ins');
    expect(one!.headers).toMatchObject({
      title: 'Someone asks to sign in',
      actions: `view, Open, ${base}/phone, clear=true`,
    });
    expect(one!.body.toString()).toBe('Open Porchlight on your phone.');
    expect(await house.hasNtfy()).toEqual({ stored: true });
    expect(await house.ntfy({ server: '', topic: '' })).toEqual({ stored: false });
    expect(await house.hasNtfy()).toEqual({ stored: false });
    await house.ask('sign-in-2');
    await house.settled();
    expect(house.service.received).toHaveLength(1);
  });

  test('keeps its topic when the server answers 404', async () => {
    const house = await openPhones({ push: 'ntfy' });
    await house.ntfy({ server: house.service.origin, topic: 'topic' });
    house.service.respond(status(404));
    await expect(house.push.test()).rejects.toMatchObject({ code: 'fetch_failed' });
    house.service.respond(status(200));
    await house.push.test();
    expect(house.service.received.map(({ headers }) => headers['title'])).toEqual(
      Array(2).fill('This is a test from Porchlight'),
    );
  });

  test.each([
    ['http://ntfy.example', 'topic'],
    ['https://ntfy.example/path', 'topic'],
    ['https://a:b@ntfy.example', 'topic'],
    ['https://ntfy.example?a', 'topic'],
    ['ntfy.example', 'topic'],
    ['https://ntfy.example', ''],
    ['', 'topic'],
  ])('at “%s” with the topic “%s” is refused', async (server, topic) => {
    const house = await openPhones();
    const set = ntfyHandlers(house.secrets, false)['secrets.setNtfy'];
    await set({ server: 'https://ntfy.sh', topic: 'before' });
    await expect(set({ server, topic })).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await house.secrets.get(ntfyName)).toBe('https://ntfy.sh/before');
  });
});

test('without push, nothing is sent, and nothing counts against the limits', async () => {
  const house = await openPhones({ push: 'off' });
  await house.subscribe();
  for (let count = 0; count < 20; count += 1) await house.ask(`off-${count}`);
  house.phones.on = false;
  house.phones.push = 'web';
  await house.ask('phones off');
  await house.settled();
  expect(house.service.received).toEqual([]);
  house.phones.on = true;
  await house.ask('on');
  await house.settled();
  expect(house.service.received).toHaveLength(1);
});
