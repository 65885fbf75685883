import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Params } from '../../../../src-main/contract/contract.ts';
import { rowsIn } from '../../../../src-main/storage/records/closed-records.ts';
import { workTable } from '../../../../src-main/storage/work/work-rows.ts';
import { feedProblems } from '../../../support/feed-rules.ts';
import { patience } from '../../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../../support/porchlight.ts';
import { giveHome, homeOf } from '../../../support/store-of-service.ts';
import { openSubscriber, signatureOf, type Subscriber } from '../../../support/websub-subscriber.ts';
import { storedSubscriptions } from '../../../support/stored-subscriptions.ts';

vi.mock('../../../../src-main/posts/stored-posts.ts', async (original) => {
  const { rememberStore } = await import('../../../support/store-of-service.ts');
  return rememberStore(original);
});

const minute = 60_000;
const day = 24 * 60 * minute;

let clock: number;
let porchlight: Porchlight;
let subscriber: Subscriber;
let port: number;

async function open(dataDir?: string): Promise<void> {
  porchlight = await startPorchlight({ clock: () => clock, port, ...(dataDir !== undefined && { dataDir }) });
  port = Number(new URL(porchlight.base).port);
}

beforeEach(async () => {
  clock = Date.parse('2026-11-20T12:00:00Z');
  port = 0;
  subscriber = await openSubscriber();
  await open();
});
afterEach(async () => {
  await porchlight.remove();
  await subscriber.close();
});

const hub = () => `${porchlight.base}/websub`;
const topic = (place = '/feed.atom') => porchlight.base + place;
const write = (text: string, over: Partial<Params<'posts.create'>> = {}) =>
  porchlight.call('posts.create', {
    text,
    status: 'published',
    visibility: 'public',
    categories: [],
    photos: [],
    ...over,
  });

const stored = () => storedSubscriptions(porchlight.dataDir);

/** Subscribes, and waits until the subscription is on disk. */
async function subscribe(fields: Record<string, string> = {}): Promise<void> {
  const requested = { topic: topic(), ...fields };
  expect((await subscriber.ask(hub(), requested)).status).toBe(202);
  await expect
    .poll(async () => (await stored()).subscriptions.some((one) => one.topic === requested.topic), patience)
    .toBe(true);
}
/** Returns which of these secrets signed each delivery so far (`?` for none), sorted. */
const signers = (...secrets: string[]) =>
  subscriber.deliveries
    .map(({ body, signature }) => secrets.find((secret) => signatureOf(body, secret) === signature) ?? '?')
    .sort();
const settled = () => expect.poll(async () => (await stored()).requests, patience).toEqual([]);
/** The failed deliveries to each subscriber that lacks content. */
const failures = () =>
  expect.poll(async () => {
    const work = await rowsIn(porchlight.dataDir, workTable);
    return work.filter(({ kind }) => kind === 'websub-deliver').map(({ tries }) => tries);
  }, patience);
const count = () => expect.poll(() => subscriber.deliveries.length, patience);

