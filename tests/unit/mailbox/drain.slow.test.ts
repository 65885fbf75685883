import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { KeptRequest, SealedItem } from '../../../src-main/platform/mailbox-protocol.ts';
import { seal } from '../../../src-main/mailbox/worker/signature.ts';
import { RetryLater } from '../../../src-main/http/errors.ts';
import { drainMailbox } from '../../../src-main/mailbox/drain.ts';
import type { MailboxClient } from '../../../src-main/mailbox/mailbox-client.ts';
import { silentLog as log } from '../../../src-main/platform/log.ts';

const { x: publicKey = '', d: privateKey = '' } = generateKeyPairSync('x25519').privateKey.export({
  format: 'jwk',
});
const keys = [{ publicKey, privateKey }];
const rawKey = new Uint8Array(Buffer.from(publicKey, 'base64url'));
const arrived = '2026-11-20T12:00:00.000Z';

const mention = (index: number): KeptRequest => ({
  kind: 'webmention',
  source: `https://bea.example/${index}`,
  target: 'https://ada.example/',
});

async function itemOf(number: number, text: string): Promise<SealedItem> {
  return { number, arrived, sealed: Buffer.from(await seal(text, rawKey)).toString('base64url') };
}

const itemsOf = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, at) => itemOf(at + 1, JSON.stringify(mention(at)))));

/** A mailbox with these items. `fails`: called before each call. `most`: how many items it lists at a time. */
function mailboxWith(items: SealedItem[], fails: (name: string) => void = () => undefined, most = Infinity) {
  const kept = new Map(items.map((item) => [item.number, item]));
  const call = (name: string, params: object): Promise<unknown> => {
    fails(name);
    if (name === 'items') {
      const { after, limit } = params as { after: number; limit: number };
      const found = [...kept.values()].filter(({ number }) => number > after).slice(0, Math.min(limit, most));
      return Promise.resolve({ items: found, kept: kept.size });
    }
    for (const number of (params as { numbers: number[] }).numbers) kept.delete(number);
    return Promise.resolve({ kept: kept.size });
  };
  return {
    kept,
    client: { call: async (name: string, params: object) => call(name, params) } as Pick<
      MailboxClient,
      'call'
    >,
  };
}

const never = new AbortController().signal;

test('everything is received with its time of arrival, oldest first, and then deleted in the mailbox', async () => {
  const { kept, client } = mailboxWith(await itemsOf(120));
  const received: [KeptRequest, number][] = [];
  const found = await drainMailbox(
    {
      client,
      log,
      keys: () => Promise.resolve(keys),
      receive: (request, at) => Promise.resolve((received.push([request, at]), 'new' as const)),
    },
    never,
  );
  expect(found).toEqual({ arrived: 120, waiting: 0, unopened: 0 });
  expect(received).toEqual(Array.from({ length: 120 }, (_, at) => [mention(at), Date.parse(arrived)]));
  expect(kept.size).toBe(0);
});

test('an item is received with the network of its visitor, or without one if an older mailbox kept it', async () => {
  const fields = { 'hub.mode': 'subscribe' };
  const requests: KeptRequest[] = [
    mention(1),
    { kind: 'websub', fields },
    { ...mention(2), visitor: '192.0.2.1' },
    { kind: 'websub', fields, visitor: '2001:db8:0:1200::/56' },
  ];
  const { kept, client } = mailboxWith([
    ...(await Promise.all(requests.map((request, at) => itemOf(at + 1, JSON.stringify(request))))),
    await itemOf(5, JSON.stringify({ ...mention(3), visitor: 'nearby' })),
  ]);
  const received: KeptRequest[] = [];
  await drainMailbox(
    {
      client,
      log,
      keys: () => Promise.resolve(keys),
      receive: (request) => Promise.resolve((received.push(request), 'new' as const)),
    },
    never,
  );
  expect(received).toEqual(requests);
  // No visitor has this name, so no mailbox of ours kept it.
  expect([...kept.keys()]).toEqual([5]);
});

test('what cannot be opened, and what there is no room for, stays; what is not valid is deleted', async () => {
  const items = [
    await itemOf(1, JSON.stringify(mention(1))),
    { number: 2, arrived, sealed: 'AAAA' },
    await itemOf(3, '{"kind":"webmention"}'),
    await itemOf(4, JSON.stringify(mention(4))),
    await itemOf(5, JSON.stringify(mention(5))),
    await itemOf(6, JSON.stringify({ kind: 'websub', fields: { 'hub.mode': 'subscribe' } })),
    await itemOf(7, JSON.stringify(mention(7))),
  ];
  const { kept, client } = mailboxWith(items);
  const outcomes: Record<string, () => 'new' | 'known' | 'full'> = {
    'https://bea.example/1': () => 'known',
    'https://bea.example/4': () => 'full',
    'https://bea.example/5': () => {
      throw new PorchlightError('invalid_request', 'There is no page at the target.');
    },
    'https://bea.example/7': () => 'new',
  };
  const found = await drainMailbox(
    {
      client,
      log,
      keys: () => Promise.resolve(keys),
      async receive(request) {
        await Promise.resolve();
        if (request.kind === 'websub') throw new RetryLater('Too many.', 1000);
        return outcomes[request.source]!();
      },
    },
    never,
  );
  expect(found).toEqual({ arrived: 1, waiting: 2, unopened: 2 });
  expect([...kept.keys()]).toEqual([2, 3, 4, 6]);
});

