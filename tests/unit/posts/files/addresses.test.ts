import { expect, test } from 'vitest';
import { homeOf, folderMediaPlace, templateProblem } from '../../../../src-main/posts/files/addresses.ts';
import { usualTemplates } from '../../../../src-main/site-folder/detect.ts';
import { postOf } from '../../../support/site.ts';

const rules = { generator: 'hugo', baseUrl: 'https://me.example/blog', media: 'folder' } as const;
const hugo = { ...rules, ...usualTemplates('hugo') };
const slugOnly = { ...hugo, postFile: 'content/{slug}.md', postUrl: '{slug}/' };

const fileOf = (slug: string, templates = slugOnly) =>
  homeOf(
    postOf(
      { published: ['2026-11-21T23:30:00-08:00'] },
      { path: `/posts/2026/11/${encodeURIComponent(slug)}` },
    ),
    templates,
  );

test.each([
  ['CON', 'con-post'],
  ['aux', 'aux-post'],
  ['com1', 'com1-post'],
  ['lpt9', 'lpt9-post'],
  ['nul.', 'nul-post'],
  ['index', 'index-post'],
  ['404', '404-post'],
  ['../../../etc/passwd', 'etc-passwd'],
  ['..', '233000'],
  ['/', '233000'],
  ['a\\b:c*d?e"f<g>h|i', 'a-b-c-d-e-f-g-h-i'],
  ['Tea', 'tea'],
  ['trailing. ', 'trailing'],
  ['_draft', 'draft'],
  ['.git', 'git'],
  ['{{ site }}', 'site'],
  ['日本語', '日本語'],
  ['e\u0301', '\u00e9'],
  ['İ', 'i\u0307'],
])('the file of a post with the slug %j is %j', (slug, name) => {
  expect(fileOf(slug).file).toBe(`content/${name}.md`);
});

test('a long slug is cut to what file systems take, between characters', () => {
  const { file } = fileOf('長'.repeat(300));
  expect(Buffer.byteLength(file)).toBeLessThanOrEqual(120);
  expect(file).toMatch(/^content\/長+\.md$/);
});

test('the file has the author’s date, and the URL is below the site’s address', () => {
  expect(fileOf('tea', hugo)).toEqual({
    file: 'content/posts/2026-11-21-tea.md',
    url: 'https://me.example/blog/posts/tea/',
  });
  expect(fileOf('größe').url).toBe('https://me.example/blog/gr%C3%B6%C3%9Fe/');
});

test.each([
  ['/media/2026/11/abc-fog.JPG', 'static/media/2026/11/abc-fog.jpg'],
  ['/media/2026/11/_x.png', 'static/media/2026/11/m_x.png'],
  ['/media/2026/11/con.png', 'static/media/2026/11/mcon.png'],
  ['/media/2026/11/..%2F..%2Fetc', 'static/media/2026/11/m'],
])('the file of media at %s stays in its folder: %s', (path, file) => {
  expect(folderMediaPlace(path, hugo).file).toBe(file);
});

test.each([
  [{ postFile: 'content/{slug}/../../x.md' }, 'below the folder'],
  [{ postFile: '/content/{slug}.md' }, 'start with a folder'],
  [{ postFile: '.git/{slug}.md' }, 'start with a folder'],
  [{ postFile: 'content\\{slug}.md' }, 'below the folder'],
  [{ postFile: 'content/{slug}.exe' }, 'must end in .md'],
  [{ postFile: 'content/{title}-{slug}.md' }, 'isn’t a placeholder'],
  [{ postUrl: 'posts/' }, 'needs {slug}'],
  [{ postUrl: '../{slug}/' }, 'below the folder'],
  [{ mediaFile: '../{file}' }, 'below the folder'],
  [{ baseUrl: 'javascript:alert(1)' }, 'must be a web address'],
])('templates that lead elsewhere are refused: %j', (part, words) => {
  expect(templateProblem(hugo)).toBeUndefined();
  expect(templateProblem({ ...hugo, ...part })).toContain(words);
});
