import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { SealedItem } from '../../../src-main/platform/mailbox-protocol.ts';
import { openSealed } from '../../../src-main/mailbox/mailbox-client.ts';
import { edgeClient } from '../../support/edge-client.ts';
import { startMailbox } from '../../support/edge-runtime.ts';
import { edgeScene, type EdgeScene } from '../../support/edge-scene.ts';

let scene: EdgeScene;
beforeEach(async () => {
  scene = await edgeScene();
  await scene.client.call('away', { kind: 'asleep' });
  scene.behave('broken');
});
afterEach(() => scene.stop());

const target = 'https://home.test/post';
const mention = (site: string, path = '') =>
  ({ source: `https://${site}.test/${path}`, target }) satisfies Record<string, string>;
const visitor = '192.0.2.1';
const send = async (fields: Record<string, string>, from = visitor) =>
  (await scene.post('/webmention', fields, { 'cf-connecting-ip': from })).status;
const opened = ({ sealed }: SealedItem) =>
  JSON.parse(openSealed(Buffer.from(sealed, 'base64url'), [scene.sealing]) ?? 'null') as unknown;
const itemsAfter = async (after: number) => (await scene.client.call('items', { after, limit: 1000 })).items;

test('the server opens stored items in order, with the times of arrival and the networks of the visitors', async () => {
  const before = Date.now();
  await send(mention('one'));
  const fields = {
    'hub.mode': 'subscribe',
    'hub.topic': 'https://home.test/',
    'hub.secret': 'ß',
    'hub.callback': 'https://reader.test/callback',
  };
  await scene.post('/websub', { ...fields, other: 'dropped' }, { 'cf-connecting-ip': '2001:db8:0:12ff::7' });
  await scene.post('/webmention', mention('two'));
  const items = await itemsAfter(0);
  expect(items.map(opened)).toEqual([
    { kind: 'webmention', ...mention('one'), visitor },
    { kind: 'websub', fields, visitor: '2001:db8:0:1200::/56' },
    { kind: 'webmention', ...mention('two') },
  ]);
  for (const { arrived } of items) expect(Date.parse(arrived)).toBeGreaterThanOrEqual(before);
  expect((await itemsAfter(items[0]?.number ?? 0)).length).toBe(2);
});

test('a finished item is deleted, and its number is never used again', async () => {
  for (const host of ['one', 'two']) await send(mention(host));
  const numbers = (await itemsAfter(0)).map(({ number }) => number);
  expect(await scene.client.call('done', { numbers })).toEqual({ kept: 0 });
  expect(await itemsAfter(0)).toEqual([]);
  await send(mention('one'));
  expect((await itemsAfter(0))[0]?.number).toBeGreaterThan(Math.max(...numbers));
});

test('the same mention is kept once, and again after it was fetched', async () => {
  for (let time = 0; time < 3; time += 1) expect(await send(mention('one'))).toBe(202);
  const items = await itemsAfter(0);
  expect(items.length).toBe(1);
  await scene.client.call('done', { numbers: items.map(({ number }) => number) });
  expect(await send(mention('one'))).toBe(202);
  expect((await itemsAfter(0)).length).toBe(1);
});

test('a mention that is sent again after the server has fetched it stays, even if the first is deleted only then', async () => {
  await send(mention('one'));
  const [first] = await itemsAfter(0);
  await send(mention('two'));
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(first?.arrived ?? ''));
  expect(await send(mention('one'))).toBe(202);
  const [, again] = await itemsAfter(first?.number ?? 0);
  expect(opened(again!)).toEqual({ kind: 'webmention', ...mention('one'), visitor });
  expect(Date.parse(again!.arrived)).toBeGreaterThan(Date.parse(first?.arrived ?? ''));
  await scene.client.call('done', { numbers: [first?.number ?? 0] });
  expect((await itemsAfter(0)).map(opened)).toEqual(
    ['two', 'one'].map((site) => ({ kind: 'webmention', ...mention(site), visitor })),
  );
  expect(await scene.client.call('done', { numbers: [again!.number] })).toEqual({ kept: 1 });
});

test('a mention that is sent often while nobody fetches it is written once', async () => {
  for (let time = 0; time < 3; time += 1) await send(mention('one'));
  const [only, ...more] = await itemsAfter(0);
  expect([only?.number, more]).toEqual([1, []]);
});

