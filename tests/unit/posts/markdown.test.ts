import { describe, expect, test } from 'vitest';
import { markdownHtml } from '../../../src-main/posts/markdown.ts';

const levels = (count: number) =>
  Array.from({ length: count }, (_, level) => `${'  '.repeat(level)}- level ${level};`).join('\n');

describe('Markdown that is nested more deeply than a page shows', () => {
  test('loses no line: the deepest ones become text, and later lines stay unchanged', () => {
    const html = markdownHtml(`${levels(90)}\n- *after the list*\n\nAnd a paragraph.`);
    for (let level = 0; level < 90; level += 1) expect(html).toContain(`level ${level};`);
    expect(html.match(/<ul>/g)).toHaveLength(50);
    expect(html).toContain('<li><em>after the list</em></li>\n</ul>\n<p>And a paragraph.</p>');
  });

  test.each([
    ['quotes', '> '.repeat(300)],
    ['lists in one line', '- '.repeat(300)],
    ['numbered lists in one line', '1. '.repeat(300)],
  ])('keeps the words below %s', (_what, nested) => {
    expect(markdownHtml(`${nested}the innermost words\n\nAfter.`)).toMatch(
      /the innermost words[^]*<p>After\.<\/p>$/,
    );
  });

  test('up to 50 lists are lists', () => {
    expect(markdownHtml(levels(50)).match(/<ul>/g)).toHaveLength(50);
    expect(markdownHtml(levels(49))).not.toContain('- level');
  });
});

describe('Markdown that repeats one long URL by references', () => {
  const definition = (url: string) => `[a]: ${url} "Title"\n[b]: https://b.example/\n\n`;

  test('becomes little more than the limit, with all words', () => {
    const long = `https://a.example/${'a'.repeat(50_000)}`;
    const html = markdownHtml(`${definition(long)}${'[a] ![a] '.repeat(5000)}[b]`);
    expect(html.length).toBeLessThan(2_000_000);
    expect(html).toContain(`<a href="${long}" title="Title">a</a>`);
    expect(html.match(/<\/a>/g)).toHaveLength(5001);
    expect(html.match(/<img src="" alt="a">/g)?.length).toBeGreaterThan(4900);
  });

  test('keeps all its URLs if it is as long as others', () => {
    const url = 'https://a.example/lamps';
    const html = markdownHtml(`${definition(url)}${'[a] '.repeat(2000)}`);
    expect(html.split(`<a href="${url}" title="Title">a</a>`)).toHaveLength(2001);
  });
});
