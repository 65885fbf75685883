import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  mailboxPath,
  mailboxVersion,
  mostCallBytes,
  mostHosts,
  signatureHeader,
} from '../../../src-main/platform/mailbox-protocol.ts';
import { edgeClient } from '../../support/edge-client.ts';
import { startMailbox } from '../../support/edge-runtime.ts';
import { edgeScene, type EdgeScene } from '../../support/edge-scene.ts';

let scene: EdgeScene;
beforeEach(async () => {
  scene = await edgeScene();
});
afterEach(() => scene.stop());

/** Returns the status and the answer of a call. */
async function said(response: Promise<Response>): Promise<[number, unknown]> {
  const { status, headers, json } = await response.then(async (one) => ({
    status: one.status,
    headers: one.headers,
    json: (await one.json()) as unknown,
  }));
  expect(headers.get('cache-control')).toBe('no-store');
  return [status, json];
}
const off = JSON.stringify({ kind: 'off' });
const copyAt = (address: string) => ({
  address,
  hash: 'one',
  status: 200,
  headers: {},
  noteAt: null,
  body: new TextEncoder().encode('a page'),
});
const stateNow = () => scene.client.call('state', {});

test('a forged call is refused', async () => {
  const forged = [401, { error: 'forged' }];
  expect(await said(scene.client.send('away', off, { callKey: 'A'.repeat(43) }))).toEqual(forged);
  expect(await said(scene.client.send('away', off, { callKey: scene.keys.proofKey }))).toEqual(forged);
  expect(await said(fetch(`${scene.url}${mailboxPath}/state`, { method: 'POST' }))).toEqual(forged);
  const headers = { [signatureHeader]: '1.server-one.99.00.x' };
  expect(await said(fetch(`${scene.url}${mailboxPath}/state`, { method: 'POST', headers }))).toEqual(forged);
  expect(await stateNow()).toMatchObject({ state: 'awake' });
});

test('an owner may have as many hosts as a server sends', async () => {
  const hosts = Array.from({ length: mostHosts }, (_, at) => `site-${at}.example`);
  expect(await scene.client.call('awake', { hosts })).toMatchObject({ state: 'awake' });
});

test('a call with another body than the signed one is refused', async () => {
  const asleep = JSON.stringify({ kind: 'asleep' });
  expect(await said(scene.client.send('away', off, { sentBody: asleep }))).toEqual([
    401,
    { error: 'forged' },
  ]);
  expect(await stateNow()).toMatchObject({ state: 'awake' });
});

test('a signature holds for one call only', async () => {
  const headers = scene.client.signed('copies', '{}');
  const other = fetch(`${scene.url}${mailboxPath}/wipe`, { method: 'POST', headers, body: '{}' });
  expect(await said(other)).toEqual([401, { error: 'forged' }]);
});

test('a call that is replayed or out of order is refused, and the answer names the last number', async () => {
  const send = (number: number) => said(scene.client.send('away', off, { number }));
  expect((await send(10))[0]).toBe(200);
  expect(await send(10)).toEqual([409, { error: 'replayed', last: 10 }]);
  expect(await send(9)).toEqual([409, { error: 'replayed', last: 10 }]);
  expect((await send(11))[0]).toBe(200);
});

test('a call that failed can’t be replayed, either', async () => {
  const send = (body: string) => said(scene.client.send('away', body, { number: 10 }));
  expect(await send('{}')).toEqual([400, { error: 'invalid' }]);
  expect(await send('{}')).toEqual([409, { error: 'replayed', last: 10 }]);
});

test('a clock that is an hour off does not matter to a call', async () => {
  const number = Date.now();
  expect((await scene.client.send('state', '{}', { number })).status).toBe(200);
  expect((await scene.client.send('state', '{}', { number: number - 3_600_000 })).status).toBe(409);
  expect((await scene.client.send('state', '{}', { number: number + 1 })).status).toBe(200);
});

test('a second server is refused until it claims the mailbox', async () => {
  const second = edgeClient(scene.url, scene.keys, 'server-two');
  const hosts = JSON.stringify({ hosts: ['home.test'] });
  const otherServer = [409, { error: 'other_server' }];
  expect(await said(second.send('awake', hosts, { number: 1000 }))).toEqual(otherServer);
  expect(await said(second.send('items', JSON.stringify({ after: 0, limit: 1 })))).toEqual(otherServer);
  expect((await said(second.send('state', '{}')))[0]).toBe(200);
  const last = 1;
  expect(await said(second.send('claim', '{}', { number: 1 }))).toEqual([409, { error: 'replayed', last }]);
  expect((await said(second.send('claim', '{}', { number: 20 })))[0]).toBe(200);
  expect((await said(second.send('awake', hosts, { number: 21 })))[0]).toBe(200);
  expect(await said(scene.client.send('awake', hosts, { number: 22 }))).toEqual(otherServer);
});

