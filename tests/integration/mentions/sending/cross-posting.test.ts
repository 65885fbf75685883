import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bridgyFed, type Post } from '../../../../src-main/contract/posts.ts';
import { createGuardedFetch } from '../../../../src-main/platform/guarded-fetch.ts';
import type { PostCopy } from '../../../../src-main/mentions/sending/copies.ts';
import { say } from '../../../support/cross-posting-services.ts';
import { patience } from '../../../support/patience.ts';
import { openSender, ours, type TestSender, type TestSenderOptions } from '../../../support/sender.ts';
import { postOf } from '../../../support/site.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';
import { openReceivers, type Receivers } from '../../../support/webmention-receivers.ts';

const minute = 60_000;
const copy = (id: number) => `https://mastodon.example/@ada/${id}`;

let there: Receivers;
let dir: string;
let time: number;
let service: string;
let stored: PostCopy[];
beforeEach(async () => {
  there = await openReceivers();
  dir = await temporaryFolder();
  time = Date.parse('2026-11-21T15:00:00.000Z');
  stored = [];
  service = answering((response) => say(response, 201, {}, copy(1)));
});
afterEach(() => there.close());

const answering = (answer: Parameters<Receivers['add']>[1]) => there.add('/publish/mastodon', answer);

async function started(over: Partial<TestSenderOptions> = {}): Promise<TestSender> {
  const crossPosting = {
    targets: () => [service],
    isOwn: () => false,
    store: (made: PostCopy) => Promise.resolve(void stored.push(made)),
  };
  const sender = await openSender({ dir, now: () => time, crossPosting, ...over });
  await sender.start();
  return sender;
}

const noteOf = (over: Partial<Post> = {}) =>
  postOf({ content: ['Fog'] }, { commands: { 'syndicate-to': [service] }, ...over });
const deliveryOf = async (sender: TestSender, post: Post) => (await sender.deliveriesOf(ours + post.path))[0];

