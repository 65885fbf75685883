import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Copy } from '../../../src-main/platform/mailbox-protocol.ts';
import { edgeScene, type EdgeScene } from '../../support/edge-scene.ts';

const html = '<html><body><p>A post.</p></body></html>';
const page = copy('/posts/one', html, {
  headers: { 'content-type': 'text/html; charset=utf-8', 'x-own': 'yes' },
  noteAt: html.indexOf('<p>'),
});
const large = copy('/media/large.jpg', randomBytes(1_999_999), {
  headers: { 'content-type': 'image/jpeg', 'cache-control': 'public, max-age=31536000' },
});

let scene: EdgeScene;
let asleepAfter: number;
beforeAll(async () => {
  scene = await edgeScene();
  await scene.client.store([
    page,
    large,
    copy('/notes?page=2', 'second page'),
    copy('/feed.xml', '<feed/>'),
    copy('/old', '', { status: 301, headers: { location: '/posts/one' } }),
    copy('/.well-known/webfinger', '', {
      status: 301,
      headers: { location: 'https://fed.brid.gy/.well-known/webfinger' },
    }),
    copy('/deleted', 'soon deleted'),
    copy('/hidden', 'soon hidden'),
  ]);
  await scene.client.call('remove', { addresses: ['/deleted', '/never-copied'], gone: true });
  await scene.client.call('remove', { addresses: ['/hidden'], gone: false });
  asleepAfter = Date.now();
  await scene.client.call('away', { kind: 'asleep' });
  scene.behave('broken');
});
afterAll(() => scene.stop());

function hashOf(address: string): string {
  return createHash('sha256').update(address).digest('hex');
}

function copy(address: string, body: string | Uint8Array, more: Partial<Copy> = {}): Copy {
  return {
    address,
    hash: hashOf(address),
    status: 200,
    headers: { 'content-type': 'text/plain' },
    noteAt: null,
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    ...more,
  };
}

test.each(['', '?resource=acct%3Ahome.test%40home.test', '?resource=acct:home.test@home.test&rel=self'])(
  'the fediverse is led to Bridgy Fed with the query “%s”',
  async (query) => {
    const response = await fetch(`${scene.url}/.well-known/webfinger${query}`, { redirect: 'manual' });
    expect(response.status).toBe(301);
    expect(response.headers.get('location')).toBe(`https://fed.brid.gy/.well-known/webfinger${query}`);
  },
);

test('a redirect whose copy isn’t there is answered like any other address', async () => {
  const response = await fetch(`${scene.url}/.well-known/host-meta?x=y`, { redirect: 'manual' });
  expect(response.status).toBe(503);
});

test('a page is served with its headers and a note that says when the copy was made', async () => {
  const response = await scene.get('/posts/one');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('x-own')).toBe('yes');
  const body = await response.text();
  const note =
    /^<html><body><div class="copy-note" role="note">This is a copy from <time datetime="([^"]+)">\d+ \w+ \d{4}, \d\d:\d\d UTC<\/time>\. The server is asleep\.<\/div><p>A post\.<\/p><\/body><\/html>$/;
  expect(body).toMatch(note);
  expect(Date.parse(note.exec(body)?.[1] ?? '')).toBeGreaterThanOrEqual(asleepAfter);
});

test('a page with the note is not kept by browsers, and its ETag differs from the server’s', async () => {
  const { headers } = await scene.get('/posts/one');
  expect(headers.get('cache-control')).toBe('no-cache');
  expect(headers.get('etag')).toMatch(/^W\/"copy-[0-9a-f]{32}-\w+"$/);
  expect((await scene.get('/posts/one', { 'if-none-match': 'W/"abc"' })).status).toBe(200);
});

test('a picture of 2 MB arrives unchanged, with its own headers', async () => {
  const response = await scene.get('/media/large.jpg');
  expect(Buffer.from(await response.arrayBuffer()).equals(large.body)).toBe(true);
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000');
  expect(response.headers.get('content-length')).toBe('1999999');
});

