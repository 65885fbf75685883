import { describe, expect, test } from 'vitest';
import type { ShownMedia } from '../../../../src-main/posts/rendering/reader.ts';
import {
  contentLine,
  contentMarkup,
  excerpt,
  richMarkup,
  richText,
} from '../../../../src-main/posts/rendering/rich-text.ts';

const base = 'https://ann.example';
const rich = (html: string) => contentMarkup({ html }, base)?.markup ?? '';
const picture: ShownMedia = { path: '/media/a.jpg', type: 'image/jpeg', bytes: 1000, width: 40, height: 30 };
/** The same, where every address is known as this file. */
const shown = (html: string, file: Partial<ShownMedia> = {}) =>
  richMarkup(richText({ html }, base) ?? [], { base, shown: () => ({ ...picture, ...file }) }).markup;
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

  test('an address cannot break out of its link', () => {
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
  });

  test('MP-26 shows a picture that is kept here with its words, and at its size from the start', () => {
    expect(shown('<p><img src="/media/a.jpg" alt="A &quot;door&quot;" onerror="x()"></p>')).toBe(
      '<p><a href="https://ann.example/media/a.jpg"><img src="https://ann.example/media/a.jpg" alt="A &quot;door&quot;" width="40" height="30" loading="lazy"></a></p>',
    );
  });

  test('a picture without alt text opens at full size, too', () => {
    expect(shown('<img src="/media/a.jpg">')).toContain(
      '<a href="https://ann.example/media/a.jpg" aria-label="Picture in full size">',
    );
  });

  test('a picture in a link keeps that link', () => {
    const markup = shown(
      '<a href="https://bo.example/"><b><img src="/media/a.jpg" alt=""></b></a><img src="/media/a.jpg" alt="x">',
    );
    expect(markup.match(/<a /g)).toHaveLength(2);
    expect(markup).toMatch(/^<a href="https:\/\/bo.example\/"><b><img/);
  });

  test('shows our copy of a picture from elsewhere, in the size that the post wants', () => {
    const markup = shown('<img src="https://x.example/p.jpg" width="20" height="15">');
    expect(markup).toContain('src="https://ann.example/media/a.jpg"');
    expect(markup).toContain('width="20" height="15"');
    expect(markup).not.toContain('x.example');
  });

  test.each([
    '<video src="/media/v.mp4">none</video>',
    '<video><source src="/media/v.mp4"><source src="/media/v.webm">none</video>',
  ])('%s plays our own copy, with its type', (html) => {
    expect(
      shown(html, { path: '/media/v.mp4', type: 'video/mp4', bytes: 1000, width: null, height: null }),
    ).toBe(
      '<video controls preload="metadata"><source src="https://ann.example/media/v.mp4" type="video/mp4"></video>',
    );
  });

  test('a picture that most browsers cannot show is a link, with words', () => {
    expect(shown('<img src="/media/a.heic">', { path: '/media/a.heic', type: 'image/heic' })).toBe(
      '<a href="https://ann.example/media/a.heic" dir="auto">a.heic (HEIC)</a>',
    );
  });

  test('NI05 a linked picture that browsers cannot show is text in its link', () => {
    const file = { path: '/media/a.heic', type: 'image/heic' };
    expect(shown('<a href="/big"><img src="/media/a.heic" alt="A door"></a>', file)).toBe(
      `<a href="${base}/big"><span dir="auto">A door (HEIC)</span></a>`,
    );
  });

  test('a missing file leaves its text, and no broken picture', () => {
    expect(rich('<p><img src="/media/a.jpg" alt="A door"> <img src="/media/b.jpg"></p>')).toBe(
      '<p><span dir="auto">A door</span> </p>',
    );
  });

  test('nothing in a post can pass for one of its pictures', () => {
    expect(
      shown('<p title="00000000-0000-4000-8000-000000000000 0">&lt;img title="0" /&gt;</p>'),
    ).not.toContain('<img');
  });

  test.each(['img', 'video', 'audio'])('asks nobody else for its %s: it becomes a link', (tag) => {
    const markup = rich(`<p><${tag} src="https://x.example/a?b=1&amp;c" alt="A &lt;door&gt;"></${tag}>!</p>`);
    expect(markup).toBe('<p><a href="https://x.example/a?b=1&amp;c" dir="auto">A &lt;door&gt;</a>!</p>');
  });

  test('keeps no picture by another way', () => {
    const markup = rich(
      '<picture><source srcset="https://x.example/1"><img src="/a" srcset="https://x.example/2"></picture>' +
        '<video src="/v" poster="https://x.example/3"></video><img src="//x.example/4"><a href="/" ping="https://x.example/5">a</a>' +
        '<div background="https://x.example/6">b</div><img src="javascript:x" alt="c">',
    );
    expect(markup.replace(/<a [^>]*>[^<]*<\/a>/g, '')).not.toContain('x.example');
    expect(markup).not.toContain('javascript');
  });

  test('nested without end is cut, in time', () => {
    expect(rich('<div>'.repeat(40_000) + 'deep').match(/<div>/g)?.length).toBeLessThanOrEqual(101);
  });
});

