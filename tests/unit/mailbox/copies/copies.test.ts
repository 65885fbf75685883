import { expect, test } from 'vitest';
import { createAddressBook } from '../../../../src-main/mailbox/copies/address-book.ts';
import { copyOf } from '../../../../src-main/mailbox/copies/copyable.ts';
import { linksIn, linksInFeed, noLinks } from '../../../../src-main/mailbox/copies/copied-addresses.ts';

const site = { base: () => 'https://owner.example', pages: () => [{ slug: 'now' }] };
const copied = (markup: string, at = '/') => linksIn(markup, at, site).copied;
const html = { 'content-type': 'text/html; charset=utf-8' };
const page = (text: string) => ({ status: 200, headers: html, body: Buffer.from(text) });

test('links to pages, lists, feeds, pictures and files of this server are copied, and nothing else', () => {
  const own = [
    ...['/now', '/archive', '/posts/2026/11/tea', '/posts/2026/', '/categories/t%C3%A9', '/kinds/note'],
    ...['/kinds/note/feed.atom', '/media/2026/11/a.png', '/photo/0.webp', '/favicon.ico?v=1'],
  ];
  expect(copied(own.map((path) => `<a href="${path}">`).join(''))).toEqual(own);
  expect(
    copied(
      '<img src="https://owner.example/webmention-pictures/a.webp" srcset="/media/2026/11/b.png 2x, /media/2026/11/c.png">',
    ),
  ).toEqual([...['/webmention-pictures/a.webp', '/media/2026/11/b.png', '/media/2026/11/c.png']]);
  const others = [
    ...[
      '/auth',
      '/search',
      '/search?q=a',
      '/token',
      '/micropub',
      '/media',
      '/webmention',
      '/websub',
      '/api/count',
    ],
    ...[
      '/posts/../auth?a=b',
      'https://other.example/posts/2026/11/tea',
      '/posts/2026/11/tea?token=a',
      'mailto:a@b.c',
    ],
    ...['//other.example/', 'http://', '/.well-known/porchlight-mailbox/state', '/none'],
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

test('the files that a feed names are found in each format', () => {
  const file = '/media/2026/11/AbCdEfGhIjKlMnOpQrStUv-tea-cup.webp';
  const url = `https://owner.example${file}`;
  for (const text of [
    `<link rel="enclosure" href="${url}"/>`,
    `<description>&lt;img src=&quot;${url}&quot;&gt;</description>`,
    JSON.stringify({ content_html: `<img src="${url}">` }),
  ])
    expect(linksInFeed(text)).toEqual({ ...noLinks, files: [file] });
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

test('a copy may show what it links to, whatever its page links to now, and anything if its links are unknown', () => {
  const book = createAddressBook();
  const copied = (address: string, ...versions: string[][]) =>
    book.stamps.set(address, {
      hash: 'a',
      bytes: 1,
      links: versions.map((named) => ({ ...noLinks, named })),
    });
  const [post, other] = ['/posts/2026/11/a', '/posts/2026/11/b'];
  copied('/', [post]);
  copied('/?after=a', [other]);
  book.stamps.set('/?after=b', { hash: 'a', bytes: 1 });
  copied('/?after=c', [other], [post]); // a call failed, so either version may be there
  copied('/feed.atom', []);
  copied('/archive', [post]);
  for (const address of ['/', '/?after=a'])
    book.found(address, { change: 0, isCopied: true, links: { ...noLinks, named: [other] } });
  const shown = book.mayShow(['/', '/feed.atom'], [post]);
  expect(shown).toEqual(['/', '/?after=b', '/?after=c', '/feed.atom']);
  expect(book.naming([post])).toEqual(['/', '/?after=c', '/archive']);
  expect(book.mayShow(['/'], undefined)).toEqual(['/', '/?after=a', '/?after=b', '/?after=c']);
});

test('a comparison follows the links of a page that was looked at meanwhile for another reason', () => {
  const book = createAddressBook();
  const links = (...to: string[]) => ({ ...noLinks, named: to, copied: to });
  const look = (address: string, ...to: string[]) => {
    const mark = book.markOf(address);
    book.found(address, { change: book.change(), isCopied: true, links: links(...to) });
    book.settle(address, mark);
  };
  book.begin();
  look('/kinds/photo', '/kinds/photo/feed.atom');
  look('/kinds/photo/feed.atom');
  const since = book.begin();
  book.mark('/', { follow: 'all', since });
  book.begin();
  look('/kinds/photo', '/kinds/photo/feed.atom');
  look('/', '/kinds/photo');
  look('/kinds/photo', '/kinds/photo/feed.atom');
  expect([...book.marked()]).toEqual(['/kinds/photo/feed.atom']);
  look('/kinds/photo/feed.atom');
  look('/', '/kinds/photo');
  expect(book.waiting()).toBe(0);
});
