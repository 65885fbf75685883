import { describe, expect, test } from 'vitest';
import { handleOf, inlineLinks, categoriesOf } from '../../../src-main/posts/links.ts';
import { markdownHtml } from '../../../src-main/posts/markdown.ts';
import { responseMarkup } from '../../../src-main/posts/rendering/citation.ts';
import { contentMarkup } from '../../../src-main/posts/rendering/rich-text.ts';
import { linksOfPost } from '../../../src-main/mentions/sending/plan.ts';

const parts = (text: string) =>
  inlineLinks(text).map(({ kind, index, length }) => [kind, text.slice(index, index + length)]);
const personUrl = (handle: string) => ({ 'ann.example': 'https://www.ann.example/' })[handle];
const base = 'https://porch.example';
const path = '/posts/2026/11/tea';

describe('the links in a text', () => {
  test.each([
    ['Tea #porch, #Über-see and #c3po.', ['#porch', '#Über', '#c3po']],
    ['#1 and C# and a#b and ##x and &#39; and #', []],
    ['#日本語 #a_b', ['#日本語', '#a_b']],
    ['#https://a.example #taghttps://b.example', ['https://a.example', 'https://b.example']],
    ['@ann.example and @bob@social.example.', ['@ann.example', '@bob@social.example']],
    ['ann@mail.example and @ann and @localhost', []],
    [
      'https://a.example/#top and https://a.example/@ann.example',
      ['https://a.example/#top', 'https://a.example/@ann.example'],
    ],
  ])('in %j are %j', (text, expected) => {
    expect(parts(text).map(([, shown]) => shown)).toEqual(expected);
  });
});

/** Texts with the URLs in them. */
const linkedTexts: [string, string[]][] = [
  [
    // M21
    '見て https://example.com/a。次（https://example.com/b）と https://en.wikipedia.org/wiki/A_(b).',
    ['https://example.com/a', 'https://example.com/b', 'https://en.wikipedia.org/wiki/A_(b)'],
  ],
  ['“https://a.example/x” and «https://a.example/y»', ['https://a.example/x', 'https://a.example/y']],
  ['‘https://a.example/x’ … https://a.example/y…', ['https://a.example/x', 'https://a.example/y']],
  ['https://a.example/x’s page', ['https://a.example/x’s']],
  ['(https://a.example/A_(b))', ['https://a.example/A_(b)']],
  ['(see https://a.example/x), and [https://a.example/y].', ['https://a.example/x', 'https://a.example/y']],
  ['https://a.example/テスト、https://a.example/é？', ['https://a.example/テスト', 'https://a.example/é']],
  ['「https://a.example/」、『https://b.example/』', ['https://a.example/', 'https://b.example/']],
  ['https://a.example/?a=1&b=(2)!', ['https://a.example/?a=1&b=(2)']],
  // NM22
  ['https://a.example/x\u200bnext', ['https://a.example/x']],
  [
    'https://a.example/x؟ https://a.example/y، https://a.example/z؛',
    ['https://a.example/x', 'https://a.example/y', 'https://a.example/z'],
  ],
  ['https://a.example/x؟وبعد', ['https://a.example/x']],
  [
    'https://a.example/x। https://a.example/y۔ https://a.example/z።',
    ['https://a.example/x', 'https://a.example/y', 'https://a.example/z'],
  ],
  ['https://a.example/x\u200f, https://a.example/y՝', ['https://a.example/x', 'https://a.example/y']],
  [
    'https://a.example/Col·lecció و https://a.example/می\u200cخواهم',
    ['https://a.example/Col·lecció', 'https://a.example/می\u200cخواهم'],
  ],
];

test.each(linkedTexts)('the URLs in %j end before punctuation, also in Markdown', (text, urls) => {
  const addresses = urls.map((url) => new URL(url).href);
  expect(parts(text).map(([, shown]) => shown)).toEqual(urls);
  for (const markup of [
    contentMarkup(text, base)?.markup,
    contentMarkup({ html: markdownHtml(text) }, base)?.markup,
  ])
    expect(
      [...(markup ?? '').matchAll(/href="([^"]*)"/g)].map(([, href]) => href?.replace('&amp;', '&')),
    ).toEqual(addresses);
});

