import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cssProblem, cssTokens, preprocessed, usableCss } from '../../../src-main/site/css-check.ts';

describe('CSS that the site can use', () => {
  test.each([
    '',
    'a { color: red }',
    ':root { --amber: #123456; --text: "Gill Sans", sans-serif; }',
    '@media (min-width: 40rem) and (width < 60rem) { article > h3::before { content: "→ \\2192"; } }',
    '/* a comment with "quotes" and @import */ article { background: url(/media/2026/11/a.webp) }',
    'article { background: url( "/media/2026/11/a.webp" ) }',
    'article { background: url("data:image/svg+xml,%3Csvg/%3E") }',
    'article { filter: url(#soft) }',
    '@supports (display: grid) { .media:not(:has(> :nth-child(2))) { grid-template-columns: [a] 1fr [b] } }',
    '.a\\:b { margin: -1px +2e3em calc(1% - (2px)) !important }',
    'html { scroll-behavior: smooth; overscroll-behavior: none }',
    "q { quotes: '«' '»'; content: 'two\\\nlines' }",
    '@font-face { font-family: x; src: local("x") }',
  ])('%s', (css) => {
    expect(cssProblem(css)).toBeUndefined();
    expect(usableCss(css)).toBe(css);
  });
});

const elsewhere = 'CSS can load pictures only from this site. Use an address that starts with /media/.';
const quotes = 'This url() isn’t valid. Put the address in quotation marks.';
const noImport = 'The site can’t import other style sheets. Paste their rules instead.';

describe('CSS that is refused, with the line', () => {
  test.each([
    ['@import "x.css";', 1, noImport],
    ['a {}\n@IMPORT url(/x.css);', 2, noImport],
    ['\n\n@\\69 mport "x"', 3, noImport],
    ['@\\000069mport "x"', 1, noImport],
    ['a { background: url(https://x.example/a.png) }', 1, elsewhere],
    ['a { background: url(//x.example/a.png) }', 1, elsewhere],
    ['a { background: url("//x.example/a.png") }', 1, elsewhere],
    ["a { background: URL( '\\68ttps://x.example/a.png') }", 1, elsewhere],
    ['a { background: u\\72l(https://x.example/a.png) }', 1, elsewhere],
    ['a { background: \\75\\72\\6c(/\\9/x.example) }', 1, elsewhere],
    ['a { background: url(/\\\\x.example/a.png) }', 1, elsewhere],
    ['a { background: url(\\/\\/x.example/a.png) }', 1, elsewhere],
    ['a { background: url(javascript:alert(1)) }', 1, quotes],
    ['a { background: url("javascript:alert(1)") }', 1, elsewhere],
    ['a { background: url("data:text/html,x") }', 1, elsewhere],
    ['a { background: url(https:x.example) }', 1, elsewhere],
    ['a { background: url(a b) }', 1, quotes],
    ['a { background: url(var(--x)) }', 1, quotes],
    ['a { background: url(/**/"//x.example") }', 1, quotes],
    ['@namespace url(http://x.example/);', 1, elsewhere],
    [
      'a { background: image-set("https://x.example/a.png" 1x) }',
      1,
      'The site can’t use image-set(). Use url() for pictures.',
    ],
    [
      'a { background: -WEBKIT-image-set(var(--x) 1x) }',
      1,
      'The site can’t use -webkit-image-set(). Use url() for pictures.',
    ],
    ['a { src: src("https://x.example/a.woff") }', 1, 'The site can’t use src(). Use url() for pictures.'],
    ['a {\n  width: expression(alert(1)) }', 2, 'The site can’t use expression(). Use url() for pictures.'],
    ['a {\r\n  width: 1px;\r  behavior: x }', 3, 'The site can’t use “behavior”.'],
    ['a { -moz-binding: x }', 1, 'The site can’t use “-moz-binding”.'],
    ['a { color: red }\n</style><script>alert(1)</script>', 2, '“</” is HTML, not CSS. Remove it.'],
    ['a { content: "</STYLE>" }', 1, '“</” is HTML, not CSS. Remove it.'],
    ['/* </style */', 1, '“</” is HTML, not CSS. Remove it.'],
    ['<!-- a {} -->', 1, '“<!--” is HTML, not CSS. Remove it.'],
    ['a { color: red', 1, 'The “{” is never closed.'],
    ['a {}\n}', 2, 'There is a “}” too many.'],
    ['a { color: rgb(1, 2, 3; }', 1, 'There is a “}” too many.'],
    ['a { content: "x\n" }', 1, 'A quotation mark is missing.'],
    ['a {}\n/* for\never', 2, 'The comment never ends. Close it with */.'],
    ['a { background: url(/media/a', 1, quotes],
    ['a { background: url("/media/a"', 1, 'The “(” is never closed.'],
  ])('%j', (css, line, problem) => {
    expect(cssProblem(css)).toBe(`CSS, line ${line}: ${problem}`);
    expect(usableCss(css)).toBe('');
  });
});

test('CSS is inserted as browsers read it, so that the page’s hash fits', () => {
  expect(usableCss('a {\r\n}\0\r\f\uD800')).toBe('a {\n}\uFFFD\n\n\uFFFD');
});

test('any text is read to its end, and accepted text can’t reach other servers', () => {
  const bits = fc.constantFrom(
    'url(',
    '"',
    "'",
    '\\',
    '/*',
    '*/',
    '(',
    ')',
    '{',
    '}',
    '@import',
    '//x.example',
    '\n',
    ' ',
    'a',
    '\\75',
    'rl(',
    '-',
    '#',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(bits, fc.string({ maxLength: 3 })), { maxLength: 30 }), (parts) => {
      const css = preprocessed(parts.join(''));
      const tokens = [...cssTokens(css)];
      if (usableCss(css) === '') return;
      for (const { kind, text } of tokens) {
        if (kind === 'url') expect(new URL(text, 'https://own.example').host).toBe('own.example');
        expect(kind).not.toMatch(/^bad/);
        if (kind === 'at-word') expect(text.toLowerCase()).not.toBe('import');
      }
    }),
  );
});

test('100,000 characters of nested brackets are checked in a moment', () => {
  expect(cssProblem('('.repeat(100_000))).toBe('CSS, line 1: The “(” is never closed.');
  expect(cssProblem(`${'a{'.repeat(20_000)}${'}'.repeat(20_000)}`)).toBeUndefined();
});