describe('a service that cross-posts', () => {
  test('is notified once, and the URL of its copy is in the delivery, after a restart too', async () => {
    const sender = await started();
    const note = noteOf();
    await sender.change(note, 'created');
    await sender.quiet();
    expect(stored).toEqual([{ path: note.path, target: service, url: copy(1) }]);
    await sender.stop();
    const again = await started();
    expect(await deliveryOf(again, note)).toMatchObject({ state: 'sent', copy: copy(1) });
    expect(there.received).toHaveLength(1);
  });

  test('that answers too late is tried again by the sender, and its copy is stored then', async () => {
    let isSlow = true;
    answering((response) => {
      if (!isSlow) say(response, 201, {}, copy(1));
    });
    const guarded = createGuardedFetch({ allowPrivate: true, userAgent: 'Porchlight (Webmention)' });
    const sender = await started({
      fetch: (url, options) => guarded(url, { ...options, timeoutMs: isSlow ? 300 : 10_000 }),
    });
    const note = noteOf();
    await sender.change(note, 'created');
    await sender.quiet();
    expect(await deliveryOf(sender, note)).toMatchObject({
      state: 'waiting',
      words: expect.stringContaining('Porchlight will try again.') as string,
    });
    expect(stored).toEqual([]);
    isSlow = false;
    time += 120 * minute;
    sender.wake();
    await sender.tried(2);
    expect(stored).toMatchObject([{ url: copy(1) }]);
  });

  test('NE05b a service that made a copy is notified neither of an edit nor of responses', async () => {
    const sender = await started();
    const note = noteOf();
    await sender.change(note, 'created');
    await sender.quiet();
    answering((response) => say(response, 400, { error: 'Already published.' }));
    time += 20 * minute;
    await sender.responseShown({ source: 'https://bo.example/reply', target: ours + note.path });
    await sender.change(noteOf(), 'updated', note);
    await sender.quiet();
    expect(await deliveryOf(sender, note)).toMatchObject({ state: 'sent', copy: copy(1) });
    expect(there.received).toHaveLength(1);
  });

  test('NE05b that made a copy is notified again if the owner asks, and its first copy stays', async () => {
    const sender = await started();
    const note = noteOf();
    await sender.change(note, 'created');
    await sender.quiet();
    answering((response) => say(response, 201, {}, copy(2)));
    await sender.retry(ours + note.path, service);
    await sender.quiet();
    expect(there.received).toHaveLength(2);
    expect(await deliveryOf(sender, note)).toMatchObject({
      state: 'sent',
      copy: copy(1),
      words: 'Cross-posted to mastodon.example.',
    });
    expect(stored).toHaveLength(1);
  });

  test('NE05b that is making its copy while the post is edited is notified once', async () => {
    let answer = () => undefined as unknown;
    answering((response) => void (answer = () => say(response, 201, {}, copy(1))));
    const sender = await started();
    const note = noteOf();
    await sender.change(note, 'created');
    await vi.waitUntil(() => there.received.length === 1, patience);
    await sender.change(noteOf(), 'updated', note);
    answer();
    await sender.quiet();
    expect(await deliveryOf(sender, note)).toMatchObject({ state: 'sent', copy: copy(1) });
    expect(there.received).toHaveLength(1);
  });

  test('that made no copy is notified of each edit', async () => {
    answering((response) => say(response, 202, {}));
    const sender = await started();
    const note = noteOf();
    await sender.change(note, 'created');
    await sender.quiet();
    await sender.change(noteOf(), 'updated', note);
    await sender.quiet();
    expect(there.received).toHaveLength(2);
  });

  test('that accepts a deletion makes another copy once the post is restored', async () => {
    const sender = await started();
    const note = noteOf();
    await sender.change(note, 'created');
    await sender.quiet();
    answering((response) => say(response, 200, {}));
    const deleted = noteOf({ deletedAt: '2026-11-21T15:00:00.000Z' });
    await sender.change(deleted, 'deleted', note);
    await sender.quiet();
    expect(await deliveryOf(sender, note)).not.toHaveProperty('copy');
    answering((response) => say(response, 201, {}, copy(2)));
    await sender.change(note, 'undeleted', deleted);
    await sender.quiet();
    expect(stored.map(({ url }) => url)).toEqual([copy(1), copy(2)]);
  });

  test('that refuses a deletion kept its copy, so it isn’t notified once the post is restored', async () => {
    const sender = await started();
    const note = noteOf();
    await sender.change(note, 'created');
    await sender.quiet();
    answering((response) => say(response, 400, { error: 'Deleting is not supported.' }));
    const deleted = noteOf({ deletedAt: '2026-11-21T15:00:00.000Z' });
    await sender.change(deleted, 'deleted', note);
    await sender.quiet();
    await sender.change(note, 'undeleted', deleted);
    await sender.quiet();
    expect(there.received).toHaveLength(2);
    expect(await deliveryOf(sender, note)).toMatchObject({ state: 'sent', copy: copy(1) });
    await sender.change(deleted, 'deleted', note);
    await sender.quiet();
    expect(there.received).toHaveLength(3);
  });

  test('is not notified from a new URL when the post moves, because it would copy the post twice', async () => {
    const sender = await started();
    const note = noteOf({ path: '/posts/2026/11/one' });
    await sender.change(note, 'created');
    await sender.quiet();
    const page = there.add('/page');
    const moved = { ...note, path: '/posts/2026/11/two', properties: { content: [`Fog at ${page}`] } };
    await sender.change(moved, 'updated', note);
    await sender.change(moved, 'updated', moved);
    await sender.quiet();
    const notifications = there.notifications().filter((one) => one.endsWith('/publish/mastodon'));
    expect(notifications).toEqual(['/posts/2026/11/one -> /publish/mastodon']);
    expect(there.notifications()).toContain('/posts/2026/11/two -> /page');
    expect(await deliveryOf(sender, note)).toMatchObject({ state: 'sent', copy: copy(1) });
    await sender.change({ ...moved, path: '/posts/2026/11/three' }, 'updated', moved);
    await sender.quiet();
    expect(there.notifications().filter((one) => one.endsWith('/publish/mastodon'))).toHaveLength(1);
  });

  test('a service that the owner no longer chooses is notified, and no copy is stored then', async () => {
    const sender = await started();
    const note = noteOf();
    await sender.change(note, 'created');
    await sender.quiet();
    await sender.change(noteOf({ commands: {} }), 'updated', note);
    await sender.quiet();
    expect(await deliveryOf(sender, note)).toMatchObject({ words: 'Reported that the link was removed.' });
    expect(stored).toHaveLength(1);
  });
});

test('Bridgy Fed is notified of a post, of each edit, also after the post moved, and of its deletion', async () => {
  service = bridgyFed.uid;
  const standIn = there.add('/fed');
  const guarded = createGuardedFetch({ allowPrivate: true, userAgent: 'Porchlight (Webmention)' });
  const sender = await started({
    fetch: (url, options) => guarded(url === service ? standIn : url, options),
  });
  const note = noteOf({ path: '/posts/2026/11/one' });
  await sender.change(note, 'created');
  await sender.quiet();
  await sender.change(note, 'updated', note);
  await sender.quiet();
  const moved = { ...note, path: '/posts/2026/11/two' };
  await sender.change(moved, 'updated', note);
  await sender.quiet();
  await sender.change({ ...moved, deletedAt: '2026-11-21T15:00:00.000Z' }, 'deleted', moved);
  await sender.quiet();
  // Bridgy Fed knows the post by its first URL, which redirects.
  expect(there.received.map(({ source, target }) => [source, target])).toEqual(
    Array.from({ length: 4 }, () => [`${ours}/posts/2026/11/one`, service]),
  );
  expect(stored).toEqual([]);
});
