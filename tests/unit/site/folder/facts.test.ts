import { expect, test } from 'vitest';
import { readFolderFacts } from '../../../../src-main/site/folder/facts.ts';

/** A folder with these files. */
const folderWith = (files: Readonly<Record<string, string>>) => ({
  list: () => Promise.resolve([]),
  read: (file: string, mostBytes: number) => Promise.resolve(files[file]?.slice(0, mostBytes)),
});

test.each([
  ['plugins: [jekyll-feed, jekyll-redirect-from]\n', true],
  ['gems:\n  - jekyll-redirect-from\n', true],
  ['plugins: [jekyll-feed]\n# jekyll-redirect-from\n', false],
  ['plugins: jekyll-redirect-from\n', true],
  ['plugins: {\n', false],
])('Jekyll redirects former addresses only with its plugin: %j', async (config, hasRedirectFrom) => {
  expect(await readFolderFacts(folderWith({ '_config.yml': config }), 'jekyll')).toEqual({ hasRedirectFrom });
});

test('a plugin in the Gemfile counts only in the group that Jekyll loads', async () => {
  const inGroup =
    'group :jekyll_plugins do\n  gem "jekyll-feed"\n  gem "jekyll-redirect-from", "~> 0.16"\nend\n';
  const facts = (gemfile: string) => readFolderFacts(folderWith({ Gemfile: gemfile }), 'jekyll');
  expect(await facts(inGroup)).toEqual({ hasRedirectFrom: true });
  expect(await facts('gem "jekyll-redirect-from"\n')).toEqual({ hasRedirectFrom: false });
});

test('Zola has tags only if its configuration has the taxonomy', async () => {
  const facts = (config: string) => readFolderFacts(folderWith({ 'config.toml': config }), 'zola');
  expect(await facts('taxonomies = [{ name = "tags", feed = true }]\n')).toEqual({ hasTags: true });
  expect(await facts('taxonomies = [{ name = "categories" }]\n[extra]\ntags = 1\n')).toEqual({
    hasTags: false,
  });
  expect(await facts('taxonomies = "tags"\n')).toEqual({ hasTags: false });
});

test('a file for the host is found where the generator copies it from, with its format', async () => {
  const facts = (files: Readonly<Record<string, string>>) => readFolderFacts(folderWith(files), 'astro');
  const found = async (files: Readonly<Record<string, string>>) => (await facts(files)).hostFile;
  expect(await found({ _redirects: '', 'public/_redirects': '' })).toEqual({
    ...{ file: 'public/_redirects', format: 'redirects' },
  });
  expect(await found({ 'src/_redirects': '', 'netlify.toml': '' })).toEqual({
    ...{ file: 'src/_redirects', format: 'netlify' },
  });
  expect(await found({ 'docs/_redirects': '' })).toBeUndefined();
  expect(await found({ 'public/.htaccess': 'ErrorDocument 404 /404.html\n' })).toEqual({
    ...{ file: 'public/.htaccess', format: 'apache' },
  });
  // Nothing shows that the host allows redirects there.
  expect(await found({ 'public/.htaccess': '# Redirect\nOptions -Indexes\n' })).toBeUndefined();
});
