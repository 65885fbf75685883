import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Post } from '../../../../src-main/contract/posts.ts';
import { createGuardedFetch } from '../../../../src-main/platform/guarded-fetch.ts';
import { countRows, rowsIn, withClosedRecords } from '../../../../src-main/storage/records/closed-records.ts';
import { workTable } from '../../../../src-main/storage/work/work-rows.ts';
import { deliveryTable, sendTables } from '../../../../src-main/mentions/sending/deliveries.ts';
import { noPosts } from '../../../support/no-posts.ts';
import { openSender, ours, type TestSender, type TestSenderOptions } from '../../../support/sender.ts';
import { postOf } from '../../../support/site.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';
import { openReceivers, type Receivers } from '../../../support/webmention-receivers.ts';
import { patience } from '../../../support/patience.ts';

const minute = 60_000;
const start = Date.parse('2026-11-21T15:00:00.000Z');

let there: Receivers;
let dir: string;
let time: number;
beforeEach(async () => {
  there = await openReceivers();
  dir = await temporaryFolder();
  time = start;
});
afterEach(() => there.close());

async function started(over: Partial<TestSenderOptions> = {}): Promise<TestSender> {
  const sender = await openSender({ dir, now: () => time, ...over });
  await sender.start();
  return sender;
}

/**
 * Tells another host of a post. What was due before would have been sent by the time that this has arrived. `tries`: the
 * attempts of the sender until then.
 */
async function markerTo(sender: TestSender, other: Receivers, tries: number): Promise<void> {
  await sender.change(postOf({ content: [other.add('/marker')] }, { slug: 'marker' }), 'created');
  await sender.tried(tries);
  expect(other.received).toHaveLength(1);
}

/** A post that links pages there, by their names. */
const linking = (names: readonly string[], over: Partial<Post> & { slug?: string } = {}) =>
  postOf({ content: [names.map((name) => there.origin + name).join(' ')] }, over);
const source = '/posts/2026/11/one';

test('what could not be sent is listed for two weeks, newest first, with the title of the post', async () => {
  const refuses = (response: ServerResponse) => void response.writeHead(400).end();
  const post = postOf({ name: ['On porches'], content: [there.add('/no', refuses)] });
  const next = postOf({ content: [there.add('/never', refuses)] }, { slug: 'next' });
  const posts = {
    ...noPosts,
    get: (path: string) => Promise.resolve([post, next].find((one) => one.path === path)),
  };
  const sender = await started({ posts });
  await sender.change(post, 'created');
  await sender.quiet();
  time += minute;
  await sender.change(next, 'created');
  await sender.quiet();
  expect(await sender.failures()).toMatchObject([
    { source: ours + next.path, target: `${there.origin}/never`, state: 'failed' },
    { source: ours + source, title: 'On porches', target: `${there.origin}/no`, state: 'failed' },
  ]);
  time += 14 * 86_400_000 - minute / 2;
  expect(await sender.failures()).toHaveLength(1);
});

