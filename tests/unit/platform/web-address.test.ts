import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonical,
  isLoopbackHost,
  parseClientId,
  parseProfileUrl,
  sameUrl,
} from '../../../src-main/platform/web-address.ts';

/** What no address of either kind may look like. */
const badForBoth = [
  'example.com',
  'mailto:user@example.com',
  'ftp://example.com/',
  'https://example.com/foo/../bar',
  'https://example.com/foo/./bar',
  'https://example.com/foo/..',
  'https://example.com/.',
  'https://example.com/#me',
  'https://example.com/#',
  'https://user:pass@example.com/',
  'https://user@example.com/',
  'https://@example.com/',
  'https://172.28.92.51/',
  'https://12.56.12.5/',
  'https://[2001:db8::1]/',
  '',
  'https://',
  'https:///path',
  'https:/example.com/',
  'https:example.com',
  '//example.com/',
];

describe('profile URLs', () => {
  test.each([
    'https://example.com/',
    'https://example.com/username',
    'https://example.com/users?id=100',
    'http://example.com/',
    'https://example.com',
    'HTTPS://Example.COM/Path',
    'https://example.com/..well/a..b/...',
    'https://bücher.example/',
  ])('IA-30 %s is one', (text) => {
    expect(parseProfileUrl(text)?.href).toBe(new URL(text).href);
  });

  test.each([
    ...badForBoth,
    'https://example.com:8443/',
    'https://example.com:443/',
    'https://example.com:/',
    'https://127.0.0.1/',
    'http://127.0.0.1:4567/',
    'https://[::1]/',
    'http://localhost:4567/',
  ])('IA-31 “%s” is invalid', (text) => {
    expect(parseProfileUrl(text)).toBeNull();
  });

  test.each(['http://localhost:4567/', 'http://127.0.0.1:4567/me', 'http://[::1]:4567/'])(
    'IA-31 %s is one where development allows loopback',
    (text) => {
      expect(parseProfileUrl(text, { allowLoopback: true })?.href).toBe(text);
    },
  );

  test.each(['https://example.com:8443/', 'https://172.28.92.51/', 'http://127.0.0.2/', 'http://0x7f.1/'])(
    'IA-31 %s is invalid even there',
    (text) => {
      expect(parseProfileUrl(text, { allowLoopback: true })).toBeNull();
    },
  );
});

describe('client identifiers', () => {
  test.each([
    'https://example.com/',
    'https://example.com:8443/',
    'https://127.0.0.1/',
    'http://127.0.0.1:4567/',
    'https://[::1]/',
    'http://localhost:4567/',
    'https://example.com/users?id=100',
    'https://example.com',
    'http://example.com/',
    'https://example.com/client.json',
  ])('IA-32 %s is one', (text) => {
    expect(parseClientId(text)?.href).toBe(new URL(text).href);
  });

  test.each([
    ...badForBoth,
    'https://127.0.0.2/',
    'https://0.0.0.0/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
  ])('IA-33 “%s” is invalid', (text) => {
    expect(parseClientId(text)).toBeNull();
  });

  test.each([
    'https://example.com/%2e%2e/bar',
    'https://example.com/a/%2E/b',
    'https://example.com/a/.%2e/b',
    'https://example.com/a/%2E.',
    'https://example.com\\..\\bar',
    'https://example.com/a\\..\\b',
  ])('IA-34 dot segments are found in the raw text: %s', (text) => {
    expect(parseClientId(text)).toBeNull();
    expect(parseProfileUrl(text)).toBeNull();
  });

  test.each([
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://127.1/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://１２７.0.0.1/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://3232235521/',
  ])('IA-34 odd spellings of an address are none: %s', (text) => {
    expect(parseClientId(text)).toBeNull();
    expect(parseProfileUrl(text)).toBeNull();
  });

  test.each([
    ['a tab that the parser drops', 'https://exam\tple.com/'],
    ['a line break that the parser drops', 'https://example.com/.\n./a'],
    ['a space before', ' https://example.com/'],
    ['a space after', 'https://example.com/ '],
    ['a null character', 'https://example.com/\u0000'],
    ['a character that turns the reading direction', 'https://example.com/\u202Emoc.knab'],
    ['a character of no width', 'https://example\u200B.com/'],
    ['a quotation mark', 'https://example.com/"onload="x'],
    ['an angle bracket', 'https://example.com/<script>'],
  ])('IA-34 an address with %s is invalid', (_, text) => {
    expect(parseClientId(text)).toBeNull();
    expect(parseProfileUrl(text)).toBeNull();
  });

  test('IA-34 any accepted text is an http(s) address without user, fragment and dot segments', () => {
    const piece = fc.constantFrom(
      ...[
        'https://',
        'http://',
        'a.example',
        '127.0.0.1',
        '[::1]',
        ':80',
        '/',
        '.',
        '..',
        '%2e',
        '#',
        '?',
        '@',
        'x',
        '\\',
        '\t',
        ' ',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), fc.constantFrom('', 'https://'), (pieces, start) => {
        const text = start + pieces.join('');
        const url = parseClientId(text);
        if (!url) return;
        expect(url.protocol).toMatch(/^https?:$/);
        expect({ hash: url.hash, user: url.username, password: url.password }).toEqual({
          hash: '',
          user: '',
          password: '',
        });
        expect(text).not.toContain('#');
        expect(url.pathname.split('/').length).toBe(Math.max(2, text.split('?')[0]!.split('/').length - 2));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('comparing', () => {
  test('IA-35 no path is the same as /', () => {
    expect(sameUrl('https://example.com', 'https://example.com/')).toBe(true);
    expect(sameUrl('https://example.com?a=b', 'https://example.com/?a=b')).toBe(true);
    expect(canonical('https://example.com')).toBe('https://example.com/');
  });

  test('IA-35 a slash after a path is a difference', () => {
    expect(sameUrl('https://example.com/app', 'https://example.com/app/')).toBe(false);
  });

  test('IA-36 the case of the host does not count, that of the path does', () => {
    expect(sameUrl('https://Example.COM/a', 'https://example.com/a')).toBe(true);
    expect(sameUrl('https://example.com/A', 'https://example.com/a')).toBe(false);
  });

  test('IA-36 the stored form has a lower-case host', () => {
    expect(parseProfileUrl('https://EXAMPLE.com/Ann')?.href).toBe('https://example.com/Ann');
  });

  test.each([
    ['scheme', 'http://example.com/', 'https://example.com/'],
    ['port', 'https://example.com:8443/', 'https://example.com/'],
    ['query', 'https://example.com/?a', 'https://example.com/'],
    ['host', 'https://www.example.com/', 'https://example.com/'],
  ])('IA-36 another %s is a difference', (_, a, b) => {
    expect(sameUrl(a, b)).toBe(false);
  });

  test('text that isn’t a URL equals only itself', () => {
    expect(sameUrl('nonsense', 'nonsense')).toBe(true);
    expect(sameUrl('nonsense', 'Nonsense')).toBe(false);
  });
});

test.each([
  ['127.0.0.1', true],
  ['[::1]', true],
  ['localhost', true],
  ['LOCALHOST', true],
  ['127.0.0.2', false],
  ['localhost.example', false],
  ['[::2]', false],
])('IA-40 %s is loopback: %s', (host, loopback) => {
  expect(isLoopbackHost(host)).toBe(loopback);
});
