import { expect, test } from 'vitest';
import { detectSite } from '../../../src-main/site-folder/detect.ts';
import { parseHere } from '../../support/folder-reading.ts';
import { textInScript } from '../../../src-main/site-folder/found-config.ts';

/** A folder with these files. */
const folderWith = (files: Readonly<Record<string, string>>) => ({
  list: (dir: string) =>
    Promise.resolve([
      ...new Set(
        Object.keys(files)
          .filter((file) => file.startsWith(dir))
          .map((file) => file.slice(dir.length).replace(/\/.*/s, '/')),
      ),
    ]),
  read: (file: string, mostBytes: number) => Promise.resolve(files[file]?.slice(0, mostBytes)),
});

const addressOf = async (files: Readonly<Record<string, string>>) =>
  (await detectSite(folderWith(files), parseHere)).suggested.baseUrl;

test.each([
  [
    'a text',
    "export default defineConfig({ site: 'https://me.test', output: 'static' })",
    'https://me.test/',
  ],
  ['a text with a path', 'export default {\n  site: "https://me.test/blog",\n}', 'https://me.test/blog/'],
  ['a base', "export default { site: 'https://me.test', base: '/blog' }", 'https://me.test/blog/'],
  ['a constant', "const SITE: string = 'https://me.test'\nexport default { site: SITE }", 'https://me.test/'],
  ['a shorthand', 'const site = `https://me.test`;\nexport default { site };', 'https://me.test/'],
  ['a fallback', "export default { site: process.env.SITE ?? 'https://me.test' }", 'https://me.test/'],
  [
    'a comment',
    "// site: 'https://old.test'\nexport default { site: 'https://me.test' }",
    'https://me.test/',
  ],
  ['a program', "export default { site: siteFor('https://me.test') }", ''],
  ['a template', 'const host = "me.test";\nexport default { site: `https://${host}` }', ''],
  ['an import', "import { site } from './site.js';\nexport default { site }", ''],
])('the address in Astro’s configuration is found: %s', async (_, config, address) => {
  expect(await addressOf({ 'astro.config.mjs': config })).toBe(address);
});

test.each([
  ['_data/metadata.json', '{ "title": "Me", "url": "https://me.test/notes" }', 'https://me.test/notes/'],
  ['_data/site.json', '{ "url": "https://me.test" }', 'https://me.test/'],
  ['_data/metadata.js', 'export default {\n\turl: "https://me.test/",\n};', 'https://me.test/'],
  ['src/_data/site.yaml', 'url: https://me.test', 'https://me.test/'],
  ['_data/metadata.json', '{ "url": "https://example.com/" }', ''],
  ['_data/metadata.json', '{', ''],
  ['_data/other.json', '{ "url": "https://me.test" }', ''],
])('Eleventy’s address is found where its projects keep it: %s', async (file, text, address) => {
  const config = 'export default function (config) { return { dir: { input: "." } }; }';
  expect(await addressOf({ 'eleventy.config.js': config, [file]: text })).toBe(address);
});

test('a hostile configuration of a million characters is read, too', () => {
  for (const part of ['site: ', 'site:'.repeat(5), '/*', 'const site = ', '"a"||', '//'])
    expect(textInScript(part.repeat(1_000_000 / part.length), 'site')).toBe('');
});

test.each([
  ['src/content/blog/fog.md', 'src/content/blog/{slug}.md', 'blog/{slug}/'],
  [
    'src/content/notes/2026-01-02-fog.mdx',
    'src/content/notes/{yyyy}-{mm}-{dd}-{slug}.md',
    'notes/{yyyy}-{mm}-{dd}-{slug}/',
  ],
  ['src/data/blog/2026/fog.md', 'src/data/blog/{yyyy}/{slug}.md', 'blog/{yyyy}/{slug}/'],
])(
  'posts of Astro follow the pattern in use, in their files and URLs: %s',
  async (file, postFile, postUrl) => {
    const files = { 'astro.config.mjs': 'export default {}', [file]: 'Fog' };
    expect((await detectSite(folderWith(files), parseHere)).suggested).toMatchObject({ postFile, postUrl });
  },
);

const suggestedFor = async (files: Readonly<Record<string, string>>) => {
  const { suggested, warnings } = await detectSite(folderWith(files), parseHere);
  return { postFile: suggested.postFile, postUrl: suggested.postUrl, warnings };
};