describe('a post tells the pages that it links', () => {
  test('WS-3 when it is made', async () => {
    const sender = await started();
    const post = postOf({ 'in-reply-to': [there.add('/a')], content: [`And ${there.add('/b')}.`] });
    await sender.change(post, 'created');
    await sender.quiet();
    expect(there.notifications().sort()).toEqual([`${source} -> /a`, `${source} -> /b`]);
    expect(await sender.deliveriesOf(ours + source)).toMatchObject([
      { source: ours + source, target: `${there.origin}/a`, state: 'sent' },
      {
        target: `${there.origin}/b`,
        state: 'sent',
        words: 'Sent. The other site will check it later.',
      },
    ]);
  });

  test('each page is notified, although one refuses, one accepts no mentions and one does not exist', async () => {
    const sender = await started();
    there.add('/good');
    there.add('/no', (response) => void response.writeHead(400).end());
    there.site.pages.set('/plain', (_request, response) => void response.end('<p>x</p>'));
    const post = linking(['/no', '/plain', '/gone', '/good']);
    await sender.change(post, 'created');
    await sender.quiet();
    expect(await sender.states(post)).toEqual({
      '/no': 'failed',
      '/plain': 'no-endpoint',
      '/gone': 'failed',
      '/good': 'sent',
    });
  });

  test.each<[string, Partial<Post>]>([
    ['a draft', { status: 'draft' }],
    ['a private post', { visibility: 'private' }],
    ['a deleted post', { deletedAt: '2026-11-21T14:30:00.000Z' }],
  ])('%s tells nobody', async (_, over) => {
    const sender = await started();
    there.add('/a');
    const post = linking(['/a'], over);
    await sender.change(post, 'created');
    await sender.change(post, 'updated', post);
    await sender.quiet();
    expect(await sender.deliveriesOf(ours + source)).toEqual([]);
    expect(there.site.requests).toEqual([]);
  });

  test('an unlisted post tells them too', async () => {
    const sender = await started();
    there.add('/a');
    await sender.change(linking(['/a'], { visibility: 'unlisted' }), 'created');
    await sender.quiet();
    expect(there.notifications()).toEqual([`${source} -> /a`]);
  });

  test('a draft tells them when it is published', async () => {
    const sender = await started();
    there.add('/a');
    const draft = linking(['/a'], { status: 'draft' });
    await sender.change(draft, 'created');
    await sender.change({ ...draft, status: 'published' }, 'updated', draft);
    await sender.quiet();
    expect(there.notifications()).toEqual([`${source} -> /a`]);
  });

  test('a post for later tells them then, and after a restart too', async () => {
    const published = '2026-11-21T16:00:00+00:00';
    there.add('/a');
    const post = postOf({ published: [published], 'like-of': [`${there.origin}/a`] });
    const before = await started();
    await before.change(post, 'created');
    expect(await before.deliveriesOf(ours + source)).toMatchObject([
      { state: 'waiting', words: 'Waiting until the post is published.' },
    ]);
    await before.retry(ours + source);
    await before.stop();
    time = start + 59 * minute;
    const early = await started();
    await early.retry(ours + source);
    early.wake();
    await early.stop();
    expect(there.site.requests).toEqual([]);

    time = start + 60 * minute;
    const sender = await started();
    await sender.tried(1);
    expect(there.notifications()).toEqual([`${source} -> /a`]);
  });

  test('WS-6 nothing is sent from an address that only this computer has', async () => {
    let base = 'http://127.0.0.1:4321';
    // A post with a public address of its own is sent, and the other one would have been sent before it.
    const home = { url: 'https://marlow.example/m/', file: 'm.md', former: [], written: {}, liveAt: null };
    const marker = postOf({ content: [`${there.origin}/b`] }, { slug: 'marker', home });
    const posts = {
      ...noPosts,
      get: (path: string) => Promise.resolve(path === marker.path ? marker : undefined),
    };
    const sender = await started({ allowPrivate: false, base: () => base, posts });
    there.add('/a');
    await sender.change(linking(['/a']), 'created');
    sender.wake();
    there.add('/b');
    await sender.change(marker, 'created');
    await sender.tried(1);
    expect(there.notifications()).toEqual(['/m/ -> /b']);
    there.received.splice(0);
    base = 'https://me.example';
    sender.wake();
    await sender.quiet();
    expect(there.received).toMatchObject([{ source: `https://me.example${source}` }]);
  });

  test('WS-6 a page on loopback is not notified if private addresses are not allowed', async () => {
    const fetch = createGuardedFetch({ allowPrivate: false, userAgent: 'Webmention' });
    const sender = await started({ fetch, allowPrivate: false, base: () => 'https://me.example' });
    there.add('/a');
    const post = linking(['/a']);
    await sender.change(post, 'created');
    await sender.quiet();
    expect(await sender.deliveriesOf(`https://me.example${source}`)).toMatchObject([
      { state: 'failed', words: expect.stringContaining('isn’t on the public internet') as string },
    ]);
    expect(there.site.requests).toEqual([]);
  });

  test('a post with a hundred links sends one request per host at a time', async () => {
    const sender = await started();
    let open = 0;
    let most = 0;
    const names = Array.from({ length: 100 }, (_, index) => `/page-${index}`);
    for (const name of names) {
      there.add(name, (response) => {
        most = Math.max(most, ++open);
        setImmediate(() => {
          open -= 1;
          response.writeHead(202).end();
        });
      });
    }
    await sender.change(linking(names), 'created');
    await sender.quiet();
    expect(there.notifications().sort()).toEqual(names.map((name) => `${source} -> ${name}`).sort());
    expect(most).toBe(1);
    expect(await rowsIn(dir, workTable)).toEqual([]);
  });

  test('different hosts at once, as many as are allowed', async () => {
    const others = await Promise.all(Array.from({ length: 6 }, () => openReceivers()));
    let open = 0;
    let most = 0;
    const arrived: (() => void)[] = [];
    const targets = others.map((other) =>
      other.add('/a', (response) => {
        most = Math.max(most, ++open);
        arrived.push(() => {
          open -= 1;
          response.writeHead(202).end();
        });
        // The first four are answered together, so that they must have come together.
        if (open === 4 || others.every(({ received }) => received.length === 1))
          arrived.splice(0).forEach((go) => go());
      }),
    );
    const sender = await started({ concurrency: 4 });
    await sender.change(postOf({ content: [targets.join(' ')] }), 'created');
    await sender.quiet();
    expect(most).toBe(4);
    await Promise.all(others.map((other) => other.close()));
  });
});