describe('links within a post', () => {
  const page = `${base}/posts/2026/11/tea`;
  const shown = (html: string, at = page) => contentMarkup({ html }, base, undefined, at)?.markup ?? '';
  const attributes = (html: string, name: string) =>
    [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value]) => value ?? '');

  test('X02 lead to the note and back', () => {
    const html = shown(
      '<p>Text<sup id="fnref1"><a href="#fn1">1</a></sup></p><ol><li id="fn1">Note <a href="#fnref1">back</a></li></ol>',
    );
    const [reference = '', note = ''] = attributes(html, 'id');
    expect(attributes(html, 'href')).toEqual([`${page}#${note}`, `${page}#${reference}`]);
    expect([reference, note]).toEqual([
      expect.stringMatching(/^p[0-9a-f]{8}-fnref1$/),
      expect.stringMatching(/-fn1$/),
    ]);
  });

  test('resolve against the URL of the post', () => {
    const links = '<a href="cup">1</a><a href="../10/pot">2</a><a href="?x">3</a><a href="/about">4</a>';
    expect(attributes(shown(links), 'href')).toEqual([
      `${base}/posts/2026/11/cup`,
      `${base}/posts/2026/10/pot`,
      `${page}?x`,
      `${base}/about`,
    ]);
  });

  test('lead to the names of old anchors, and to full URLs of the post', () => {
    const html = shown(`<a name="top">x</a><a href="${page}#top">up</a>`);
    expect(attributes(html, 'href')).toEqual([`${page}#${attributes(html, 'id')[0]}`]);
  });

  test('lead to another page unchanged', () => {
    expect(attributes(shown('<a href="https://b.example/#fn1">x</a>'), 'href')).toEqual([
      'https://b.example/#fn1',
    ]);
  });

  test('differ between posts that one page lists', () => {
    const html = '<p id="one">x</p>';
    expect(shown(html)).not.toBe(shown(html, `${base}/posts/2026/11/other`));
  });

  test.each(['main', 'x y', '', '"><script>', 'é'.repeat(300)])('an id of %j is none of the page', (id) => {
    const ids = attributes(shown(`<p id="${id.replace('"', '&quot;')}">x</p>`), 'id');
    expect(ids.filter((one) => !/^p[0-9a-f]{8}-\S{1,200}$/.test(one))).toEqual([]);
  });

  test.each([
    ['whose copy is on its way', '<img src="https://x.example/p.jpg" alt="A door">', 'A door'],
    ['without alt text', '<img src="https://x.example/p.jpg">', 'https://x.example/p.jpg'],
    ['that is a film', '<video src="https://x.example/v.mp4" aria-label="A walk"></video>', 'A walk'],
  ])('NI05 a linked picture %s is text in its link', (_which, inside, words) => {
    expect(rich(`<a href="/big.jpg">${inside}</a>`)).toBe(
      `<a href="${base}/big.jpg"><span dir="auto">${words}</span></a>`,
    );
  });

  test('no link contains another one', () => {
    const html = shown('<a href="/a">one <a href="/b">two</a> three</a>');
    expect(html).toContain(`<a href="${base}/a">one `);
    expect(html).toContain('two');
    expect(html).not.toMatch(/<a [^>]*>(?:(?!<\/a>).)*<a /);
  });
});

describe('a content with more tags than any article', () => {
  test('is shown by its words: nobody waits for the rest', () => {
    const markup = rich('<b onclick="x()">word</b> &amp; '.repeat(40_000));
    expect(markup.startsWith('<p>word &amp; word')).toBe(true);
    expect(markup).not.toMatch(/<b|onclick/);
    expect(rich('<'.repeat(100_000))).not.toContain('<'.repeat(2));
  });

  test('is told from a long one', () => {
    const long = '<p>word</p>'.repeat(20_000);
    expect(rich(long)).toBe(long);
  });
});

describe('the words of a content', () => {
  test('are those that people read, apart where they stand apart', () => {
    expect(contentLine({ html: '<p>a &amp; b</p><p>c<br>d &lt;e&gt;</p><script>x</script>' })).toBe(
      'a & b c d <e>',
    );
    expect(contentLine('  a\n b ')).toBe('a b');
    expect(contentLine(undefined)).toBe('');
  });

  test('are cut between words, never within a character', () => {
    expect(excerpt('some words that go on', 12)).toBe('some words…');
    expect(excerpt('short', 12)).toBe('short');
    expect(excerpt('👋'.repeat(50), 40)).toBe(`${'👋'.repeat(40)}…`);
  });
});