describe.each([mailboxVersion - 1, mailboxVersion + 1])('a server of another version (%i)', (version) => {
  const send = (name: string, call: object) =>
    said(scene.client.send(name, JSON.stringify(call), { version }));

  test('may report its presence and ask for the state', async () => {
    const [status, state] = await send('away', { kind: 'off' });
    expect([status, state]).toMatchObject([200, { version: mailboxVersion, state: 'off' }]);
    expect((await send('state', {}))[0]).toBe(200);
    expect(await send('awake', { hosts: ['home.test'] })).toMatchObject([200, { state: 'awake' }]);
  });

  test('a server of another version may remove copies, so that a deleted post isn’t shown until the mailbox is updated', async () => {
    await scene.client.store([copyAt('/posts/deleted')]);
    const listed = { copies: [{ address: '/posts/deleted' }] };
    expect(await send('copies', { limit: 10 })).toMatchObject([200, listed]);
    const removed = await send('remove', { addresses: ['/posts/deleted'], gone: true });
    expect(removed).toEqual([200, { removed: 1 }]);
    expect(await send('copies', { limit: 10 })).toMatchObject([200, { copies: [] }]);
  });

  test('may fetch stored items', async () => {
    await scene.client.call('away', { kind: 'asleep' });
    const mention = { source: 'https://sender.test/reply', target: 'https://home.test/post' };
    expect((await scene.post('/webmention', mention)).status).toBe(202);
    expect(await send('items', { after: 0, limit: 10 })).toMatchObject([200, { items: [{ number: 1 }] }]);
    expect(await send('done', { numbers: [1] })).toEqual([200, { kept: 0 }]);
  });

  test.each(['store', 'claim', 'wipe'])('may not %s', async (name) => {
    expect(await send(name, {})).toEqual([409, { error: 'other_version' }]);
  });
});

test('a Worker of another version on the same storage says its own version', async () => {
  await scene.client.store([]);
  const { folder } = scene.mailbox;
  const newer = await startMailbox({
    ...scene.options,
    folder,
    numbers: { mailboxVersion: mailboxVersion + 1 },
  });
  try {
    const client = edgeClient(newer.url, scene.keys);
    const wipe = client.send('wipe', '{}', { number: 100 });
    expect(await said(wipe)).toEqual([409, { error: 'other_version' }]);
    const [, state] = await said(client.send('state', '{}', { number: 101 }));
    expect(state).toMatchObject({ version: mailboxVersion + 1, state: 'awake' });
  } finally {
    await newer.stop();
  }
});

test('a body that is too large is refused before it has arrived', async () => {
  const begin = (headers: Record<string, string>, part: Buffer) =>
    new Promise<number | undefined>((resolve, reject) => {
      const url = `${scene.url}${mailboxPath}/store`;
      const signed = scene.client.signed('store', 'anything');
      const sending = request(url, { method: 'POST', headers: { ...headers, ...signed } }, (response) => {
        response.resume();
        resolve(response.statusCode);
        sending.destroy();
      });
      sending.on('error', reject);
      sending.write(part);
    });
  expect(await begin({ 'content-length': String(mostCallBytes + 1) }, Buffer.alloc(1))).toBe(413);
  expect(await begin({ 'content-length': '10000000' }, Buffer.alloc(1))).toBe(413);
  // Without a length. Its end never comes.
  expect(await begin({}, Buffer.alloc(mostCallBytes + 1))).toBe(413);
});

test.each([
  ['awake', '{}'],
  ['awake', '{"hosts":[1]}'],
  ['awake', 'no JSON'],
  ['away', '{"kind":"awake"}'],
  ['copies', '{"limit":1001}'],
  ['store', '[]'],
  ['store', '[{"address":"/a","hash":"h","status":200,"headers":{},"noteAt":null,"bytes":5}]\nabc'],
  ['store', '[{"address":"a","hash":"h","status":200,"headers":{},"noteAt":null,"bytes":0}]\n'],
  ['store', '[{"address":"/a","hash":"h","status":200,"headers":{"a b":"c"},"noteAt":null,"bytes":0}]\n'],
  ['store', '[{"address":"/a","hash":"h","status":301,"headers":{},"noteAt":null,"bytes":0}]\n'],
  ['store', '[{"address":"/a","hash":"h","status":500,"headers":{},"noteAt":null,"bytes":0}]\n'],
  ['remove', '{"addresses":["/a"]}'],
  ['items', '{"after":-1,"limit":1}'],
  ['done', '{"numbers":["1"]}'],
  ['unknown', '{}'],
])('the malformed call %s %s is refused', async (name, body) => {
  expect(await said(scene.client.send(name, body))).toEqual([400, { error: 'invalid' }]);
});

test('strangers see nothing at the path of the calls, and the server never gets one', async () => {
  const before = scene.requests.length;
  for (const path of ['', '/', '/state', '/items'])
    expect(await said(scene.get(`${mailboxPath}${path}`))).toEqual([404, { error: 'not_found' }]);
  expect(scene.requests.length).toBe(before);
});
