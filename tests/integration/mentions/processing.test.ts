import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { page } from '../../support/client-app.ts';
import { jsonOf } from '../../support/answers.ts';
import { openWebmention, replyTo, target, type WebmentionServer } from '../../support/webmention-server.ts';

let server: WebmentionServer;
beforeEach(async () => {
  server = await openWebmention();
});
afterEach(() => server.close());

/** Sends a mention, has it verified and answers what its status page says. */
async function sent(source: string, to = target): Promise<Record<string, unknown>> {
  const response = await server.send(source, to);
  expect(response.status).toBe(201);
  await server.process();
  return jsonOf(await fetch(response.headers.get('location') ?? ''));
}

const nothing = { processed: 0, approved: 0, updated: 0, removed: 0, failed: 0, waiting: 0 };
/** Long enough for the same pair to be sent again. */
const later = () => (server.clock.now += 31_000);

test('WR-7 a source that links the target becomes a mention, and its status page says so', async () => {
  const source = server.publish('/reply', replyTo(target));
  await server.send(source, target);
  expect(await server.process()).toEqual({ ...nothing, processed: 1, approved: 1 });
  const mention = await server.store.find(source, target);
  expect(mention).toMatchObject({
    status: 'approved',
    facts: { type: 'reply', content: { value: 'Well said.' } },
  });
  expect(server.events).toEqual([{ what: 'received', mention }]);
});

test('WR-11 the status page reports success, and hides the owner’s decision', async () => {
  const source = server.publish('/reply', replyTo(target));
  const progress = await sent(source);
  expect(progress).toMatchObject({ status: 'success', source, target });
  const mention = await server.store.find(source, target);
  await server.store.setStatus(mention!.id, 'deleted', 'owner');
  later();
  expect(await sent(source)).toEqual(progress);
  expect((await server.store.find(source, target))?.status).toBe('deleted');
});

test('the text of a source is kept for the owner alone, and each reading replaces it', async () => {
  const plain = (words: string) => `<title>Links</title><p>${words} <a href="${target}">this</a>.</p>`;
  const source = server.publish('/links', plain('Read'));
  await sent(source);
  const snapshot = async () => (await server.store.find(source, target))?.snapshot;
  expect((await snapshot())?.text).toContain('Read this.');
  server.publish('/links', plain('Do read'));
  later();
  await sent(source);
  expect((await snapshot())?.text).toContain('Do read this.');
  const listing = await server.get(`/webmentions?url=${encodeURIComponent(target)}`);
  expect(await listing.text()).not.toContain('Do read');
});

test('a mention for which the page has no room fails, and the owner reads why', async () => {
  const source = server.publish('/reply', replyTo(target));
  const full = new PorchlightError('page_full', 'This page holds as many mentions as it can.', 503);
  server.store.keep = () => Promise.reject(full);
  expect(await sent(source)).toMatchObject({ status: 'failed', summary: full.message });
  expect(server.refusals).toEqual([expect.stringContaining(`${target} has reached its limit of mentions`)]);
});

test('WR-7 a source without the link fails with a message, and nothing is kept', async () => {
  const source = server.publish('/other', '<p>https://ada.example/2026/post</p>');
  expect(await sent(source)).toMatchObject({
    status: 'failed',
    summary: 'The source does not link to the target.',
  });
  expect(server.store.size).toBe(0);
});

test('WR-10 a source that is not there (404), for something new, fails', async () => {
  const progress = await sent(`${server.site.origin}/nowhere`);
  expect(progress['status']).toBe('failed');
});

test('WR-9 a mention that comes in again is brought up to date, never doubled', async () => {
  const source = server.publish('/reply', replyTo(target, 'First.'));
  await sent(source);
  server.publish('/reply', replyTo(target, 'Second.'));
  later();
  await server.send(source, target);
  expect(await server.process()).toEqual({ ...nothing, processed: 1, updated: 1 });
  expect(server.store.size).toBe(1);
  expect((await server.store.find(source, target))?.facts.content?.value).toBe('Second.');
  expect(server.events.map(({ what }) => what)).toEqual(['received', 'changed']);
});

test.each([
  ['without the link', '<p>Nothing</p>', 200],
  ['that answers 410', 'Gone', 410],
  ['that says 410 in a meta element', '<meta http-equiv="status" content="410 Gone">', 200],
])('WR-10 a source %s withdraws its mention; with the link, it comes back', async (_name, html, status) => {
  const source = server.publish('/reply', replyTo(target));
  await sent(source);
  server.publish('/reply', html, status);
  later();
  expect((await sent(source))['status']).toBe('removed');
  expect((await server.store.find(source, target))?.status).toBe('removed');
  server.publish('/reply', replyTo(target));
  later();
  expect((await sent(source))['status']).toBe('success');
  expect((await server.store.find(source, target))?.status).toBe('approved');
});