describe('a subscription', () => {
  test('brings each of many posts that come as soon as the one before it arrived', async () => {
    await subscribe();
    const { setTimeout: rest } = await import('node:timers/promises');
    const end = Date.now() + patience.timeout;
    for (let number = 0; number < 20; number += 1) {
      const text = `Post ${number} of many`;
      await write(text);
      const has = () => subscriber.deliveries.some(({ body }) => body.includes(text));
      // Not longer than needed: the next post has to come while the last delivery ends.
      while (!has() && Date.now() < end) await rest(1);
      expect([text, has()]).toEqual([text, true]);
    }
  });

  test.each(['at once', 'after a restart'])(
    'that is renewed brings, %s, what its subscriber lacks, signed with the new secret',
    async (when) => {
      await subscribe({ 'hub.secret': 'old' });
      subscriber.manners.answer = (_request, response) => void response.writeHead(503).end();
      await write('While the subscriber was down');
      await failures().toEqual([1]);
      await count().toBe(1);
      if (when === 'after a restart') await porchlight.stop();
      delete subscriber.manners.answer;
      if (when === 'after a restart') await open(porchlight.dataDir);
      await subscriber.ask(hub(), { topic: topic(), 'hub.secret': 'new' });
      await expect.poll(() => signers('old', 'new'), patience).toContain('new');
      const renewed = subscriber.deliveries.find(
        ({ body, signature }) => signature === signatureOf(body, 'new'),
      );
      expect(renewed?.body).toContain('While the subscriber was down');
      await settled();
    },
  );

  test('is confirmed by the subscriber, and brings each new post, signed', async () => {
    await subscribe({ 'hub.secret': 'a secret', 'hub.lease_seconds': '86400' });
    const [question] = subscriber.questions;
    expect(Object.fromEntries(question ?? [])).toEqual({
      of: 'mine',
      'hub.mode': 'subscribe',
      'hub.topic': topic(),
      'hub.challenge': expect.stringMatching(/^[\w-]{32}$/) as unknown,
      'hub.lease_seconds': '86400',
    });
    expect(subscriber.deliveries).toEqual([]);

    await write('Hello subscribers');
    await count().toBe(1);
    const delivery = subscriber.deliveries[0];
    const body = delivery?.body ?? '';
    expect(body).toContain('Hello subscribers');
    expect(body).toBe(await (await fetch(topic())).text());
    expect(delivery).toMatchObject({
      path: '/callback?of=mine',
      contentType: 'application/atom+xml; charset=utf-8',
      link: `<${hub()}>; rel="hub", <${topic()}>; rel="self"`,
      signature: signatureOf(body, 'a secret'),
    });
    expect(feedProblems({ url: topic(), contentType: delivery?.contentType ?? null, text: body })).toEqual(
      [],
    );
  });

  test('brings two posts in the order in which they appeared, each signed', async () => {
    await subscribe({ 'hub.secret': 'a secret' });
    await write('The first of two');
    await count().toBe(1);
    await write('The second of two');
    await count().toBe(2);
    const [first, second] = subscriber.deliveries;
    expect(first?.body).not.toContain('The second of two');
    const titles = second?.body.match(/The (?:first|second) of two(?=<\/title>)/g);
    expect(titles).toEqual(['The second of two', 'The first of two']);
    for (const { body, signature } of subscriber.deliveries)
      expect(signature).toBe(signatureOf(body, 'a secret'));
  });

  test('without a secret brings unsigned content; drafts, private posts and unchanged topics bring nothing', async () => {
    await subscribe();
    await write('A draft', { status: 'draft' });
    await write('Private', { visibility: 'private' });
    await write('Public');
    await count().toBe(1);
    expect(subscriber.deliveries[0]?.signature).toBeUndefined();
    expect(subscriber.deliveries[0]?.body).not.toMatch(/A draft|Private/);
  });

  test.each(['/', '/kinds/note', '/kinds/note/feed.json', '/categories/tea', '/categories/tea/feed.rss'])(
    'is possible to %s',
    async (place) => {
      await write('First #tea');
      await subscribe({ topic: topic(place) });
      await write('Second #tea');
      await count().toBe(1);
      expect(subscriber.deliveries[0]?.body).toContain('Second');
      const page = await fetch(topic(place));
      expect(page.headers.get('link')).toContain(`<${topic(place)}>; rel="self"`);
    },
  );

  test('brings a scheduled post at its time', async () => {
    await subscribe();
    await write('Later', { published: new Date(clock + 60_000).toISOString() });
    clock += 60_000;
    porchlight.service.wake(); // the timer runs on the real clock
    await count().toBe(1);
    expect(subscriber.deliveries[0]?.body).toContain('Later');
  });

  test('brings a post at its time that was scheduled before anybody had subscribed', async () => {
    await write('Later', { published: new Date(clock + 1500).toISOString() });
    await subscribe();
    await settled();
    clock += 1500;
    await count().toBe(1); // the timer runs on the real clock
    expect(subscriber.deliveries[0]?.body).toContain('Later');
  });

  test('brings a post that has its own URL once it is live there, even if it was scheduled', async () => {
    await subscribe();
    const publishedAt = new Date(clock + 60_000).toISOString();
    const { url } = await write('Later', { published: publishedAt });
    await giveHome(url);
    clock += 60_000;
    porchlight.service.wake();
    await write('Meanwhile');
    await count().toBe(1);
    expect(subscriber.deliveries[0]?.body).toContain('Meanwhile');
    expect(subscriber.deliveries[0]?.body).not.toContain('Later');
    await giveHome(url, { liveAt: publishedAt });
    porchlight.service.wake();
    await count().toBe(2);
    expect(subscriber.deliveries[1]?.body).toContain(
      `<link rel="alternate" type="text/html" href="${homeOf(url)}"/>`,
    );
  });

  test('survives a restart, which sends the changes since the stop', async () => {
    await write('First');
    await subscribe();
    await write('Scheduled', { published: new Date(clock + 60_000).toISOString() });
    await porchlight.stop();
    clock += 60_000;
    await open(porchlight.dataDir);
    await count().toBe(1);
    expect(subscriber.deliveries[0]?.body).toContain('Scheduled');
  });

  test('ends when its lease does', async () => {
    await subscribe({ 'hub.lease_seconds': '1' });
    expect(subscriber.questions[0]?.get('hub.lease_seconds')).toBe('300');
    const other = await openSubscriber();
    await other.ask(hub(), { topic: topic() });
    await expect.poll(async () => (await stored()).subscriptions.length, patience).toBe(2);
    clock += 300_000;
    await write('After the lease');
    await expect.poll(() => other.deliveries.length, patience).toBe(1);
    await expect.poll(async () => (await stored()).subscriptions.length, patience).toBe(1);
    expect(subscriber.deliveries).toEqual([]);
    await other.close();
  });

  test('ends when the subscriber confirms that it unsubscribes', async () => {
    await subscribe();
    subscriber.manners.confirm = (_query, response) => void response.writeHead(404).end();
    await subscriber.ask(hub(), { mode: 'unsubscribe', topic: topic() });
    await settled();
    expect((await stored()).subscriptions).toHaveLength(1);
    delete subscriber.manners.confirm;
    await subscriber.ask(hub(), { mode: 'unsubscribe', topic: topic() });
    await settled();
    expect((await stored()).subscriptions).toEqual([]);
    expect(subscriber.questions.at(-1)?.has('hub.lease_seconds')).toBe(false);
  });

  test('that is repeated with the same secret stays one subscription', async () => {
    await subscribe({ 'hub.secret': 'same', 'hub.lease_seconds': '300' });
    await subscriber.ask(hub(), { topic: topic(), 'hub.secret': 'same', 'hub.lease_seconds': '86400' });
    await settled();
    expect((await stored()).subscriptions).toHaveLength(1);
    clock += 300_000;
    await write('Signed');
    await count().toBe(1);
    expect(signers('same')).toEqual(['same']);
  });

  test('that is repeated with another secret brings content signed with each, until the first lease ends', async () => {
    await subscribe({ 'hub.secret': 'old', 'hub.lease_seconds': '300' });
    await subscriber.ask(hub(), { topic: topic(), 'hub.secret': 'new' });
    await settled();
    await write('First');
    await count().toBe(2);
    expect(signers('old', 'new')).toEqual(['new', 'old']);
    clock += 300_000;
    await write('Second');
    await count().toBe(3);
    expect(signers('old', 'new')).toEqual(['new', 'new', 'old']);
  });
});

