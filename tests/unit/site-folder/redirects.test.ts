import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withRedirects as withPages } from '../../../src-main/site-folder/publishing/file-publisher.ts';
import type { HostFormat } from '../../../src-main/posts/files/addresses.ts';

type Homes = Parameters<typeof withPages>[1]['moved'];
const withRedirects = (
  text: string,
  moved: Homes,
  base: string,
  gone: Homes = [],
  format: HostFormat = 'redirects',
) => withPages(text, { moved, gone }, base, format);

const baseUrl = 'https://me.example/blog/';
const homeAt = (url: string, ...former: string[]) => ({
  url: `${baseUrl}${url}`,
  former: former.map((one) => (one.startsWith('https:') ? one : `${baseUrl}${one}`)),
});

test('each former address on the site gets a line, before the owner’s', () => {
  const owners = '/old /new 301\n/* /index.html 200\n';
  const homes = [
    homeAt('fog/', 'first/', 'zweite%20Seite/', 'https://elsewhere.example/x'),
    homeAt('a:b*', 'x*/'),
  ];
  const text = withRedirects(owners, homes, baseUrl);
  expect(text.split('\n').slice(1)).toEqual([
    '/blog/first/ /blog/fog/ 301',
    '/blog/zweite%20Seite/ /blog/fog/ 301',
    '/blog/x%2A/ /blog/a%3Ab%2A 301',
    '# Porchlight: end',
    ...owners.split('\n'),
  ]);
  expect(text).toMatch(/^# Porchlight: /);
});

test.each<HostFormat>(['redirects', 'netlify', 'apache'])(
  'no line of the format %s leads from a page to itself, however the page’s URL is written',
  (format) => {
    const moved = [
      homeAt('fog/', 'fog/', 'fog/?page=2', 'fog/#top', 'f%6Fg/', 'first/'),
      homeAt('a:b', 'a%3Ab'),
      homeAt('caf%C3%A9/', 'caf%c3%a9/', 'café/'),
    ];
    const lines = withRedirects('', moved, baseUrl, [], format).split('\n');
    expect(lines.filter((line) => line.includes('301'))).toEqual([expect.stringContaining('first')]);
  },
);

test('paths for the fediverse lead to the same paths of the bridge, before all other lines', () => {
  const bridged = { paths: ['/.well-known/webfinger'], to: 'https://fed.brid.gy/' };
  const moved = [homeAt('fog/', 'first/')];
  const linesOf = (format: HostFormat) =>
    withPages('/mine /yours 301\n', { moved, gone: [], bridged }, baseUrl, format).split('\n').slice(1, 3);
  const line = '/.well-known/webfinger https://fed.brid.gy/.well-known/webfinger 301';
  expect(linesOf('redirects')).toEqual([line, '/blog/first/ /blog/fog/ 301']);
  expect(linesOf('netlify')[0]).toBe(line);
  expect(linesOf('apache')[1]).toBe(
    'RedirectMatch 301 "^/\\x2ewell-known/webfinger$" "https://fed.brid.gy/.well-known/webfinger"',
  );
  const text = withPages('/mine /yours 301\n', { moved: [], gone: [], bridged }, baseUrl, 'redirects');
  expect(withPages(text, { moved: [], gone: [] }, baseUrl, 'redirects')).toBe('/mine /yours 301\n');
});

test('pages of deleted posts answer 410, with their former addresses, if the host supports it', () => {
  const moved = [homeAt('fog/', 'first/')];
  const gone = [homeAt('tea/', 'cup/', 'https://elsewhere.example/x')];
  const lines = (format: HostFormat) =>
    withRedirects('', moved, baseUrl, gone, format).split('\n').slice(1, -2);
  expect(lines('redirects')).toEqual(['/blog/first/ /blog/fog/ 301']);
  expect(lines('netlify')).toEqual([
    '/blog/first/ /blog/fog/ 301',
    '/blog/tea/ /404.html 410',
    '/blog/cup/ /404.html 410',
  ]);
  expect(lines('apache')).toEqual([
    '<If "! -e %{REQUEST_FILENAME}">',
    String.raw`RedirectMatch 301 "^/blog/first(?:/(?:index\.html)?)?$" "/blog/fog/"`,
    String.raw`RedirectMatch gone "^/blog/tea(?:/(?:index\.html)?)?$"`,
    String.raw`RedirectMatch gone "^/blog/cup(?:/(?:index\.html)?)?$"`,
    '</If>',
  ]);
});

test('no line for Apache has a sign with a meaning', () => {
  const moved = [homeAt('new $1&"%C3%B6', 'a.b(c)%22%0A%5C%E4%B8%80.html')];
  expect(withRedirects('', moved, baseUrl, [], 'apache').split('\n')[2]).toBe(
    String.raw`RedirectMatch 301 "^/blog/a\x2eb\x28c\x29\x22\x0a\x5c一\x2ehtml$" "/blog/new \$1\&\"ö"`,
  );
});

test('no more lines than hosts read', () => {
  const homes = Array.from({ length: 3000 }, (_, index) => homeAt(`${index}/`, `old-${index}/`));
  expect(withRedirects('', homes, baseUrl).trim().split('\n')).toHaveLength(902);
});

test('the owner’s lines stay byte for byte, wherever they moved Porchlight’s', () => {
  const lines = fc.array(
    fc.constantFrom('/a /b 301', '', '# Mine', '/* /404 404', '# Porchlight: end', '  ', 'ü'),
    { maxLength: 6 },
  );
  const ending = fc.constantFrom('\n', '\r\n');
  fc.assert(
    fc.property(lines, lines, ending, fc.boolean(), (above, below, newline, isTerminated) => {
      const [before, after] = [above, below].map((some) => some.map((one) => one + newline).join(''));
      const owners = `${before ?? ''}${after ?? ''}${isTerminated ? '' : 'last'}`;
      const first = withRedirects(owners, [homeAt('fog/', 'first/')], baseUrl);
      expect(withRedirects(first, [], baseUrl)).toBe(owners);
      // The owner has moved the block below some lines of their own.
      const block = first.slice(0, first.length - owners.length);
      const moved = `${before ?? ''}${block}${after ?? ''}`;
      expect(withRedirects(moved, [], baseUrl)).toBe(`${before ?? ''}${after ?? ''}`);
      expect(withRedirects(moved, [homeAt('fog/', 'first/')], baseUrl)).toBe(
        `${block}${before ?? ''}${after ?? ''}`,
      );
    }),
  );
});

test('a block without its end is the owner’s', () => {
  const [begin = ''] = withRedirects('', [homeAt('fog/', 'first/')], baseUrl).split('\n');
  expect(withRedirects(`${begin}\n/a /b\n`, [], baseUrl)).toBe(`${begin}\n/a /b\n`);
});
