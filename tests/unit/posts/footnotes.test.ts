import { describe, expect, test } from 'vitest';
import { markdownHtml } from '../../../src-main/posts/markdown.ts';
import { portableMarkdown } from '../../../src-main/posts/files/post-markdown.ts';
import { limitOf } from '../../support/patience.ts';

const back = (id: string) => `<a href="#${id}" title="Back to the text">\u21a9\ufe0e</a>`;

describe('footnotes in Markdown', () => {
  test('follow the text in the order of their numbers, with links in both directions', () => {
    expect(
      markdownHtml('One[^b], two[^a], *three[^b]*.\n\n[^a]: About two\n[^b]: About *one*\ngoes on'),
    ).toBe(
      [
        '<p>One<sup><a href="#fn1" id="fnref1">[1]</a></sup>, two<sup><a href="#fn2" id="fnref2">[2]</a></sup>, <em>three<sup><a href="#fn1" id="fnref1-2">[1]</a></sup></em>.</p>',
        '<hr>',
        '<ol>',
        '<li id="fn1">',
        `<p>About <em>one</em>\ngoes on ${back('fnref1')} ${back('fnref1-2')}</p>`,
        '</li>',
        '<li id="fn2">',
        `<p>About two ${back('fnref2')}</p>`,
        '</li>',
        '</ol>',
      ].join('\n'),
    );
  });

  test('have several blocks, may be inside quotes, and may contain references', () => {
    const html = markdownHtml(
      'A[^1]\n\n[^1]: First\n\n    - point\n\n    Last[^2]\n\n> Quote\n>\n> [^2]: Inside\n\nEnd',
    );
    expect(html).toMatch(
      /^<p>A<sup>[^\n]*<\/p>\n<blockquote>\n<p>Quote<\/p>\n<\/blockquote>\n<p>End<\/p>\n<hr>/,
    );
    expect(html).toMatch(
      /<p>First<\/p>\n<ul>\n<li>point<\/li>\n<\/ul>\n<p>Last<sup>.*\[2\]<\/a><\/sup> <a href="#fnref1"/,
    );
    expect(html).toContain('<p>Inside <a href="#fnref2"');
  });

  test('end with a link back also after a block that is no paragraph', () => {
    expect(markdownHtml('A[^1]\n\n[^1]:\n    > Quote')).toMatch(
      /<\/blockquote>\n<p> <a href="#fnref1".*<\/p>\n<\/li>/,
    );
  });

  test('leave code, other brackets and references without a note unchanged', () => {
    const html = markdownHtml('`[^1]` [^none] [^ 1] [1]\n\n    [^1]: code\n\n```\n[^1]\n```\n\n[^1]: unused');
    expect(html).toBe(
      '<p><code>[^1]</code> [^none] [^ 1] [1]</p>\n<pre><code>[^1]: code\n</code></pre>\n<pre><code>[^1]\n</code></pre>',
    );
  });

  test('show a note with the same label as an earlier one nowhere', () => {
    const html = markdownHtml('A[^1]\n\n[^1]: First\n\n[^1]: Second');
    expect(html).toContain('First');
    expect(html).not.toContain('Second');
  });

  test('are published to the owner’s own site as HTML, because generators read them differently', () => {
    expect(portableMarkdown('A[^1]\n\n[^1]: Note', () => undefined)).toBeUndefined();
    expect(portableMarkdown('A [1]', () => undefined)).toBeDefined();
  });
});

describe('hostile footnotes', () => {
  test('footnotes with many references to one long note repeat nothing, and are limited', () => {
    const html = markdownHtml(`${'[^a] '.repeat(30_000)}\n\n[^a]: ${'long '.repeat(10_000)}`);
    expect(html.split('long long').length).toBeLessThan(10_001);
    expect(html.match(/<sup>/g)).toHaveLength(1000);
    expect(html.length).toBeLessThan(600_000);
  });

  test.each([
    ['open brackets', '[^'.repeat(30_000)],
    ['labels without an end', `[^${'a'.repeat(200_000)}`],
    ['notes in notes', '[^a]: '.repeat(30_000)],
    ['notes that refer to each other', '[^a]: [^b]\n[^b]: [^a]\n'.repeat(5000)],
    ['many notes', Array.from({ length: 10_000 }, (_, at) => `[^${at}]: [^${at}]\n`).join('')],
    ['notes in lists', `${'- '.repeat(90)}${'[^a]: '.repeat(1000)}`],
  ])('footnotes of %s take time in proportion to their length', (_what, text) => {
    const started = performance.now();
    markdownHtml(text);
    expect(performance.now() - started).toBeLessThan(limitOf(5000));
  });
});