test.each([404, 500])('WR-10 a source that answers %i takes nothing away', async (status) => {
  const source = server.publish('/reply', replyTo(target));
  await sent(source);
  server.publish('/reply', 'Oh', status);
  later();
  await sent(source);
  expect((await server.store.find(source, target))?.status).toBe('approved');
});

test('WR-5 a repeat within 30 seconds is accepted, and verified once after them', async () => {
  const source = server.publish('/reply', replyTo(target));
  await sent(source);
  const before = server.site.requests.length;
  server.clock.now += 5_000;
  for (let time = 0; time < 5; time += 1) {
    const again = await server.send(source, target);
    expect(again.status).toBe(201);
    expect(again.headers.get('location')).toMatch(/\/webmention\/[\w-]+$/);
    expect(await server.process()).toMatchObject({ processed: 0, waiting: 1 });
  }
  // Deleted after it was sent again: what counts is what the source says then.
  server.publish('/reply', 'Gone', 410);
  server.clock.now += 25_000;
  expect(await server.process()).toMatchObject({ processed: 1, removed: 1, waiting: 0 });
  expect(server.site.requests).toHaveLength(before + 1);
  expect((await server.store.find(source, target))?.status).toBe('removed');
});

test('a server at fault is asked again, with growing pauses, and in the end given up', async () => {
  const source = server.publish('/reply', 'Oh', 503);
  const { headers } = await server.send(source, target);
  const progress = async () => jsonOf(await fetch(headers.get('location') ?? ''));
  for (let tries = 1; tries <= 5; tries += 1) {
    server.clock.now += 86_400_000;
    expect(await server.process()).toEqual({ ...nothing, processed: 1, waiting: 1 });
    expect(await progress()).toMatchObject({
      status: 'pending',
      summary: expect.stringContaining('503') as string,
    });
  }
  server.clock.now += 86_400_000;
  expect(await server.process()).toEqual({ ...nothing, processed: 1, failed: 1 });
  expect(await progress()).toMatchObject({ status: 'failed' });
});

test('a server that has recovered is read when somebody asks for it', async () => {
  const source = server.publish('/reply', 'Oh', 503);
  await server.send(source, target);
  await server.get('/process');
  server.publish('/reply', replyTo(target));
  expect(await jsonOf(await server.get('/process'))).toMatchObject({ processed: 1, approved: 1, waiting: 0 });
});

test('each mention is held if the owner holds everything', async () => {
  server.settings.hold = 'everything';
  const source = server.publish('/reply', replyTo(target));
  await server.send(source, target);
  expect(await server.process()).toEqual({ ...nothing, processed: 1 });
  expect((await server.store.find(source, target))?.status).toBe('held');
});

test('strangers wait for the owner; a site that the owner approved once, or trusts, does not', async () => {
  server.settings.hold = 'strangers';
  const [first, second] = ['/1', '/2'].map((path) => server.publish(path, replyTo(target)));
  await sent(first!);
  const mention = await server.store.find(first!, target);
  expect(mention?.status).toBe('held');
  await server.store.setStatus(mention!.id, 'approved', 'owner');
  await sent(second!);
  expect((await server.store.find(second!, target))?.status).toBe('approved');
});

const byAuthor = (author: string, words = 'Well said.') =>
  `<div class="h-entry"><a class="u-in-reply-to" href="${target}">this</a> <p class="e-content">${words}</p>
   <a class="p-author h-card" href="${author}">Somebody</a></div>`;
const statusOf = async (source: string) => (await server.store.find(source, target))?.status;

test('BR1 who was approved through a bridge is known there; others on the bridge, and the same name from elsewhere, wait', async () => {
  server.settings.hold = 'strangers';
  const [first, second, other, nobody] = [
    server.publish('/bridge/1', byAuthor('https://social.example/@ada')),
    server.publish('/bridge/2', byAuthor('HTTP://Social.example/@ada/#me')),
    server.publish('/bridge/3', byAuthor('https://social.example/@bo')),
    server.publish('/bridge/4', replyTo(target)),
  ];
  await sent(first);
  const mention = await server.store.find(first, target);
  await server.store.setStatus(mention!.id, 'approved', 'owner');
  for (const source of [second, other, nobody]) await sent(source);
  expect(await statusOf(second)).toBe('approved');
  expect(await statusOf(other)).toBe('held');
  expect(await statusOf(nobody)).toBe('held');
  const claimed = server.publish('/claims', byAuthor('https://social.example/@ada'));
  const elsewhere = claimed.replace('127.0.0.1', 'localhost');
  await sent(elsewhere);
  expect(await statusOf(elsewhere)).toBe('held');
});

