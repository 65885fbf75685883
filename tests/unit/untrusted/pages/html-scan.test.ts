import { describe, expect, test } from 'vitest';
import { scanHtml, visibleText } from '../../../../src-main/untrusted/pages/html-scan.ts';

const attributes = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`).join(' ');

/** Returns the names of the elements that a scan reports, and how the scan ended. */
function elementsIn(html: string) {
  const names: string[] = [];
  let others = 0;
  const scan = scanHtml(html, {
    element: (name) => void names.push(name),
    other: () => void (others += 1),
  });
  return { names, others, ...scan };
}

describe('the elements of a page', () => {
  test('are reported in order, with their attributes', () => {
    const seen: unknown[] = [];
    scanHtml('<A HREF=/x>x</a><img alt="a &amp; b">', { element: (...about) => void seen.push(about) });
    expect(seen).toEqual([
      ['a', [{ name: 'href', value: '/x' }]],
      ['img', [{ name: 'alt', value: 'a & b' }]],
    ]);
  });

  test.each(['title', 'textarea', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'script', 'plaintext'])(
    'do not include what looks like markup in %s',
    (name) => {
      expect(elementsIn(`<${name}><a>x</a></${name}>`).names).toEqual([name]);
    },
  );

  test('include those in noscript, and those after an empty title in a drawing', () => {
    expect(elementsIn('<noscript><a>').names).toEqual(['noscript', 'a']);
    expect(elementsIn('<svg><title/><style/></svg><a>').names).toEqual(['svg', 'title', 'style', 'a']);
    expect(elementsIn('<svg/><title><a></title><p>').names).toEqual(['svg', 'title', 'p']);
  });

  test('do not include those in templates, whose own tag is reported', () => {
    expect(elementsIn('<template><a><template><b></template><i></template><p>').names).toEqual([
      'template',
      'p',
    ]);
    expect(elementsIn('</template><template><a></template><p>').names).toEqual(['template', 'p']);
  });

  test('end at a tag with hundreds of attributes', () => {
    expect(elementsIn(`<a><p ${attributes(200)}><b>`)).toMatchObject({
      names: ['a', 'p', 'b'],
      isWhole: true,
    });
    expect(elementsIn(`<a><p ${attributes(2000)}><b>`)).toMatchObject({ names: ['a'], isWhole: false });
  });

  test('may be nested without end', () => {
    expect(elementsIn('<div>'.repeat(100_000)).names).toHaveLength(100_000);
  });
});

test('comments, document types and NUL characters are reported', () => {
  expect(elementsIn('<!doctype html><!-- <a> --><p>\0').others).toBe(3);
  expect(elementsIn('<p>x</p>').others).toBe(0);
});

describe('the base of a page', () => {
  test('is the first one with an address', () => {
    expect(elementsIn('<base target="_top"><base href="/b/"><base href="/c/">').base).toBe('/b/');
    expect(elementsIn('<p>').base).toBeUndefined();
  });

  test('is not in a template, a comment or a script', () => {
    const hidden =
      '<template><base href="/t/"></template><!-- <base href="/c/"> --><script><base href="/s/">';
    expect(elementsIn(hidden).base).toBeUndefined();
  });

  test('is known even if the scan ended early', () => {
    expect(elementsIn(`<base href="/b/"><p ${attributes(2000)}>`).base).toBe('/b/');
  });
});

describe('the text that a reader sees', () => {
  test.each([
    ['character references', 'a &amp; b &lt;c&gt; &hellip;', 'a & b <c> …'],
    ['inline elements', 'so<b>me</b> <a href="/">word</a>s', 'some words'],
    ['blocks', '<p>a</p>b<br>c<ul><li>d</ul>', '\na\nb\nc\n\nd\n'],
    ['a script, a style and a title', '<title>t</title>a<style>b{}</style><script>c()</script>d', '\na\n\nd'],
    ['a drawing and a formula', '<svg><title>x</title></svg>a<math><mi>x</mi></math>b', '\na\nb'],
    ['a template', 'a<template><p>x</p></template>b', 'a\nb'],
    ['end tags without start tags', '</template></svg></b>a</p>b', '\n\na\nb'],
    ['a comment', 'a<!-- x -->b', 'ab'],
    ['an open tag at the end', 'a<p title="x', 'a'],
    ['text that only looks like markup', '1 < 2 > 0', '1 < 2 > 0'],
  ])('with %s', (_, html, text) => {
    expect(visibleText(html)).toBe(text);
  });
});
