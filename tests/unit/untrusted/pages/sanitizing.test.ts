import sanitizeHtml from 'sanitize-html';
import { expect, test } from 'vitest';
import { strictSanitizing } from '../../../../src-main/untrusted/pages/sanitizing.ts';

const cleaned = (markup: string) =>
  sanitizeHtml(markup, { ...strictSanitizing, allowedTags: ['p', 'a'], allowedAttributes: { a: ['href'] } });

test.each(
  'script style textarea option noscript title template iframe object svg math xmp noembed noframes select'.split(
    ' ',
  ),
)('the content of %s is removed with it, and no attack in it survives', (name) => {
  const clean = cleaned(
    `<p>a</p><${name}><p title="</${name}><img src=x onerror=alert(1)>">b</${name}><p>c</p>`,
  );
  expect(clean).not.toMatch(/<img|onerror=|<svg|<math/);
  expect(clean).toMatch(/^<p>a<\/p>/);
});

test('a plaintext element is removed with everything after it', () => {
  expect(cleaned('<p>a</p><plaintext></plaintext><script>alert(1)</script>')).toBe('<p>a</p>');
});

test('an html element in the middle does not drop the content before it', () => {
  expect(cleaned('<p>a</p><html><p>b</p></html>')).toBe('<p>a</p><p>b</p>');
});

test.each(['javascript:alert(1)', 'JaVa\tscript:alert(1)', '//elsewhere.example/', 'data:text/html,x'])(
  'an address such as %j is left out',
  (href) => {
    expect(cleaned(`<a href="${href}">x</a>`)).toBe('<a>x</a>');
  },
);
