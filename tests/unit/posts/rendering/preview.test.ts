import { expect, test } from 'vitest';
import { richMarkup, richText } from '../../../../src-main/posts/rendering/rich-text.ts';

const base = 'https://ann.example';
/** A page on which none of the files is on this server. */
const view = { base, shown: () => undefined };
const preview = (content: unknown) => richMarkup(richText(content, base) ?? [], view).markup;

test('the preview loads nothing: pictures and recordings are links or words', () => {
  const html =
    '<p><img src="https://x.example/a.jpg" alt="There"><img src="/media/b.jpg" alt="Here"></p>' +
    '<video src="https://x.example/v.mp4" poster="https://x.example/p.jpg"></video><audio src="https://x.example/a.mp3"></audio>';
  const markup = preview({ html });
  expect(markup).not.toMatch(/<(img|video|audio|source|picture)\b|\b(src|srcset|poster)=/i);
  expect(markup).toContain('>There</a>');
  expect(markup).toContain('Here');
});

test('MP-27 the preview shows text as text, and HTML without what runs', () => {
  expect(preview('a <b>c</b>')).toBe('<p>a &lt;b&gt;c&lt;/b&gt;</p>');
  expect(preview({ html: '<b onclick="x()">c</b><script>x()</script>' })).toBe('<b>c</b>');
  expect(preview(undefined)).toBe('');
});