test('a copy that the browser already has is not sent again', async () => {
  const own = `"copy-${hashOf('/media/large.jpg').slice(0, 32)}"`;
  for (const tag of [own, `W/${own}`, `"other", ${own}`, '*']) {
    const response = await scene.get('/media/large.jpg', { 'if-none-match': tag });
    expect([response.status, await response.text()]).toEqual([304, '']);
    expect(response.headers.get('etag')).toBe(`W/${own}`);
  }
  const etag = (await scene.get('/posts/one')).headers.get('etag') ?? '';
  expect((await scene.get('/posts/one', { 'if-none-match': etag })).status).toBe(304);
  expect((await scene.get('/media/large.jpg', { 'if-none-match': '"other"' })).status).toBe(200);
});

test('HEAD has the headers of GET and no body', async () => {
  const response = await fetch(`${scene.url}/media/large.jpg`, { method: 'HEAD' });
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(response.headers.get('content-length')).toBe('1999999');
  expect(response.headers.get('etag')).toMatch(/^W\/"copy-/);
});

test('a deleted page is gone, and a page that is no longer public is unknown', async () => {
  expect((await scene.get('/deleted')).status).toBe(410);
  expect((await scene.get('/never-copied')).status).toBe(410);
  expect((await scene.get('/hidden')).status).toBe(503);
});

test('a copy of a redirect redirects', async () => {
  const response = await scene.get('/old');
  expect([response.status, response.headers.get('location')]).toEqual([301, '/posts/one']);
});

test('a page is found by its query, but not by the visitor’s referrer', async () => {
  const found = async (path: string) => (await scene.get(path)).status;
  expect(await (await scene.get('/notes?page=2')).text()).toBe('second page');
  expect(await found('/notes?utm_source=a&page=2&fbclid=b&gclid=c&mc_cid=d&mc_eid=e')).toBe(200);
  expect(await found('/posts/one?utm_medium=x')).toBe(200);
  expect(await found('/notes?page=3')).toBe(503);
  expect(await found('/posts/one?page=2')).toBe(503);
});

test('a page is found however its address is encoded', async () => {
  const copy = { address: '/categories/caf%C3%A9', hash: 'one', status: 200, headers: {}, noteAt: null };
  await scene.client.store([{ ...copy, body: new TextEncoder().encode('coffee') }]);
  for (const path of ['/categories/caf%C3%A9', '/categories/caf%c3%a9'])
    expect(await (await scene.get(path)).text()).toBe('coffee');
  await scene.client.call('remove', { addresses: [copy.address], gone: false });
});

test('the copies are listed in order, in parts, without those that are gone', async () => {
  const first = await scene.client.call('copies', { limit: 4 });
  expect(first.copies.map(({ address }) => address)).toEqual([
    '/.well-known/webfinger',
    '/feed.xml',
    '/media/large.jpg',
    '/notes?page=2',
  ]);
  expect(first.copies[1]?.hash).toBe(hashOf('/feed.xml'));
  expect(first.next).toBe('/notes?page=2');
  const second = await scene.client.call('copies', { after: '/notes?page=2', limit: 3 });
  expect(second.copies.map(({ address }) => address)).toEqual(['/old', '/posts/one']);
  expect(second.next).toBeNull();
  expect(await scene.client.call('state', {})).toMatchObject({ copies: 6 });
});

test('a copy replaces the one before it, and a page that is gone can come back', async () => {
  await scene.client.store([copy('/feed.xml', 'new', { hash: 'two' }), copy('/deleted', 'back')]);
  expect(await (await scene.get('/feed.xml')).text()).toBe('new');
  expect(await (await scene.get('/deleted')).text()).toBe('back');
  expect(await scene.client.call('state', {})).toMatchObject({ copies: 7 });
  expect(await scene.client.call('remove', { addresses: ['/deleted'], gone: true })).toEqual({ removed: 1 });
  expect(await scene.client.call('state', {})).toMatchObject({ copies: 6 });
});