describe('a stranger who knows the callback of a subscriber', () => {
  /** Subscribes as the stranger does, and waits until the callback has confirmed the request. */
  async function intrude(fields: Record<string, string>): Promise<void> {
    const before = subscriber.questions.length;
    expect((await subscriber.ask(hub(), { topic: topic(), ...fields })).status).toBe(202);
    await expect.poll(() => subscriber.questions.length, patience).toBe(before + 1);
    await settled();
  }

  test('a stranger can’t take a subscriber’s secret away, however many others the stranger sends', async () => {
    await subscribe({ 'hub.secret': 'mine' });
    for (const secret of ['a', 'b', 'c', 'd']) await intrude({ 'hub.secret': secret });
    await intrude({});
    await write('Signed');
    await expect.poll(() => signers('mine'), patience).toContain('mine');
    expect((await stored()).subscriptions).toHaveLength(3);
    await subscriber.ask(hub(), { mode: 'unsubscribe', topic: topic() });
    await settled();
    expect((await stored()).subscriptions).toEqual([]);
  });

  test('a stranger can’t shorten a subscriber’s lease', async () => {
    await subscribe({ 'hub.lease_seconds': '86400' });
    clock += 10_000;
    await intrude({ 'hub.lease_seconds': '300' });
    expect(subscriber.questions.at(-1)?.get('hub.lease_seconds')).toBe('86390');
    clock += 301_000;
    await write('Still there');
    await count().toBe(1);
  });

  test('a stranger can’t end a subscription unless the callback confirms that', async () => {
    await subscribe({ 'hub.secret': 'mine' });
    subscriber.manners.confirm = (query, response) =>
      void response.writeHead(query.get('hub.mode') === 'unsubscribe' ? 404 : 200).end();
    await intrude({ mode: 'unsubscribe' });
    await write('Still there');
    await count().toBe(1);
    expect(signers('mine')).toEqual(['mine']);
  });

  test('a stranger can’t replace a request that waits for its confirmation', async () => {
    const waiting: (() => void)[] = [];
    subscriber.manners.confirm = (query, response) =>
      void waiting.push(() => response.end(query.get('hub.challenge')));
    await subscriber.ask(hub(), { topic: topic('/feed.rss') }); // one request at a time is sent to a host
    await expect.poll(() => waiting.length, patience).toBe(1);
    await subscriber.ask(hub(), { topic: topic(), 'hub.secret': 'mine' });
    await subscriber.ask(hub(), { topic: topic(), 'hub.secret': 'theirs' });
    delete subscriber.manners.confirm;
    waiting.forEach((confirm) => confirm());
    await settled();
    await write('Signed');
    await expect.poll(() => signers('mine'), patience).toContain('mine');
  });
});

