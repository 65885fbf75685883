import { expect, test } from 'vitest';
import { copyOf, linksIn, linksOf } from '../../../../src-main/mailbox/copies/copied-addresses.ts';

const site = { base: () => 'https://owner.example', pages: () => [{ slug: 'now' }] };
const copied = (markup: string, at = '/') => linksIn(markup, at, site);
const html = { 'content-type': 'text/html; charset=utf-8' };
const page = (text: string) => ({ status: 200, headers: html, body: Buffer.from(text) });

test('links to pages, lists, feeds, pictures and files of this server are copied, and nothing else', () => {
  const own = [
    '/now',
    '/archive',
    '/posts/2026/11/tea',
    '/posts/2026/',
    '/categories/t%C3%A9',
    '/kinds/note',
    '/kinds/note/feed.atom',
    '/media/2026/11/a.png',
    '/photo/0.webp',
    '/favicon.ico?v=1',
  ];
  expect(copied(own.map((path) => `<a href="${path}">`).join(''))).toEqual(own);
  expect(
    copied(
      '<img src="https://owner.example/webmention-pictures/a.webp" srcset="/media/2026/11/b.png 2x, /media/2026/11/c.png">',
    ),
  ).toEqual(['/webmention-pictures/a.webp', '/media/2026/11/b.png', '/media/2026/11/c.png']);
  const others = [
    '/auth',
    '/search',
    '/search?q=a',
    '/token',
    '/micropub',
    '/media',
    '/webmention',
    '/websub',
    '/api/count',
    '/posts/../auth?a=b',
    'https://other.example/posts/2026/11/tea',
    '/posts/2026/11/tea?token=a',
    'mailto:a@b.c',
    '//other.example/',
    'http://',
    '/.well-known/porchlight-mailbox/state',
    '/none',
  ];
  expect(copied(others.map((path) => `<a href="${path}">`).join(''))).toEqual([]);
});

test('only a list itself leads to its other parts, so strangers’ links add none', () => {
  const link = (rel: string, href: string) =>
    copied(`<a rel="${rel}" href="${href}">`, '/kinds/note?after=a');
  expect(link('next', '/kinds/note?after=b')).toEqual(['/kinds/note?after=b']);
  expect(link('prev', '/kinds/note')).toEqual(['/kinds/note']);
  expect(link('nofollow', '/kinds/note?after=b')).toEqual([]);
  expect(link('next', '/kinds/article?after=b')).toEqual([]);
  expect(link('next', '/kinds/note?after=b&x=1')).toEqual([]);
});

test('the parts of a large site’s sitemap are copied', () => {
  const text = ['owner.example/sitemap-2.xml', 'owner.example/posts/a', 'other.example/sitemap-3.xml']
    .map((url) => `<loc>https://${url}</loc>`)
    .join('');
  const answer = { status: 200, headers: {}, body: Buffer.from(text) };
  expect(linksOf('/sitemap.xml', answer, site)).toEqual(['/sitemap-2.xml']);
});

test('an answer that is private, sets a cookie, is too large or is an error is not copied', () => {
  expect(copyOf('/', page('a'))).toMatchObject({ status: 200, headers: html });
  const refused: readonly (readonly [string, string])[] = [
    ['cache-control', 'no-store'],
    ['cache-control', 'private, max-age=1'],
    ['set-cookie', 'a=b'],
  ];
  for (const [name, value] of refused)
    expect(copyOf('/', { ...page('a'), headers: { ...html, [name]: value } })).toBeUndefined();
  for (const status of [204, 206, 302, 304, 401, 404, 410, 413, 500, 301])
    expect(copyOf('/', { ...page('a'), status })).toBeUndefined();
  expect(copyOf('/', { ...page(''), body: Buffer.alloc(2_000_001) })).toBeUndefined();
  expect(copyOf('/', { status: 301, headers: { location: '/b' }, body: Buffer.alloc(0) })?.status).toBe(301);
});

test('the hash changes with the status, each kept header and the body, and with nothing else', () => {
  const hashOf = (headers: Record<string, string>, text = 'a') =>
    copyOf('/', { ...page(text), headers: { ...html, ...headers } })?.hash;
  const usual = hashOf({});
  expect(hashOf({ date: 'now', etag: 'W/"a"', vary: 'accept-encoding' })).toBe(usual);
  expect(hashOf({ 'last-modified': 'now' })).not.toBe(usual);
  expect(hashOf({}, 'b')).not.toBe(usual);
});

test('the place of the note counts bytes, and a page without a body has none', () => {
  const noteAt = (text: string) => copyOf('/', page(text))?.noteAt;
  expect(noteAt('<head><title>é</title></head><body class="a"><p>')).toBe(46);
  expect(noteAt('<head><style><body></style></head>')).toBeNull();
});
