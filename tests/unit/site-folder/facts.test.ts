import { expect, test } from 'vitest';
import { readFolderFacts } from '../../../src-main/site-folder/facts.ts';
import { parseHere } from '../../support/folder-reading.ts';

/** A folder with these files. */
const folderWith = (files: Readonly<Record<string, string>>) => ({
  list: (dir: string) =>
    Promise.resolve(
      Object.keys(files).flatMap((file) => (file.startsWith(`${dir}/`) ? file.slice(dir.length + 1) : [])),
    ),
  read: (file: string, mostBytes: number) => Promise.resolve(files[file]?.slice(0, mostBytes)),
});

test.each([
  ['plugins: [jekyll-feed, jekyll-redirect-from]\n', true],
  ['gems:\n  - jekyll-redirect-from\n', true],
  ['plugins: [jekyll-feed]\n# jekyll-redirect-from\n', false],
  ['plugins: jekyll-redirect-from\n', true],
  ['plugins: {\n', false],
])('Jekyll redirects former addresses only with its plugin: %j', async (config, hasRedirectFrom) => {
  expect(await readFolderFacts(folderWith({ '_config.yml': config }), 'jekyll', parseHere)).toEqual({
    hasRedirectFrom,
  });
});

test('a plugin in the Gemfile counts only in the group that Jekyll loads', async () => {
  const inGroup =
    'group :jekyll_plugins do\n  gem "jekyll-feed"\n  gem "jekyll-redirect-from", "~> 0.16"\nend\n';
  const facts = (gemfile: string) => readFolderFacts(folderWith({ Gemfile: gemfile }), 'jekyll', parseHere);
  expect(await facts(inGroup)).toEqual({ hasRedirectFrom: true });
  expect(await facts('gem "jekyll-redirect-from"\n')).toEqual({ hasRedirectFrom: false });
});

test.each([
  [{ 'netlify.toml': '[build.environment]\nHUGO_VERSION = "0.111.3"\n' }, true],
  [{ 'netlify.toml': '[build.environment]\nHUGO_VERSION = "0.123.0"\n' }, false],
  [{ 'vercel.json': '{ "build": { "env": { "HUGO_VERSION": "0.92.0" } } }' }, true],
  [{ '.github/workflows/site.yml': "uses: peaceiris/actions-hugo@v3.0.0\nhugo-version: '0.122.0'" }, true],
  [{ '.github/workflows/site.yml': 'uses: peaceiris/actions-hugo@v3.0.0\nhugo-version: latest' }, undefined],
  [{ '.gitlab-ci.yml': 'image: registry.gitlab.com/pages/hugo/hugo_extended:0.119.0' }, true],
  [{ '.tool-versions': 'gohugo extended_0.148.1\n' }, false],
  [{}, undefined],
])('Hugo counts as old only if the folder names an old version: %j', async (files, isOldHugo) => {
  expect(await readFolderFacts(folderWith(files), 'hugo', parseHere)).toEqual({ isOldHugo });
});

test('the version of Hugo is also found at the root of the repository, below which the site is', async () => {
  const above = folderWith({ '.github/workflows/site.yml': "hugo-version: '0.111.3'" });
  const facts = (files: Readonly<Record<string, string>>) =>
    readFolderFacts(folderWith(files), 'hugo', parseHere, above);
  expect(await facts({})).toEqual({ isOldHugo: true });
  expect(await facts({ 'netlify.toml': 'HUGO_VERSION = "0.150.0"' })).toEqual({ isOldHugo: false });
});

test('Jekyll’s configuration can set the layout of posts', async () => {
  const facts = (config: string) =>
    readFolderFacts(folderWith({ '_config.yml': config }), 'jekyll', parseHere);
  const defaults = (scope: string) => `defaults:\n  - scope: ${scope}\n    values: { layout: words }\n`;
  for (const scope of ['{ path: "", type: posts }', '{ path: "" }', '{ path: _posts }'])
    expect(await facts(defaults(scope)), scope).toMatchObject({ postLayout: 'words' });
  for (const scope of ['{ path: "", type: pages }', '{ path: _posts/old }'])
    expect(await facts(defaults(scope)), scope).not.toHaveProperty('postLayout');
});

test('Zola has tags only if its configuration has the taxonomy', async () => {
  const facts = (config: string) => readFolderFacts(folderWith({ 'config.toml': config }), 'zola', parseHere);
  expect(await facts('taxonomies = [{ name = "tags", feed = true }]\n')).toEqual({ hasTags: true });
  expect(await facts('taxonomies = [{ name = "categories" }]\n[extra]\ntags = 1\n')).toEqual({
    hasTags: false,
  });
  expect(await facts('taxonomies = "tags"\n')).toEqual({ hasTags: false });
});

test('a file for the host is found in the folder from which the generator copies it, with its format', async () => {
  const facts = (files: Readonly<Record<string, string>>) =>
    readFolderFacts(folderWith(files), 'astro', parseHere);
  const found = async (files: Readonly<Record<string, string>>) => (await facts(files)).hostFile;
  expect(await found({ _redirects: '', 'public/_redirects': '' })).toEqual({
    file: 'public/_redirects',
    format: 'redirects',
  });
  expect(await found({ 'src/_redirects': '', 'netlify.toml': '' })).toEqual({
    file: 'src/_redirects',
    format: 'netlify',
  });
  const above = folderWith({ 'netlify.toml': '[build]\nbase = "site"\n' });
  expect(await readFolderFacts(folderWith({ _redirects: '' }), 'astro', parseHere, above)).toEqual({
    hostFile: { file: '_redirects', format: 'netlify' },
  });
  expect(await found({ 'docs/_redirects': '' })).toBeUndefined();
  expect(await found({ 'public/.htaccess': 'ErrorDocument 404 /404.html\n' })).toEqual({
    file: 'public/.htaccess',
    format: 'apache',
  });
  // Nothing shows that the host allows redirects there.
  expect(await found({ 'public/.htaccess': '# Redirect\nOptions -Indexes\n' })).toBeUndefined();
});