test('BR1 mentions of a blocked person are refused from any source, and those of others are kept', async () => {
  await server.blocks.people.add('https://social.example/@bo/');
  for (const [index, author] of ['https://social.example/@bo', 'http://SOCIAL.example/@bo#x'].entries()) {
    const source = server.publish(`/blocked/${index}`, byAuthor(author));
    expect(await sent(source)).toMatchObject({
      status: 'failed',
      summary: 'The owner does not accept this mention.',
    });
    expect(await statusOf(source)).toBeUndefined();
  }
  const other = server.publish('/other', byAuthor('https://social.example/@bob'));
  await sent(other);
  expect(await statusOf(other)).toBe('approved');
});

test('a blocked site covers authors whose address is on it', async () => {
  await server.blocks.sites.add('social.example');
  const source = server.publish('/bridge/1', byAuthor('https://m.social.example/@bo'));
  expect((await sent(source))['status']).toBe('failed');
});

test('a hidden mention whose source names another author than the blocked one waits for the owner', async () => {
  const source = server.publish('/1', byAuthor('https://social.example/@bo'));
  await sent(source);
  await server.blocks.people.add('https://social.example/@bo');
  expect(await statusOf(source)).toBe('hidden');
  server.publish('/1', byAuthor('https://social.example/@bo2'));
  later();
  await sent(source);
  expect(await statusOf(source)).toBe('held');
});

test('a trusted site that redirects to another site gets only that site’s trust', async () => {
  server.settings.hold = 'strangers';
  server.settings.trustedDomains = ['127.0.0.1'];
  const trusted = server.publish('/trusted', replyTo(target));
  await sent(trusted);
  expect((await server.store.find(trusted, target))?.status).toBe('approved');
  const elsewhere = server.publish('/elsewhere', replyTo(target)).replace('127.0.0.1', 'localhost');
  server.site.pages.set('/leads', page('', { location: elsewhere }, 302));
  const leads = `${server.site.origin}/leads`;
  await sent(leads);
  expect((await server.store.find(leads, target))?.status).toBe('held');
});

test('a site that was blocked while its mention waited is not even read', async () => {
  const source = server.publish('/reply', replyTo(target));
  await server.send(source, target);
  await server.blocks.sites.add('127.0.0.1');
  expect(await server.process()).toEqual({ ...nothing, processed: 1, failed: 1 });
  expect(server.site.requests).toEqual([]);
  expect(server.store.size).toBe(0);
});

test('a source that leads to a blocked site is not kept', async () => {
  await server.blocks.sites.add('localhost');
  const elsewhere = server.publish('/elsewhere', replyTo(target)).replace('127.0.0.1', 'localhost');
  server.site.pages.set('/leads', page('', { location: elsewhere }, 302));
  await server.send(`${server.site.origin}/leads`, target);
  expect(await server.process()).toMatchObject({ failed: 1 });
  expect(server.store.size).toBe(0);
});

test('WR-6 a source on the owner’s own network gets no request, and its status looks like that of a silent server', async () => {
  const guarded = await openWebmention({ allowPrivate: false });
  onTestFinished(() => guarded.close());
  const { headers } = await guarded.send(guarded.publish('/reply', replyTo(target)), target);
  expect(await guarded.process()).toMatchObject({ processed: 1, failed: 0, waiting: 1 });
  expect(await jsonOf(await fetch(headers.get('location') ?? ''))).toMatchObject({
    status: 'pending',
    summary: 'This server will try again. The other server could not be reached.',
  });
  expect(guarded.site.requests).toEqual([]);
});

test(
  'in the background, incoming mentions are verified without being asked',
  { timeout: 270_000 },
  async () => {
    server.work.start();
    const source = server.publish('/reply', replyTo(target));
    await server.send(source, target);
    await expect.poll(() => server.store.find(source, target), { timeout: 180_000 }).toBeDefined();
  },
);

test('WR-13 a mention that cannot be written to disk is not acknowledged: 507, without the reason', async () => {
  const full = new PorchlightError('storage_full', 'There is no space left at /data/records.sqlite.', 507);
  vi.spyOn(server.records, 'write').mockRejectedValue(full);
  const answer = await server.send('https://bea.example/note', target);
  expect(answer.status).toBe(507);
  expect(await answer.text()).not.toMatch(/records|data/);
  expect(server.webmention.waiting()).toBe(0);
});
