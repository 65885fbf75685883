import { describe, expect, test } from 'vitest';
import { contentMarkup, contentText, excerpt } from '../../../src-main/site/rich-text.ts';

const base = 'https://ann.example';
const rich = (html: string) => contentMarkup({ html }, base)?.markup ?? '';
const plain = (text: string) => contentMarkup(text, base)?.markup ?? '';

describe('MP-27 a content that is text', () => {
  test('stays the text that it is', () => {
    expect(plain('a <b>bold</b> & "quoted" word')).toBe(
      '<p>a &lt;b&gt;bold&lt;/b&gt; &amp; &quot;quoted&quot; word</p>',
    );
  });

  test('keeps its paragraphs and lines', () => {
    expect(plain('one\r\ntwo\n\n\nthree\n')).toBe('<p>one<br>two</p><p>three</p>');
  });

  test.each([
    ['see https://a.example/x?y=1&z=2.', 'https://a.example/x?y=1&amp;z=2', '.'],
    ['(http://a.example/)', 'http://a.example/', ')'],
    ['https://a.example/wiki/B_(c)!', 'https://a.example/wiki/B_(c)', '!'],
  ])('%s has a link without what closes the sentence', (text, href, rest) => {
    expect(plain(text)).toContain(`<a href="${href}" dir="ltr">${href}</a>${rest}</p>`);
  });

  test.each(['javascript:alert(1)', 'https://', 'ftp://a.example/'])('%s is no link', (text) => {
    expect(plain(text)).toBe(`<p>${text}</p>`);
  });

  test('an address can not break out of its link', () => {
    expect(plain(`https://a.example/'onmouseover='x`)).not.toMatch(/<a [^>]*'/);
  });
});

describe('a content that is HTML', () => {
  test.each([
    ['<script>alert(1)</script>ok', 'ok'],
    ['<p onclick="x()" style="color:red" class="h-card" id="a">ok</p>', '<p>ok</p>'],
    ['<a href="javascript:alert(1)">ok</a>', '<a>ok</a>'],
    ['<a href="java\tscript:alert(1)">ok</a>', '<a>ok</a>'],
    ['<a href="data:text/html,x">ok</a>', '<a>ok</a>'],
    ['<style>p{}</style><iframe src="https://x.example"></iframe>ok', 'ok'],
    ['<svg><script>x</script></svg>ok', 'ok'],
    ['<form action="https://x.example"><input name="a">ok</form>', 'ok'],
    ['<meta http-equiv="refresh" content="0"><base href="https://x.example">ok', 'ok'],
    ['<h1>ok</h1>', '<h2>ok</h2>'],
    ['<p>open <b>ends', '<p>open <b>ends</b></p>'],
    ['</div></article></main>ok', 'ok'],
    ['<!-- x -->ok', 'ok'],
    ['<p lang="he" dir="rtl">שלום</p>', '<p lang="he" dir="rtl">שלום</p>'],
  ])('%s becomes %s', (html, expected) => {
    expect(rich(html)).toBe(expected);
  });

  test('has absolute addresses, for feeds are read elsewhere', () => {
    expect(rich('<a href="/x?a=1&amp;b=2">x</a>')).toBe('<a href="https://ann.example/x?a=1&amp;b=2">x</a>');
    expect(rich('<img src="/media/a.jpg">')).toBe(
      '<img alt="" src="https://ann.example/media/a.jpg" loading="lazy" />',
    );
  });

  test.each(['img', 'video', 'audio'])('asks nobody else for its %s: it becomes a link', (tag) => {
    const markup = rich(`<p><${tag} src="https://x.example/a?b=1&amp;c" alt="A &lt;door&gt;"></${tag}>!</p>`);
    expect(markup).toBe('<p><a href="https://x.example/a?b=1&amp;c">A &lt;door&gt;</a>!</p>');
  });

  test('keeps no picture by another way', () => {
    const markup = rich(
      '<picture><source srcset="https://x.example/1"><img src="/a" srcset="https://x.example/2"></picture>' +
        '<video src="/v" poster="https://x.example/3"></video><img src="//x.example/4"><a href="/" ping="https://x.example/5">a</a>' +
        '<div background="https://x.example/6">b</div><img src="javascript:x" alt="c">',
    );
    expect(markup.replace(/<a href="[^"]*">[^<]*<\/a>/g, '')).not.toContain('x.example');
    expect(markup).not.toContain('javascript');
  });

  test('nested without end is cut, in time', () => {
    expect(rich('<div>'.repeat(50_000) + 'deep').match(/<div>/g)?.length).toBeLessThanOrEqual(101);
  });
});

describe('the words of a content', () => {
  test('are those that people read, apart where they stand apart', () => {
    expect(contentText({ html: '<p>a &amp; b</p><p>c<br>d &lt;e&gt;</p><script>x</script>' })).toBe(
      'a & b c d <e>',
    );
    expect(contentText('  a\n b ')).toBe('a b');
    expect(contentText(undefined)).toBe('');
  });

  test('are cut between words, never within a character', () => {
    expect(excerpt('some words that go on', 12)).toBe('some words…');
    expect(excerpt('short', 12)).toBe('short');
    expect(excerpt('👋'.repeat(50), 40)).toBe(`${'👋'.repeat(40)}…`);
  });
});