test('items that are too large to be listed together are received one by one', async () => {
  const { kept, client } = mailboxWith(await itemsOf(5), undefined, 1);
  const found = await drainMailbox(
    { client, log, keys: () => Promise.resolve(keys), receive: () => Promise.resolve('new') },
    never,
  );
  expect([found.arrived, kept.size]).toEqual([5, 0]);
});

test('an endless mailbox is abandoned, so that the owner can still remove it', async () => {
  let calls = 0;
  const call = (_name: string, { after }: { after: number }) => {
    // It would never end.
    if ((calls += 1) > 10_000) throw new Error('It goes on.');
    const items = Array.from({ length: 50 }, (_, at) => ({
      number: after + 1 + at,
      arrived,
      sealed: 'AAAA',
    }));
    return Promise.resolve({ items, kept: 50 });
  };
  const found = await drainMailbox(
    {
      client: { call } as unknown as Pick<MailboxClient, 'call'>,
      log,
      keys: () => Promise.resolve(keys),
      receive: () => Promise.resolve('new' as const),
    },
    never,
  );
  expect(found.failure).toMatchObject({ code: 'mailbox_failed' });
});

test('one sender for whose things there is no room delays nobody else', async () => {
  const { kept, client } = mailboxWith(await itemsOf(130));
  const found = await drainMailbox(
    {
      client,
      log,
      keys: () => Promise.resolve(keys),
      async receive(request) {
        await Promise.resolve();
        const at = Number(request.kind === 'webmention' && request.source.split('/').at(-1));
        if (at < 60) throw new RetryLater('This site has too many subscriptions.', 1000);
        return at < 120 ? 'crowd' : 'new';
      },
    },
    never,
  );
  expect(found).toEqual({ arrived: 10, waiting: 120, unopened: 0 });
  expect(kept.size).toBe(120);
});

test('if there is room for nothing more, the rest is not asked for', async () => {
  const calls: string[] = [];
  const { kept, client } = mailboxWith(await itemsOf(300), (name) => void calls.push(name));
  let room = 60;
  const found = await drainMailbox(
    {
      client,
      log,
      keys: () => Promise.resolve(keys),
      receive: () => Promise.resolve((room -= 1) < 0 ? 'full' : 'new'),
    },
    never,
  );
  expect([found, kept.size]).toEqual([{ arrived: 60, waiting: 240, unopened: 0 }, 240]);
  // 50, 10 of the next 50, and none of the next 50.
  expect(calls).toEqual(['items', 'done', 'items', 'done', 'items']);
});

test('a disk that accepts no more deletes nothing that was not saved', async () => {
  const { kept, client } = mailboxWith(await itemsOf(60));
  let room = 20;
  const saved = new Set<string>();
  const draining = drainMailbox(
    {
      client,
      log,
      keys: () => Promise.resolve(keys),
      async receive(request) {
        await Promise.resolve();
        room -= 1;
        if (room < 0) throw new PorchlightError('storage_full', 'The disk is full.', 507);
        saved.add(request.kind === 'webmention' ? request.source : '');
        return 'new' as const;
      },
    },
    never,
  );
  expect(await draining).toMatchObject({ arrived: 20, failure: { code: 'storage_full' } });
  expect(saved.size).toBe(20);
  expect([...kept.keys()]).toEqual(Array.from({ length: 40 }, (_, at) => at + 21));
});

test('items that were received before a failure are counted', async () => {
  const items = await itemsOf(120);
  for (const failing of [3, 4]) {
    let calls = 0;
    const { client } = mailboxWith(items, () => {
      calls += 1;
      if (calls === failing) throw new PorchlightError('mailbox_failed', 'The mailbox can’t be reached.');
    });
    const found = await drainMailbox(
      { client, log, keys: () => Promise.resolve(keys), receive: () => Promise.resolve('new') },
      never,
    );
    expect(found).toMatchObject({ arrived: failing === 3 ? 50 : 100, failure: { code: 'mailbox_failed' } });
  }
});

test('failures at any call lose nothing and receive nothing twice', async () => {
  const items = await itemsOf(130);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(6), { maxLength: 12 }), async (failures) => {
      let calls = 0;
      const due = [...failures];
      const { kept, client } = mailboxWith(items, () => {
        calls += 1;
        if (due[0] !== undefined && calls % 7 === due[0]) {
          due.shift();
          throw new PorchlightError('mailbox_failed', 'The mailbox can’t be reached.');
        }
      });
      const saved = new Map<string, number>();
      const receive = (request: KeptRequest) => {
        const source = request.kind === 'webmention' ? request.source : '';
        const isKnown = saved.has(source);
        saved.set(source, 1);
        return Promise.resolve(isKnown ? ('known' as const) : ('new' as const));
      };
      let arrivals = 0;
      for (let turn = 0; kept.size > 0 && turn < 1000; turn += 1) {
        const found = await drainMailbox({ client, log, keys: () => Promise.resolve(keys), receive }, never);
        arrivals += found.arrived;
      }
      expect(kept.size).toBe(0);
      expect(saved.size).toBe(items.length);
      expect(arrivals).toBe(items.length);
    }),
    { numRuns: 40 },
  );
});