test('four hosts that hang delay no other delivery', async () => {
  const hanging = await Promise.all(Array.from({ length: 4 }, () => openReceivers()));
  for (const host of hanging) host.add('/a', () => undefined);
  const sender = await started();
  await sender.change(postOf({ content: [hanging.map(({ origin }) => `${origin}/a`).join(' ')] }), 'created');
  await vi.waitUntil(() => hanging.every(({ received }) => received.length === 1), { timeout: 60_000 });
  there.add('/good');
  await sender.change(linking(['/good'], { slug: 'other' }), 'created');
  // The others hang for half a minute.
  await vi.waitUntil(() => there.notifications().length === 1, patience);
  await sender.stop();
  await Promise.all(hanging.map((host) => host.close()));
});

describe('WS-4 WS-5 a post that changes', () => {
  async function published(names: readonly string[]): Promise<{ sender: TestSender; post: Post }> {
    const sender = await started();
    for (const name of names) there.add(name);
    const post = linking(names);
    await sender.change(post, 'created');
    await sender.quiet();
    there.received.splice(0);
    return { sender, post };
  }

  test('notifies the pages that it still links, the new ones, and the ones that it no longer links', async () => {
    const { sender, post } = await published(['/kept', '/removed']);
    there.add('/new');
    await sender.change(linking(['/kept', '/new']), 'updated', post);
    await sender.quiet();
    expect(there.notifications().sort()).toEqual([
      `${source} -> /kept`,
      `${source} -> /new`,
      `${source} -> /removed`,
    ]);
    const deliveries = await sender.deliveriesOf(ours + source);
    expect(deliveries.find(({ target }) => target.endsWith('/removed'))).toMatchObject({
      state: 'sent',
      words: 'Reported that the link was removed.',
    });
  });

  test('tells a page once that the link is gone', async () => {
    const { sender, post } = await published(['/removed']);
    const without = linking([]);
    await sender.change(without, 'updated', post);
    await sender.quiet();
    await sender.change(without, 'updated', without);
    await sender.quiet();
    expect(there.notifications()).toEqual([`${source} -> /removed`]);
  });

  test('discovers the endpoint again', async () => {
    const { sender, post } = await published(['/a']);
    there.endpoint('/new-endpoint');
    there.site.pages.set(
      '/a',
      (_request, response) =>
        void response.writeHead(200, { link: '</new-endpoint>; rel="webmention"' }).end(),
    );
    await sender.change(post, 'updated', post);
    await sender.quiet();
    expect(there.received.map(({ endpoint }) => endpoint)).toEqual(['/new-endpoint']);
  });

  test.each<[string, 'updated' | 'deleted', Partial<Post>]>([
    ['is deleted', 'deleted', { deletedAt: '2026-11-21T14:30:00.000Z' }],
    ['becomes private', 'updated', { visibility: 'private' }],
    ['becomes a draft', 'updated', { status: 'draft' }],
  ])('notifies all earlier pages when it %s, and only once', async (_, change, over) => {
    const { sender, post } = await published(['/a', '/b']);
    const gone = { ...post, ...over };
    await sender.change(gone, change, post);
    await sender.quiet();
    await sender.change(gone, 'updated', gone);
    await sender.quiet();
    expect(there.notifications().sort()).toEqual([`${source} -> /a`, `${source} -> /b`]);
  });

  test('tells all again when it is brought back', async () => {
    const { sender, post } = await published(['/a']);
    const deleted = { ...post, deletedAt: '2026-11-21T14:30:00.000Z' };
    await sender.change(deleted, 'deleted', post);
    await sender.quiet();
    await sender.change(post, 'undeleted', deleted);
    await sender.quiet();
    expect(there.notifications()).toEqual([`${source} -> /a`, `${source} -> /a`]);
    expect(await sender.deliveriesOf(ours + source)).toMatchObject([
      { state: 'sent', words: 'Sent. The other site will check it later.' },
    ]);
  });

  test('notifies the pages that it linked before anything was recorded', async () => {
    const sender = await started();
    there.add('/a');
    await sender.change(linking([]), 'updated', linking(['/a']));
    await sender.quiet();
    expect(there.notifications()).toEqual([`${source} -> /a`]);
  });

  test('and moves: pages are notified from its current address, and again from the former one', async () => {
    const { sender, post } = await published(['/kept', '/removed']);
    there.add('/new');
    const moved = linking(['/kept', '/new'], { slug: 'two' });
    await sender.change(moved, 'updated', post);
    await sender.quiet();
    expect(there.notifications().sort()).toEqual([
      `${source} -> /kept`,
      `${source} -> /removed`,
      '/posts/2026/11/two -> /kept',
      '/posts/2026/11/two -> /new',
    ]);

    there.received.splice(0);
    await sender.change({ ...moved, deletedAt: '2026-11-21T14:30:00.000Z' }, 'deleted', moved);
    await sender.quiet();
    expect(there.notifications().sort()).toEqual([
      `${source} -> /kept`,
      '/posts/2026/11/two -> /kept',
      '/posts/2026/11/two -> /new',
    ]);
  });

  test('while a page is being notified of the previous version, it is notified again', async () => {
    const sender = await started();
    const post = linking(['/a']);
    let changed: Promise<void> | undefined;
    there.add('/a', (response) => {
      changed ??= sender.change(post, 'updated', post);
      void changed.then(() => response.writeHead(202).end());
    });
    await sender.change(post, 'created');
    await sender.tried(1);
    expect(there.notifications()).toEqual([`${source} -> /a`, `${source} -> /a`]);
  });

  test('and is deleted while a page is being notified: the page is notified again', async () => {
    const sender = await started();
    const post = linking(['/a']);
    let deleted: Promise<void> | undefined;
    there.add('/a', (response) => {
      deleted ??= sender.change({ ...post, deletedAt: '2026-11-21T14:30:00.000Z' }, 'deleted', post);
      void deleted.then(() => response.writeHead(202).end());
    });
    await sender.change(post, 'created');
    await sender.tried(1);
    expect(there.notifications()).toHaveLength(2);
    expect(await sender.deliveriesOf(ours + source)).toMatchObject([
      { words: 'Reported that the link was removed.' },
    ]);
  });
});

