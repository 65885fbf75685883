import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

let porchlight: Porchlight;
let url: string;

beforeAll(async () => {
  porchlight = await startPorchlight();
  ({ url } = await porchlight.call('posts.create', {
    text: 'Light',
    format: 'plain',
    status: 'published',
    visibility: 'public',
    slug: 'light',
    categories: ['Lamp', 'a/b'],
    photos: [],
  }));
  await porchlight.call('settings.update', { site: { pages: [{ slug: 'now', title: 'Now', text: 'Tea' }] } });
});
afterAll(() => porchlight.remove());

/** Requests exactly this path, which may not be a URL. Returns the status, and the location of a redirect. */
function ask(
  path: string,
  method = 'GET',
  accept = '*/*',
): Promise<[number | undefined, string | undefined]> {
  const { hostname, port } = new URL(porchlight.base);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method, headers: { accept } }, (answer) => {
      answer.resume();
      resolve([answer.statusCode, answer.headers.location]);
    })
      .on('error', reject)
      .end();
  });
}

const spellings: readonly (readonly [asked: string, right: string])[] = [
  ['/posts/YYYY/MM/light/', '/posts/YYYY/MM/light'],
  ['/categories/Lamp/', '/categories/Lamp'],
  ['/categories/a%2Fb/', '/categories/a%2Fb'],
  ['/kinds/note/', '/kinds/note'],
  ['/categories/', '/categories'],
  ['/archive/', '/archive'],
  ['/now/', '/now'],
  ['/feed', '/feed.rss'],
  ['/feed/', '/feed.rss'],
  ['/rss', '/feed.rss'],
  ['/rss/', '/feed.rss'],
  ['/rss.xml', '/feed.rss'],
  ['/index.xml', '/feed.rss'],
  ['/atom.xml', '/feed.atom'],
  ['/feed.xml', '/feed.atom'],
  ['/feed.atom/', '/feed.atom'],
  ['/categories/Lamp/feed/', '/categories/Lamp/feed.rss'],
  ['/categories/Lamp/feed.json/', '/categories/Lamp/feed.json'],
];

/** Puts the year and the month of the post into a path. */
const dated = (path: string) => path.replace('/posts/YYYY/MM/', new URL('.', url).pathname);

test.each(spellings)('X08: %s redirects to %s, which exists', async (asked, right) => {
  const location = porchlight.base + dated(right);
  for (const method of ['GET', 'HEAD'])
    for (const accept of ['*/*', 'text/html'])
      expect(await ask(dated(asked), method, accept)).toEqual([301, location]);
  // The query leads to a page of a list, so it stays.
  expect(await ask(`${dated(asked)}?after=x&y=%E2%9C%93`)).toEqual([301, `${location}?after=x&y=%E2%9C%93`]);
  expect((await ask(dated(right)))[0]).toBe(200);
});

test('an old URL with a slash redirects at once to the post’s current URL', async () => {
  const { url: old } = await porchlight.call('posts.create', {
    text: 'Old',
    format: 'plain',
    status: 'published',
    visibility: 'public',
    slug: 'old',
    categories: [],
    photos: [],
  });
  const { url: moved } = await porchlight.call('posts.update', { url: old, slug: 'newer' });
  expect(await ask(`${new URL(old).pathname}/`)).toEqual([301, moved]);
  await porchlight.call('posts.delete', { url: moved });
  expect((await ask(`${new URL(moved).pathname}/`))[0]).toBe(410);
  await porchlight.call('posts.undelete', { url: moved });
  await porchlight.call('posts.update', { url: moved, visibility: 'private' });
  expect(await ask(`${new URL(old).pathname}/`)).toEqual([404, undefined]);
  expect(await ask(`${new URL(moved).pathname}/`)).toEqual([404, undefined]);
});

test.each([
  '//evil.example',
  '//evil.example/',
  '//evil.example/feed/',
  '//feed/',
  '/\\evil.example/',
  '/%2F%2Fevil.example/',
  '/%5Cevil.example/',
  '/posts//evil.example/',
  '/categories//evil.example/',
  '/.//evil.example/',
])('%s leads to no other server', async (path) => {
  const [, location] = await ask(path);
  if (location !== undefined) expect(new URL(location).origin).toBe(porchlight.base);
  if (location !== undefined) expect(location.startsWith(`${porchlight.base}/`)).toBe(true);
});

test('a spelling of a page that does not exist answers 404, and other methods are not redirected', async () => {
  expect(await ask('/nothing/')).toEqual([404, undefined]);
  expect(await ask(`${new URL('.', url).pathname}nothing/`)).toEqual([404, undefined]);
  for (const path of ['/feed/', '/now/', `${new URL(url).pathname}/`])
    expect((await ask(path, 'POST'))[1]).toBeUndefined();
});
