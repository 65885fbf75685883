import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Post } from '../../../src-main/contract/posts.ts';
import { openSender, ours, type TestSender } from '../../support/sender.ts';
import { postOf } from '../../support/site.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';
import { openReceivers, type Receivers } from '../../support/webmention-receivers.ts';

const minute = 60_000;
const page = `${ours}/posts/2026/11/one`;
const response = { source: 'https://bo.example/reply', target: page };

const toUpstream = '/posts/2026/11/one -> /upstream';

let there: Receivers;
let dir: string;
let time: number;
let sender: TestSender;
let post: Post;

beforeEach(async () => {
  there = await openReceivers();
  dir = await temporaryFolder();
  time = Date.parse('2026-11-21T15:00:00.000Z');
  sender = await openSender({ dir, now: () => time });
  await sender.start();
  post = postOf({ 'in-reply-to': [there.add('/upstream')] });
  await sender.change(post, 'created');
  await sender.quiet();
});
afterEach(() => there.close());

/** Advances the clock and returns what was sent then. */
async function after(minutes: number, one = sender): Promise<string[]> {
  time += minutes * minute;
  there.received.splice(0);
  // A host is told one thing at a time, in the order in which it is due: the marker arrives last.
  const marker = postOf({ 'like-of': [there.add('/marker')] }, { slug: `marker-${time}` });
  await one.change(marker, 'created');
  await one.quiet();
  return there.notifications().filter((one) => !one.endsWith('/marker'));
}

test('WS-7 the page that a post answers is notified of a response that becomes visible', async () => {
  expect(await after(60)).toEqual([]);
  await sender.responseShown(response);
  expect(await after(2)).toEqual([toUpstream]);
  expect(await after(60)).toEqual([]);
});

test('WS-7 many responses lead to one update, and a page gets a webmention from a post at most every ten minutes', async () => {
  const sent: number[] = [];
  for (let passed = 1; passed <= 60; passed += 1) {
    for (const name of ['a', 'b', 'c'])
      await sender.responseShown({ source: `https://${name}.example/${passed}`, target: page });
    if ((await after(1)).length > 0) sent.push(passed);
  }
  expect(sent.length).toBeGreaterThanOrEqual(5);
  expect(sent.length).toBeLessThanOrEqual(6);
  for (const [at, passed] of sent.entries()) expect(passed - (sent[at - 1] ?? 0)).toBeGreaterThanOrEqual(10);
});

test('WS-7 a page is not notified that its own answer is visible, so that two pages do not notify each other forever', async () => {
  await sender.responseShown({ source: `${there.origin}/upstream#answer`, target: page });
  expect(await after(60)).toEqual([]);
});

test('WS-7 a page that was never notified, is no longer linked, or accepts nothing is left alone', async () => {
  there.site.pages.set('/plain', (_request, answer) => void answer.end('<p>x</p>'));
  there.add('/removed');
  const before = postOf({ content: [`${there.origin}/plain ${there.origin}/removed`] }, { slug: 'two' });
  await sender.change(before, 'created');
  await sender.quiet();
  const now = postOf({ content: [`${there.origin}/plain`] }, { slug: 'two' });
  await sender.change(now, 'updated', before);
  await sender.quiet();
  await sender.responseShown({ ...response, target: `${ours}${now.path}` });
  expect(await after(60)).toEqual([]);
  expect(there.site.requests.filter((request) => request.endsWith(' /plain'))).toHaveLength(2);
});

test.each<[string, Partial<Post>]>([
  ['private', { visibility: 'private' }],
  ['a draft', { status: 'draft' }],
  ['deleted', { deletedAt: '2026-11-21T14:30:00.000Z' }],
])('WS-7 a post that is %s tells nobody of its responses', async (_, over) => {
  await sender.change({ ...post, ...over }, 'updated', post);
  await sender.quiet();
  await sender.responseShown(response);
  expect(await after(60)).toEqual([]);
});

test('WS-7 responses to anything but a post of ours concern nobody', async () => {
  for (const target of [`${page}-2`, 'https://else.example/posts/2026/11/one', 'no address'])
    await sender.responseShown({ ...response, target });
  expect(await after(60)).toEqual([]);
  await sender.responseShown({ ...response, target: `${page}#part` });
  expect(await after(2)).toEqual([toUpstream]);
});

test.each(['?as=amp', '/', '#part'])(
  'WS-7 a response to the page of a post at %s counts as one to the post',
  async (more) => {
    await sender.responseShown({ ...response, target: page + more });
    expect(await after(11)).toEqual([toUpstream]);
  },
);

test('WS-7 waiting notifications are sent after a restart', async () => {
  await sender.responseShown(response);
  await sender.stop();
  const again = await openSender({ dir, now: () => time });
  time += 11 * minute;
  there.received.splice(0);
  await again.start();
  // A start reads in the background what waits. A marker would not wait for that.
  await again.tried(1);
  expect(there.notifications()).toEqual([toUpstream]);
});

test('WS-7 a change of the post tells at once, and of the responses with it', async () => {
  await sender.responseShown(response);
  await sender.change(post, 'updated', post);
  await sender.quiet();
  expect(there.notifications()).toEqual([toUpstream, toUpstream]);
  expect(await after(60)).toEqual([]);
});

test('WS-7 a page that was deleted after its notification is not notified again, however many responses appear', async () => {
  let asked = 0;
  there.site.pages.set('/upstream', (_request, answer) => {
    asked += 1;
    answer.writeHead(404).end();
  });
  for (let round = 1; round <= 3; round += 1) {
    await sender.responseShown(response);
    expect(await after(20)).toEqual([]);
    expect(asked).toBe(round);
  }
  expect(await sender.states(post)).toEqual({ '/upstream': 'sent' });
  expect(sender.events.map(({ state }) => state)).not.toContain('failed');
});

test('WS-7 the owner does not need to wait for the end of a burst', async () => {
  await sender.responseShown(response);
  const again = await sender.retry(page, `${there.origin}/upstream`);
  expect(again).toMatchObject([{ state: 'waiting', words: 'Waiting to be sent.' }]);
  await sender.quiet();
  expect(there.notifications()).toEqual([toUpstream, toUpstream]);
  expect(await after(60)).toEqual([]);
});

test('WS-7 a response that appears during a notification leads to another one ten minutes later', async () => {
  const asked = new Promise<ServerResponse>((resolve) => there.endpoint('/upstream/webmention', resolve));
  await sender.change(post, 'updated', post);
  const answer = await asked;
  await sender.responseShown(response);
  there.add('/upstream');
  answer.writeHead(202).end();
  await sender.quiet();
  expect(await after(9)).toEqual([]);
  expect(await after(2)).toEqual([toUpstream]);
  expect(await after(60)).toEqual([]);
});

test('WS-7 a response holds up no change of the post that waits for its turn', async () => {
  await sender.stop();
  const again = await openSender({ dir, now: () => time });
  await again.change(post, 'updated', post);
  await again.responseShown(response);
  there.received.splice(0);
  await again.start();
  await again.quiet();
  expect(there.notifications()).toEqual([toUpstream]);
  expect(await after(60, again)).toEqual([]);
});
