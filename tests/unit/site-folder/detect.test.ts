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
