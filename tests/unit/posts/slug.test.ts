import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cleanSlug,
  isSlug,
  numberedSlug,
  postPath,
  postPlace,
  slugOf,
} from '../../../src-main/posts/post-path.ts';

const month = '2026/11';
const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ unit: 'grapheme' }));

describe('MX-1 a slug', () => {
  test.each([
    ['Hello, World!', 'hello-world'],
    ['  --a__b..c-- ', 'a-b-c'],
    ["Don't stop", 'dont-stop'],
    ['../../etc/passwd', 'etc-passwd'],
    ['pages/about', 'pages-about'],
    ['Crème brûlée & Straße', 'creme-brulee-strasse'],
    ['Ærø Łódź', 'aero-lodz'],
    ['Йод и ёж', 'йод-и-ёж'],
    ['日本語 テスト', '日本語-テスト'],
    ['नमस्ते दुनिया', 'नमस्ते-दुनिया'],
    ['party 🎉👩‍👩‍👧 time', 'party-time'],
    ['a\u202Eb\u0000c\u200Fd', 'ab-cd'],
    ['🎉', ''],
    ['..', ''],
    ['Index', 'post-index'],
    ['CON', 'post-con'],
  ])('from %j is %j', (text, slug) => {
    expect(cleanSlug(text)).toBe(slug);
  });

  test('of any text is clean, short, a safe file name, and stays itself', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const slug = cleanSlug(text);
        expect(cleanSlug(slug)).toBe(slug);
        expect(slug).toMatch(/^(?:[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:-[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*)?$/u);
        expect(slug.length).toBeLessThanOrEqual(80);
        expect(Buffer.byteLength(slug)).toBeLessThanOrEqual(205);
      }),
      { numRuns: 2000 },
    );
  });

  test('is each text that cleaning leaves unchanged, and no other', () => {
    const nearly = fc.string({
      unit: fc.constantFrom('a', 'z', '0', '9', '-', 'A', '\n', 'é'),
      maxLength: 90,
    });
    const reserved = fc.constantFrom(
      'index',
      'con',
      'com1',
      'lpt9',
      'page',
      'post-con',
      'a'.repeat(80),
      'a'.repeat(81),
    );
    fc.assert(
      fc.property(fc.oneof(nearly, reserved, anyText), (text) => {
        expect(isSlug(text)).toBe(text !== '' && cleanSlug(text) === text);
      }),
      { numRuns: 2000 },
    );
  });

  test('of any text leads to a path in ASCII that leads back to it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const slug = cleanSlug(text);
        fc.pre(slug !== '');
        const path = postPath({ month, slug });
        expect(path).toMatch(/^\/posts\/2026\/11\/[a-z0-9%A-F-]+$/);
        expect(postPlace(path)).toEqual({ month, slug });
        expect(postPlace(`/posts/${month}/${slug}`)).toEqual({ month, slug });
      }),
    );
  });

  test('with a number is still short, and another for every number', () => {
    const long = cleanSlug('a'.repeat(200));
    const numbered = [1, 2, 3, 10, 100].map((turn) => numberedSlug(long, turn));
    expect(numbered.every((slug) => isSlug(slug) && slug.length <= 80)).toBe(true);
    expect(new Set(numbered).size).toBe(5);
  });

  test('comes from the name, else from the first words, else from the time', () => {
    const time = '093000';
    expect(slugOf({ name: ['My Lamp'], content: ['Other words'] }, time)).toBe('my-lamp');
    expect(slugOf({ name: ['🎉'], content: ['one two three four five six seven eight nine'] }, time)).toBe(
      'one-two-three-four-five-six-seven-eight',
    );
    expect(slugOf({ content: [{ html: '<p>Bread &amp; <b>butter</b></p>' }] }, time)).toBe('bread-butter');
    expect(slugOf({ content: ['https://long.example/path?x=1 is nice'] }, time)).toBe('is-nice');
    expect(slugOf({ content: ['🎉'] }, time)).toBe(time);
  });
});

test.each([
  '/posts/2026/11/..',
  '/posts/2026/11/%2e%2e',
  '/posts/2026/11/a%2fb',
  '/posts/2026/11/..%2f..%2fsettings',
  '/posts/2026/11/%00',
  '/posts/2026/11/%E0%A4%A',
  '/posts/2026/11/index',
  '/posts/2026/11/Upper',
  '/posts/2026/13/slug',
  '/posts/2026/11/a/b',
  '/media/2026/11/slug',
])('%s is no place of a post', (path) => {
  expect(postPlace(path)).toBeUndefined();
});