test('the stored file contains no source, target or host in plain text, and no substitute for them', async () => {
  const words = ['sekretive', 'verborgen', 'callbacky', 'topicful', '203.0.113.77'];
  const sentTarget = 'https://home.test/verborgen-page';
  const source = 'https://sekretive.example/sekretive-reply';
  expect(
    (await scene.post('/webmention', { source, target: sentTarget }, { 'cf-connecting-ip': words[4] ?? '' }))
      .status,
  ).toBe(202);
  const fields = { 'hub.mode': 'subscribe', 'hub.topic': 'https://topicful.test/' };
  expect((await scene.post('/websub', { ...fields, 'hub.callback': 'https://callbacky.test/' })).status).toBe(
    202,
  );
  await scene.client.call('state', {});
  const files = readdirSync(scene.mailbox.folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const bytes = Buffer.concat(files.map((file) => readFileSync(join(file.parentPath, file.name))));
  // The search finds what is stored: the server's own host.
  expect(bytes.includes('home.test')).toBe(true);
  expect(files.some(({ name }) => name.endsWith('-wal'))).toBe(true);
  for (const word of words) {
    expect(bytes.includes(word)).toBe(false);
    expect(bytes.includes(Buffer.from(word, 'utf16le'))).toBe(false);
    expect(bytes.includes(Buffer.from(word).toString('base64').slice(0, 8))).toBe(false);
  }
});

const isWholeFlood = process.env['PORCHLIGHT_EDGE_FLOOD'] !== undefined;

test(
  'one site fills at most a tenth of the mailbox, however many hosts it has, and leaves room for others',
  async () => {
    const flood = isWholeFlood ? 100_000 : 2_500;
    const early = await send(mention('early'), '198.51.100.1');
    const statuses = new Map<number, number>();
    let next = 0;
    const sender = async () => {
      for (let one = next++; one < flood; one = next++) {
        const status = await send(mention(`host-${one}.flood`), `10.${one % 250}.${(one >> 8) % 250}.1`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 20 }, sender));
    const kept = statuses.get(202) ?? 0;
    expect([early, ...statuses.keys()].sort()).toEqual([202, 202, 429]);
    // A ninth of what is then still free.
    expect(kept).toBeGreaterThan(1_990);
    expect(kept).toBeLessThanOrEqual(2_000);
    expect(await send(mention('late'), '198.51.100.2')).toBe(202);
    expect(await scene.client.call('state', {})).toMatchObject({ kept: kept + 2, refused: flood - kept });
    const first = (await scene.client.call('items', { after: 0, limit: 1 })).items;
    expect(first.map(opened)).toEqual([{ kind: 'webmention', ...mention('early'), visitor: '198.51.100.1' }]);
    if (isWholeFlood) console.log(`${flood} mentions: ${kept} kept, ${flood - kept} refused`);
  },
  isWholeFlood ? 3_600_000 : 600_000,
);

test(
  'a flood from everywhere fills the mailbox, and nothing that was stored before is dropped',
  async () => {
    const most = isWholeFlood ? 20_000 : 300;
    const flooded = await edgeScene({ numbers: { most } });
    onTestFinished(() => flooded.stop());
    await flooded.client.call('away', { kind: 'asleep' });
    flooded.behave('broken');
    const statuses: number[] = [];
    for (let one = 0; one < most + 50; one += 1) {
      const from = { 'cf-connecting-ip': `${11 + (one % 80)}.${(one >> 8) & 255}.${one & 255}.1` };
      statuses.push((await flooded.post('/webmention', mention(`host-${one}`), from)).status);
    }
    expect(new Set(statuses.slice(0, most))).toEqual(new Set([202]));
    expect(new Set(statuses.slice(most))).toEqual(new Set([429]));
    expect(await flooded.client.call('state', {})).toMatchObject({ kept: most, refused: 50 });
    const { items } = await flooded.client.call('items', { after: 0, limit: 1 });
    const [first] = items.map(({ sealed }) =>
      openSealed(Buffer.from(sealed, 'base64url'), [flooded.sealing]),
    );
    expect(JSON.parse(first ?? '')).toMatchObject(mention('host-0'));
  },
  isWholeFlood ? 3_600_000 : 600_000,
);

test('a visitor who sends too much is asked to come back, and the count of refusals starts again after the server was awake', async () => {
  const networks = ['2001:db8:0:11::1', '2001:db8:0:1122::7', '2001:db8:0:11ff:1:2:3:4'];
  // Of the greatest length, so that few are enough.
  const padding = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`hub.${name}`, name.repeat(2000)]),
  );
  const fields = { 'hub.mode': 'subscribe', 'hub.topic': target, ...padding };
  let response: Response | undefined;
  for (let one = 0; response === undefined || response.status === 202; one += 1) {
    const headers = { 'cf-connecting-ip': networks[one % networks.length] ?? '' };
    const callback = { 'hub.callback': `https://reader-${one}.test/` };
    response = await scene.post('/websub', { ...fields, ...callback }, headers);
  }
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '300']);
  expect(await response.json()).toMatchObject({ error: 'too_many_requests' });
  // The others are in another /56.
  expect(await send(mention('other'), '2001:db8:0:2200::1')).toBe(202);
  expect(await scene.client.call('awake', { hosts: ['home.test'] })).toMatchObject({ refused: 1 });
  expect(await scene.client.call('away', { kind: 'asleep' })).toMatchObject({ refused: 0 });
}, 300_000);

test('all items survive a restart of the Worker', async () => {
  await send(mention('one'));
  const again = await startMailbox({ ...scene.options, folder: scene.mailbox.folder });
  try {
    const client = edgeClient(again.url, scene.keys);
    const answer = await client.send('items', JSON.stringify({ after: 0, limit: 10 }), { number: 100 });
    const { items } = (await answer.json()) as { items: SealedItem[] };
    expect(items.map(opened)).toEqual([{ kind: 'webmention', ...mention('one'), visitor }]);
    const response = await fetch(`${again.url}/webmention`, {
      method: 'POST',
      body: new URLSearchParams(mention('one')),
    });
    expect(response.status).toBe(202);
    const state = await client.send('state', '{}', { number: 101 });
    expect(await state.json()).toMatchObject({ kept: 1, state: 'asleep' });
  } finally {
    await again.stop();
  }
});

test('a wipe deletes everything, and old calls still can’t be replayed', async () => {
  await send(mention('one'));
  const body = new TextEncoder().encode('a page');
  const copy = { address: '/page', hash: 'h', status: 200, headers: {}, noteAt: null, body };
  await scene.client.store([copy]);
  const wiped = await scene.client.call('wipe', {});
  expect(wiped).toMatchObject({ kept: 0, copies: 0, state: 'awake' });
  // The mailbox knows no server any more, so requests pass.
  expect((await scene.get('/page')).status).toBe(502);
  expect((await scene.client.send('state', '{}', { number: 1 })).status).toBe(200);
  expect((await scene.client.send('away', '{"kind":"off"}', { number: 1 })).status).toBe(409);
  expect((await scene.client.send('away', '{"kind":"off"}')).status).toBe(200);
});