test.each([
  ['ND-a a pattern', 'permalink: /blog/:year/:month/:title.html', 'blog/{yyyy}/{mm}/{slug}.html'],
  ['a style', 'permalink: pretty', '{yyyy}/{mm}/{dd}/{slug}/'],
  ['nothing', 'title: Me', '{yyyy}/{mm}/{dd}/{slug}.html'],
  [
    'a pattern for posts',
    'permalink: /x/:title\ncollections: {posts: {permalink: "/n/:slug/"}}',
    'n/{slug}/',
  ],
  ['an index file', 'permalink: /:categories/:title/index.html', '{slug}/'],
])('the addresses of Jekyll’s posts follow its configuration: %s', async (_, config, postUrl) => {
  const files = { '_config.yml': config, '_posts/2026-01-02-fog.md': 'Fog' };
  expect(await suggestedFor(files)).toEqual({
    postFile: '_posts/{yyyy}-{mm}-{dd}-{slug}.md',
    postUrl,
    warnings: [],
  });
});

test.each([
  ['a week', 'permalink: weekdate'],
  ['a short year', 'permalink: /:short_year/:title/'],
  ['a name of an object', 'permalink: /:constructor/:title/'],
  ['no title', 'permalink: /:year/'],
  ['default values', 'defaults: [{scope: {type: posts}, values: {permalink: "/x/:title/"}}]'],
])('permalinks of Jekyll that no template can follow are named: %s', async (_, config) => {
  const { postUrl, warnings } = await suggestedFor({ '_config.yml': config, '_posts/2026-01-02-fog.md': '' });
  expect(postUrl).toBe('{yyyy}/{mm}/{slug}/');
  expect(warnings).toEqual([expect.stringContaining('Jekyll’s configuration gives posts addresses')]);
});

test.each([
  ['source: site', 'site/_posts/', '{yyyy}/{mm}/{dd}/{slug}.html'],
  ['collections_dir: all', 'all/_posts/', '{yyyy}/{mm}/{dd}/{slug}.html'],
  ['title: Me', 'Notes/_posts/', 'notes/{yyyy}/{mm}/{dd}/{slug}.html'],
])('posts of Jekyll are found in every folder: %s, %s', async (config, dir, postUrl) => {
  const files = {
    '_config.yml': config,
    [`${dir}2026-01-02-fog.md`]: 'Fog',
    'node_modules/a/_posts/b.md': '',
  };
  expect(await suggestedFor(files)).toEqual({
    postFile: `${dir}{yyyy}-{mm}-{dd}-{slug}.md`,
    postUrl,
    warnings: [],
  });
});

test.each([
  ['permalinks: {posts: "/:year/:month/:slug/"}', 'content/posts/fog.md', '{yyyy}/{mm}/{slug}/'],
  ['permalinks: {page: {posts: "/:section/:title"}}', 'content/posts/fog.md', 'posts/{slug}/'],
  [
    'permalinks: {notes: "/n/:contentbasename/"}',
    'content/notes/2026-01-02-fog.md',
    'n/{yyyy}-{mm}-{dd}-{slug}/',
  ],
  ['permalinks: {posts: "/p/:slug/"}', 'content/notes/fog.md', 'notes/{slug}/'],
  ['uglyURLs: true', 'content/notes/fog.md', 'notes/{slug}.html'],
  ['contentDir: site/text', 'site/text/notes/fog.md', 'notes/{slug}/'],
])('the addresses of Hugo’s posts follow its configuration: %s, %s', async (config, file, postUrl) => {
  const { warnings, ...found } = await suggestedFor({ 'hugo.yaml': config, [file]: 'Fog' });
  expect(found.postUrl).toBe(postUrl);
  expect(file.startsWith(found.postFile.slice(0, found.postFile.lastIndexOf('/')))).toBe(true);
  expect(warnings).toEqual([]);
});

test('permalinks of Hugo that no template can follow are named', async () => {
  const config = 'languages: {en: {}, de: {}}\npermalinks: {posts: "/:slug/"}';
  const { warnings } = await suggestedFor({ 'hugo.yaml': config, 'content/posts/fog.md': '' });
  expect(warnings).toEqual([expect.stringContaining('Hugo’s configuration gives posts addresses')]);
});

const withInput = (input: string) => `export default () => ({ dir: { input: "${input}" } });`;
const passthrough = expect.stringContaining('addPassthroughCopy') as string;

