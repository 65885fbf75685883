import fc from 'fast-check';
import { expect, test } from 'vitest';
import { oneSpelling, addressOfPage, withOtherScheme } from '../../../src-main/posts/address.ts';

const base = 'https://porch.example';
const addressOf = (text: string) => addressOfPage(base, text);

test.each([
  ['https://porch.example', '/'],
  ['https://porch.example/', '/'],
  ['https://porch.example/?a=1#b', '/'],
  ['HTTP://Porch.Example:80/posts/2026/11/tea', '/posts/2026/11/tea'],
  ['https://porch.example:443/posts/2026/11/tea/', '/posts/2026/11/tea'],
  ['https://porch.example./posts/2026/11/tea?utm_source=x#respond', '/posts/2026/11/tea'],
  ['https://porch.example/posts/2026/11/%d1%87%d0%b0%d0%b9', '/posts/2026/11/%D1%87%D0%B0%D0%B9'],
  ['https://porch.example/posts/2026/11/чай', '/posts/2026/11/%D1%87%D0%B0%D0%B9'],
  ['https://porch.example/posts/2026/11/te%61', '/posts/2026/11/tea'],
  ['https://porch.example/posts/2026/11/a/../tea', '/posts/2026/11/tea'],
  ['https://porch.example/categories/a%2fb/', '/categories/a%2Fb'],
  ['https://porch.example/categories/a%2fb', '/categories/a%2Fb'],
  ['https://porch.example/categories/Lamp', '/categories/Lamp'],
  ['https://porch.example/posts/2026/', '/posts/2026'],
  ['https://porch.example/feed.atom', '/'],
  ['https://porch.example/feed/', '/'],
  ['https://porch.example/rss', '/'],
  ['https://porch.example/atom.xml', '/'],
  ['https://porch.example/index.xml', '/'],
  ['https://porch.example/categories/Lamp/feed.json', '/categories/Lamp'],
  ['https://porch.example/categories/Lamp/feed/', '/categories/Lamp'],
  ['https://porch.example/categories/feed', '/categories/feed'],
  ['https://porch.example/posts/2026/11/feed.atom', '/posts/2026/11/feed.atom'],
  ['https://porch.example/%ff/', '/%ff'],
  ['https://porch.example//evil.example/', '//evil.example'],
])('on the built-in site, the page of %s is %s', (url, page) => {
  expect(addressOf(url)).toBe(page);
});

test.each([
  ['https://other.example', 'https://other.example/'],
  ['HTTPS://Other.Example.:443/A/?', 'https://other.example/A/'],
  ['https://other.example/%7eada/%c3%a9%2f%41', 'https://other.example/~ada/%C3%A9%2FA'],
  ['https://other.example/é', 'https://other.example/%C3%A9'],
  [
    'https://other.example/?p=1&utm_source=x&UTM_Medium&fbclid=1&gclid&replytocom=2&q=utm_x',
    'https://other.example/?p=1&q=utm_x',
  ],
  ['https://other.example/?utm=1&fbclids=2', 'https://other.example/?utm=1&fbclids=2'],
  ['https://other.example/?b=1&a=2#c', 'https://other.example/?b=1&a=2'],
  ['http://other.example:8080/a/', 'http://other.example:8080/a/'],
  ['http://porch.example:8080/feed/', 'http://porch.example:8080/feed/'],
  ['https://porch.example:80/a', 'https://porch.example:80/a'],
])('on another site, %s is normalized to %s and nothing more', (url, address) => {
  expect(addressOf(url)).toBe(address);
});

test.each(['', 'tea', '/posts/2026/11/tea', 'mailto:ada@porch.example', 'https://', '//porch.example/a'])(
  'text that is no web address stays unchanged: %s',
  (text) => {
    expect(addressOf(text)).toBe(text);
    expect(addressOf(`${text}#part`)).toBe(text);
  },
);

test('an address is its own address, and has one spelling', () => {
  const text = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.webPath().map((path) => base + path),
  );
  fc.assert(
    fc.property(text, (url) => {
      const address = addressOf(url);
      expect(addressOf(address)).toBe(address);
      expect(withOtherScheme(withOtherScheme(address))).toBe(address);
    }),
  );
  fc.assert(
    fc.property(fc.webPath(), (path) => {
      expect(oneSpelling(oneSpelling(path))).toBe(oneSpelling(path));
      expect(addressOf(base + oneSpelling(path))).toBe(addressOf(base + path));
    }),
  );
});