describe('a subscriber that', () => {
  test('a subscriber that repeats another challenge, or redirects, gets no subscription', async () => {
    const lies: Subscriber['manners']['confirm'][] = [
      (_query, response) => void response.end('another challenge'),
      (query, response) => void response.writeHead(404).end(query.get('hub.challenge')),
      (query, response) => {
        const there = `/?hub.challenge=${query.get('hub.challenge') ?? ''}`;
        response.writeHead(302, { location: there }).end(query.get('hub.challenge'));
      },
    ];
    for (const [index, lie] of lies.entries()) {
      subscriber.manners.confirm = lie;
      await subscriber.ask(hub(), { topic: topic() });
      await expect.poll(() => subscriber.questions.length, patience).toBe(index + 1);
      await settled();
    }
    expect((await stored()).subscriptions).toEqual([]);
  });

  test('asks for a foreign topic gets a denial', async () => {
    for (const place of ['http://other.example/', topic('/categories/none/feed.atom'), topic('/archive')]) {
      await subscriber.ask(hub(), { topic: place });
      await expect.poll(() => subscriber.questions.at(-1)?.get('hub.topic'), patience).toBe(place);
      expect(subscriber.questions.at(-1)?.get('hub.mode')).toBe('denied');
      expect(subscriber.questions.at(-1)?.has('hub.challenge')).toBe(false);
    }
    await settled();
    expect((await stored()).subscriptions).toEqual([]);
  });

  test('answers 410 is dropped at once', async () => {
    await subscribe();
    subscriber.manners.answer = (_request, response) => void response.writeHead(410).end();
    await write('Hello');
    await expect.poll(async () => (await stored()).subscriptions, patience).toEqual([]);
  });

  test('fails, hangs up or redirects is tried again later, and dropped in the end', async () => {
    await subscribe();
    const ways: Subscriber['manners']['answer'][] = [
      (_request, response) => void response.writeHead(500).end(),
      (_request, response) => void response.destroy(),
      (_request, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      (_request, response) => void response.writeHead(404).end(),
      (_request, response) => void response.writeHead(503).end(),
    ];
    subscriber.manners.answer = ways[0];
    await write('Hello');
    for (let failed = 1; failed < ways.length; failed += 1) {
      await failures().toEqual([failed]);
      subscriber.manners.answer = ways[failed];
      clock += 7 * 60 * minute;
      porchlight.service.wake();
      await count().toBe(failed + 1);
    }
    await expect.poll(async () => (await stored()).subscriptions, patience).toEqual([]);
  });

  test('recovers gets the current content, and its failures are forgotten', async () => {
    await subscribe();
    subscriber.manners.answer = (_request, response) => void response.writeHead(500).end();
    await write('First');
    await failures().toEqual([1]);
    // The other subscriber gets what is written then, and this one would have got it too.
    const other = await openSubscriber();
    await other.ask(hub(), { topic: topic() });
    await expect.poll(async () => (await stored()).subscriptions.length, patience).toBe(2);
    await write('Second');
    await expect.poll(() => other.deliveries.length, patience).toBe(1);
    expect(subscriber.deliveries).toHaveLength(1);
    await other.close();
    delete subscriber.manners.answer;
    clock += minute;
    porchlight.service.wake();
    await count().toBe(2);
    expect(subscriber.deliveries[1]?.body).toContain('Second');
    await failures().toEqual([]);
  });

  test('hangs delays neither the others nor a stop', async () => {
    await subscribe();
    const other = await openSubscriber();
    await other.ask(hub(), { topic: topic() });
    await expect.poll(async () => (await stored()).subscriptions.length, patience).toBe(2);
    subscriber.manners.answer = () => undefined;
    await write('Hello');
    await expect.poll(() => other.deliveries.length, patience).toBe(1);
    await porchlight.stop();
    delete subscriber.manners.answer;
    const before = subscriber.deliveries.length;
    await open(porchlight.dataDir);
    await expect.poll(() => subscriber.deliveries.length, patience).toBe(before + 1);
    await other.close();
  });
});

test('callbacks on internal addresses get no request, and are forgotten', async () => {
  const guarded = await startPorchlight({ allowPrivateFetch: false, me: 'https://owner.example/' });
  try {
    const answer = await subscriber.ask(`${guarded.base}/websub`, { topic: `${guarded.base}/feed.atom` });
    expect(answer.status).toBe(202);
    await expect
      .poll(() => storedSubscriptions(guarded.dataDir), patience)
      .toMatchObject({ subscriptions: [], requests: [] });
    expect(subscriber.questions).toEqual([]);
  } finally {
    await guarded.remove();
  }
});

test.each([
  [{ mode: 'publish' }, 'hub.mode'],
  [{ callback: 'ftp://a.example/' }, 'hub.callback'],
  [{ callback: 'http://user:pass@a.example/' }, 'hub.callback'],
  [{ callback: `http://a.example/${'x'.repeat(2000)}` }, 'hub.callback'],
  [{ topic: 'nothing' }, 'hub.topic'],
  [{ 'hub.lease_seconds': 'long' }, 'hub.lease_seconds'],
  [{ 'hub.secret': 'x'.repeat(200) }, 'hub.secret'],
])('a request with %j is refused, and says why', async (fields: Record<string, string>, name) => {
  const answer = await subscriber.ask(hub(), { topic: topic(), ...fields });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(name);
});

test('a site can’t take all places, and a flood of requests has to wait', async () => {
  const statuses: number[] = [];
  for (let number = 0; number < 70; number += 1) {
    const callback = `${subscriber.origin}/${number}`;
    statuses.push((await subscriber.ask(hub(), { topic: topic(), callback })).status);
  }
  expect(statuses[0]).toBe(202);
  expect(statuses.at(-1)).toBe(429);
  await settled();
  expect((await stored()).subscriptions.length).toBeLessThanOrEqual(50);
  clock += day;
  expect((await subscriber.ask(hub(), { topic: topic(), callback: `${subscriber.origin}/new` })).status).toBe(
    (await stored()).subscriptions.length < 50 ? 202 : 429,
  );
});