describe('a page that cannot accept a mention now', () => {
  test('is notified later: after a minute, also after a restart of the server', async () => {
    let status = 503;
    there.add('/a', (response) => void response.writeHead(status).end());
    const before = await started();
    const post = linking(['/a']);
    await before.change(post, 'created');
    await before.quiet();
    expect(await before.deliveriesOf(ours + source)).toMatchObject([
      { state: 'waiting', words: 'The other server cannot accept it now (503). Porchlight will try again.' },
    ]);
    before.wake();
    const other = await openReceivers();
    await markerTo(before, other, 2);
    await before.stop();
    await other.close();
    expect(there.received).toHaveLength(1);

    status = 202;
    time += minute;
    const after = await started();
    await after.tried(1);
    expect(await after.states(post)).toEqual({ '/a': 'sent' });
    expect(there.received).toHaveLength(2);
  });

  test('is notified after 1 minute, 10 minutes, 1, 6 and 24 hours, and then never again', async () => {
    there.add('/a', (response) => void response.writeHead(503).end());
    const sender = await started();
    const post = linking(['/a']);
    await sender.change(post, 'created');
    await sender.quiet();
    for (const [index, pause] of [1, 10, 60, 6 * 60, 24 * 60].entries()) {
      time += pause * minute - 1;
      sender.wake();
      await sender.deliveriesOf(ours + source);
      expect(there.received).toHaveLength(index + 1);
      time += 1;
      sender.wake();
      await sender.tried(index + 2);
      expect(there.received).toHaveLength(index + 2);
    }
    expect(await sender.deliveriesOf(ours + source)).toMatchObject([
      { state: 'failed', words: 'The other server cannot accept it now (503).' },
    ]);
    expect(await rowsIn(dir, workTable)).toEqual([]);
  });

  test.each([
    ['is waited for', 1800, 30 * minute],
    ['does not hurry us much', 1, 5000],
    ['is not waited for longer than a day', 3_600_000, 24 * 60 * minute],
  ])('the time that a server names %s', async (_, seconds, expected) => {
    there.add('/a', (response) => void response.writeHead(503, { 'retry-after': String(seconds) }).end());
    const sender = await started();
    await sender.change(linking(['/a']), 'created');
    await sender.quiet();
    expect(await rowsIn(dir, workTable)).toMatchObject([{ due: time + expected, tries: 1 }]);
  });

  test('is not given up because this computer was offline', async () => {
    let online = false;
    let status = 503;
    there.add('/a', (response) => void response.writeHead(status).end());
    const sender = await started({ online: () => online });
    await sender.change(linking(['/a']), 'created');
    await sender.quiet();
    for (let tries = 2; tries <= 10; tries += 1) {
      time += 5 * minute;
      sender.wake();
      await sender.tried(tries);
    }
    expect(await rowsIn(dir, workTable)).toMatchObject([{ state: 'waiting', tries: 0 }]);
    online = true;
    status = 202;
    sender.wake();
    await sender.tried(11);
    expect(sender.events.at(-1)).toMatchObject({ state: 'sent' });
  });

  test('is notified at once when a clock that was 400 days ahead is right again', async () => {
    there.add('/a', (response) => void response.writeHead(503).end());
    time += 400 * 24 * 60 * minute;
    const before = await started();
    const post = linking(['/a']);
    await before.change(post, 'created');
    await before.quiet();
    there.add('/a');
    time = start;
    before.wake();
    await before.tried(2);
    expect(await before.states(post)).toEqual({ '/a': 'sent' });
  });

  test('is notified of a post that is published in 400 days then, whatever the clock said before', async () => {
    there.add('/a');
    const published = new Date(start + 400 * 24 * 60 * minute).toISOString();
    const post = postOf({ published: [published], 'like-of': [`${there.origin}/a`] });
    const before = await started();
    await before.change(post, 'created');
    time -= 1000;
    before.wake();
    await before.stop();
    const sender = await started();
    time += 399 * 24 * 60 * minute;
    sender.wake();
    await sender.stop();
    expect(there.site.requests).toEqual([]);
    time += 2 * 24 * 60 * minute;
    const after = await started();
    await after.tried(1);
    expect(there.notifications()).toEqual([`${source} -> /a`]);
  });

  test('is left alone for as long as it says, with all its pages', async () => {
    there.add('/a', (response) => void response.writeHead(429, { 'retry-after': '600' }).end());
    there.add('/b');
    const sender = await started();
    await sender.change(linking(['/a', '/b']), 'created');
    await sender.tried(1);
    time += 9 * minute;
    sender.wake();
    const other = await openReceivers();
    await markerTo(sender, other, 2);
    expect(there.site.requests).toEqual(['GET /a', 'POST /a/webmention']);
    await other.close();
    there.add('/a');
    time += minute;
    sender.wake();
    await sender.tried(4);
    expect(there.notifications()).toContain(`${source} -> /b`);
  });

  test('is notified at once if the owner asks for it', async () => {
    let status = 400;
    there.add('/a', (response) => void response.writeHead(status).end());
    there.add('/b');
    const sender = await started();
    const post = linking(['/a', '/b']);
    await sender.change(post, 'created');
    await sender.quiet();
    status = 202;
    const again = await sender.retry(ours + source);
    expect(again).toMatchObject([{ target: `${there.origin}/a`, state: 'waiting' }]);
    await sender.quiet();
    expect(await sender.states(post)).toEqual({ '/a': 'sent', '/b': 'sent' });
    await sender.retry(ours + source, `${there.origin}/b`);
    await sender.quiet();
    expect(there.notifications().filter((one) => one.endsWith('/b'))).toHaveLength(2);
  });

  test.each([
    ['a post that sent nothing', `${ours}/posts/2026/11/nothing`, undefined],
    ['a page that was not linked', ours + source, 'https://bo.example/'],
    ['an address elsewhere', `https://bo.example${source}`, undefined],
    ['no address', 'x', undefined],
  ])('for %s there is nothing to send again', async (_, from, target) => {
    const sender = await started();
    there.add('/a');
    await sender.change(linking(['/a']), 'created');
    await sender.quiet();
    await expect(sender.retry(from, target)).rejects.toMatchObject({ code: 'not_found', status: 404 });
  });
});