test('S05 a link with Unicode is the same ASCII URL on the page and in its webmention', () => {
  const content = 'http://a.example/тест/é';
  const url = 'http://a.example/%D1%82%D0%B5%D1%81%D1%82/%C3%A9';
  for (const value of [content, { html: `<a href="${content}">x</a>` }, { html: markdownHtml(content) }]) {
    expect(contentMarkup(value, base)?.markup).toContain(`href="${url}"`);
    expect(linksOfPost({ properties: { content: [value] }, path }, base)).toEqual([url]);
  }
  expect(linksOfPost({ properties: { 'in-reply-to': [content] }, path }, base)).toEqual([url]);
  expect(responseMarkup({ 'in-reply-to': [content] }, base)[0]?.markup).toContain(`href="${url}"`);
});

test.each([
  ['https://ann.example/', 'ann.example'],
  ['https://www.Ann.example', 'ann.example'],
  ['https://social.example/@Bob', 'bob@social.example'],
  ['https://ann.example/about', undefined],
  ['https://ann.example/?a', undefined],
  ['javascript:alert(1)', undefined],
  ['', undefined],
])('the handle of %j is %j', (url, handle) => {
  expect(handleOf(url)).toBe(handle);
});

test('a URL that is followed by very many dots is read to its end once', () => {
  const url = `http://x${'.'.repeat(1_000_000)}a`;
  expect(inlineLinks(`${url}...`)).toEqual([{ kind: 'url', url, index: 0, length: url.length }]);
});

test('a URL of millions of letters is read to its end', () => {
  const url = `http://x${'中'.repeat(5_000_000)}`;
  expect(inlineLinks(`${url} a`)).toEqual([{ kind: 'url', url, index: 0, length: url.length }]);
});

describe('a plain text', () => {
  const text = 'Tea with @ann.example and @eve.example at https://a.example/x#y <b> #porch';
  test('links URLs, tags and known people, and nothing else', () => {
    expect(contentMarkup(text, base, personUrl)?.markup).toBe(
      '<p>Tea with <a href="https://www.ann.example/">@ann.example</a> and @eve.example at ' +
        '<a href="https://a.example/x#y" dir="ltr">https://a.example/x#y</a> &lt;b&gt; ' +
        '<a href="https://porch.example/categories/porch" rel="tag">#porch</a></p>',
    );
  });

  test('has its tags as categories, and notifies the people that it mentions', () => {
    expect(categoriesOf({ properties: { content: [text] } })).toEqual(['porch']);
    expect(linksOfPost({ properties: { content: [text] }, path }, base, personUrl)).toEqual([
      'https://a.example/x#y',
      'https://www.ann.example/',
    ]);
  });
});

describe('a Markdown text', () => {
  const text = '# Tea #one\n\nWith @ann.example, `#code` and [a #link](https://a.example/) #two #zwölf';
  const html = markdownHtml(text, personUrl);
  test('links the same, but not in code or in links', () => {
    expect(html).toBe(
      '<h1>Tea <a href="/categories/one" rel="tag">#one</a></h1>\n' +
        '<p>With <a href="https://www.ann.example/">@ann.example</a>, <code>#code</code> and ' +
        '<a href="https://a.example/">a #link</a> <a href="/categories/two" rel="tag">#two</a> ' +
        '<a href="/categories/zw%C3%B6lf" rel="tag">#zwölf</a></p>',
    );
  });

  test('notifies the people that it mentions, and not its own lists of tags', () => {
    expect(linksOfPost({ properties: { content: [{ html }] }, path }, base)).toEqual([
      'https://www.ann.example/',
      'https://a.example/',
    ]);
  });

  test('has its tags as categories', () => {
    expect(categoriesOf({ properties: { content: [{ html }] }, markdown: text })).toEqual([
      'one',
      'two',
      'zwölf',
    ]);
  });
});

test('an app’s HTML stays unchanged', () => {
  const html = '<p>Tea #porch @ann.example</p>';
  expect(contentMarkup({ html }, base, personUrl)?.markup).toBe(html);
  expect(categoriesOf({ properties: { content: [{ html }] } })).toEqual([]);
});