test.each([
  [
    { 'src/notes/a.md': '', 'src/articles/b.md': '', 'src/articles/c.md': '', 'src/about.md': '' },
    'articles/',
  ],
  [{ 'src/recipes/a.md': '', 'src/recipes/b.md': '', 'src/log/c.md': '' }, 'log/'],
  [{ 'src/recipes/a.md': '', 'posts/b.md': '', 'src/_drafts/c.md': '', 'README.md': '' }, 'recipes/'],
  [{ 'posts/b.md': '' }, 'posts/'],
])('ND-b a folder that Eleventy builds is suggested: %o', async (files, dir) => {
  expect(await suggestedFor({ 'eleventy.config.js': withInput('./src/'), ...files })).toMatchObject({
    postFile: expect.stringMatching(`^src/${dir}[^/]+$`) as string,
    postUrl: `${dir}{slug}/`,
    warnings: [passthrough],
  });
});

test.each([
  ['json', '{"permalink": "/n/{{ page.fileSlug }}/"}', 'n/{slug}/'],
  ['11tydata.js', 'module.exports = { permalink: "{{ page.filePathStem }}.html" };', 'notes/{slug}.html'],
  [
    'json',
    `{"permalink": "/{{ page.date | date: '%Y/%m' }}/{{ title | slugify }}/index.html"}`,
    '{yyyy}/{mm}/{slug}/',
  ],
])(
  'the addresses of Eleventy’s posts follow the data file of their folder: %s',
  async (ending, data, postUrl) => {
    const files = { 'eleventy.config.js': withInput('src'), 'src/notes/a.md': '' };
    const found = await suggestedFor({ ...files, [`src/notes/notes.${ending}`]: data });
    expect(found).toMatchObject({ postUrl, warnings: [passthrough] });
  },
);

test('a permalink of Eleventy that is computed is named', async () => {
  const files = { 'eleventy.config.js': withInput('src'), 'src/notes/a.md': '' };
  const { warnings } = await suggestedFor({
    ...files,
    'src/notes/notes.11tydata.js': 'export const permalink = (x) => x;',
  });
  expect(warnings).toContainEqual(expect.stringContaining('Eleventy’s configuration gives posts addresses'));
});

test.each([
  [
    { 'eleventy.config.js': 'export default (c) => { c.setInputDirectory(folder); };' },
    'Eleventy builds “posts/”',
  ],
  [{ 'eleventy.config.js': withInput('${x}') }, 'Eleventy builds “posts/”'],
  [{ 'astro.config.mjs': 'export default {}' }, 'Astro builds “src/content/blog/”'],
  [{ 'hugo.yaml': 'contentDir: ../text' }, 'Hugo builds “content/posts/”'],
  [{ 'hugo.yaml': 'languages: {en: {contentDir: en}}' }, 'Hugo builds “content/posts/”'],
  [{ 'index.html': '' }, 'your generator builds “posts/”'],
])('without posts, a folder that may not be built has a warning: %o', async (files, words) => {
  const { warnings } = await suggestedFor(files);
  expect(warnings).toContainEqual(expect.stringContaining(words));
});

test.each([
  [{ 'hugo.yaml': 'contentDir: text' }, 'text/posts/'],
  [{ '_config.yml': 'source: site\ncollections_dir: all' }, 'site/all/_posts/'],
  [{ '.eleventy.js': 'module.exports = (c) => { c.setInputDirectory("text") }' }, 'text/posts/'],
])('without posts, the folder that the generator builds is suggested: %o', async (files, dir) => {
  const { postFile, warnings } = await suggestedFor(files);
  expect(postFile).toBe(`${dir}{yyyy}-{mm}-{dd}-{slug}.md`);
  expect(warnings.filter((words) => words.includes('can’t tell'))).toEqual([]);
});

test('posts of Astro are also found among its pages', async () => {
  const files = {
    'astro.config.mjs': 'export default {}',
    'src/pages/posts/fog.md': '',
    'src/pages/about.md': '',
  };
  expect(await suggestedFor(files)).toMatchObject({
    postFile: 'src/pages/posts/{slug}.md',
    postUrl: 'posts/{slug}/',
  });
});

test('a folder of posts without a configuration is Jekyll’s, as GitHub builds it', async () => {
  const found = await detectSite(folderWith({ '_posts/2026-01-02-fog.md': '' }), parseHere);
  expect(found).toMatchObject({ generator: 'jekyll', configFile: null, posts: 1, warnings: [] });
  expect(found.suggested.postUrl).toBe('{yyyy}/{mm}/{dd}/{slug}.html');
});