describe('the outbox on disk', () => {
  test('a notification that was requested before the start is sent after it', async () => {
    const sender = await openSender({ dir, now: () => time });
    there.add('/a');
    await sender.change(linking(['/a']), 'created');
    expect(there.site.requests).toEqual([]);
    expect(await rowsIn(dir, workTable)).toMatchObject([
      { kind: 'send', key: `${source} ${there.origin}/a`, tries: 0 },
    ]);
    await sender.start();
    await sender.quiet();
    expect(there.notifications()).toEqual([`${source} -> /a`]);
  });

  test('a post without links leaves nothing behind', async () => {
    const sender = await started();
    const post = postOf({ content: ['Good evening'] });
    await sender.change(post, 'created');
    await sender.change(post, 'updated', post);
    await sender.change({ ...post, deletedAt: '2026-11-21T14:30:00.000Z' }, 'deleted', post);
    for (const table of [...sendTables, workTable]) expect(await countRows(dir, table)).toBe(0);
  });

  test('what waited in a restored backup is sent, for which the queue has no work', async () => {
    const before = await openSender({ dir, now: () => time });
    there.add('/a');
    there.add('/later');
    const published = new Date(start + 60 * minute).toISOString();
    await before.change(linking(['/a']), 'created');
    const later = postOf({ published: [published], 'like-of': [`${there.origin}/later`] }, { slug: 'later' });
    await before.change(later, 'created');
    await before.stop();
    await withClosedRecords(dir, [workTable], (database) => database.exec('DELETE FROM work'));
    const sender = await started();
    await sender.tried(1);
    expect(there.notifications()).toEqual([`${source} -> /a`]);
    time += 60 * minute;
    sender.wake();
    await sender.tried(2);
    expect(there.notifications().at(-1)).toBe('/posts/2026/11/later -> /later');
  });

  test('stopping in the middle of a delivery leaves it for the next start', async () => {
    const sender = await started();
    const arrived = new Promise<void>((resolve) => {
      there.add('/a', () => resolve());
    });
    const post = linking(['/a']);
    await sender.change(post, 'created');
    await arrived;
    await sender.stop();
    expect(await rowsIn(dir, deliveryTable)).toMatchObject([{ state: 'waiting' }]);

    there.add('/a');
    const next = await started();
    await next.tried(1);
    expect(await next.states(post)).toEqual({ '/a': 'sent' });
  });

  test('each step is reported: waiting, sent', async () => {
    const sender = await started();
    there.add('/a');
    await sender.change(linking(['/a']), 'created');
    await sender.quiet();
    expect(sender.events.map(({ state }) => state)).toEqual(['waiting', 'sent']);
  });
});
