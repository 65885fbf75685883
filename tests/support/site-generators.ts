import { execFile, spawnSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
// The package exports its API alone, from the folder src/.
const eleventy = path.resolve(require.resolve('@11ty/eleventy'), '../../cmd.cjs');

/** A program that makes a site from a folder. */
export interface SiteGenerator {
  readonly command: string;
  /** What makes it print its version. */
  readonly version: readonly string[];
  readonly build: readonly string[];
  /** Where it writes the site, in the folder that it builds. */
  readonly output: string;
  /** The packages that a site of this generator needs in its folder. */
  readonly packages?: string;
}

const hugo: SiteGenerator = { command: 'hugo', version: ['version'], build: [], output: 'public' };

/** The three real ones: Hugo and Jekyll from the system, Eleventy from npm. */
export const siteGenerators: readonly (readonly [name: string, generator: SiteGenerator])[] = [
  ['Hugo', hugo],
  ['Jekyll', { command: 'jekyll', version: ['--version'], build: ['build'], output: '_site' }],
  [
    'Eleventy',
    {
      command: process.execPath,
      version: [eleventy, '--version'],
      build: [eleventy],
      output: '_site',
    },
  ],
];

/** Where Astro is installed (npm install astro). It brings 250 packages, so no usual run has it. */
const astroPackages = path.resolve(process.env['PORCHLIGHT_ASTRO'] ?? '/nowhere', 'node_modules');
const astro = path.join(astroPackages, 'astro/bin/astro.mjs');

/** All generators that this computer may have. The export is not made for Astro. */
export const allGenerators: typeof siteGenerators = [
  ...siteGenerators,
  [
    'Astro',
    {
      command: process.execPath,
      version: [astro, '--version'],
      build: [astro, 'build'],
      output: 'dist',
      packages: astroPackages,
    },
  ],
];

/**
 * Returns a theme for each of them: a configuration and a layout for posts. Microformats come from the layout; the words
 * come from the generator.
 */
export const smallThemes = (
  baseUrl: string,
): Readonly<Record<string, Readonly<Record<string, string>> | undefined>> => ({
  Hugo: {
    'hugo.toml': `baseURL = "${baseUrl}"\ndisableKinds = ["taxonomy", "term", "RSS", "sitemap", "section"]\n`,
    'layouts/_default/single.html':
      '<main class="h-entry"><div class="e-content">{{ .Content }}</div></main>',
    'layouts/index.html': '{{ range site.RegularPages }}<a href="{{ .Permalink }}">{{ .Title }}</a>{{ end }}',
  },
  Jekyll: {
    '_config.yml': `url: "${baseUrl.slice(0, -1)}"\nfuture: true\ndefaults:\n  - scope: { path: "", type: posts }\n    values: { layout: post }\n`,
    '_layouts/post.html': '<main class="h-entry"><div class="e-content">{{ content }}</div></main>\n',
  },
  Eleventy: {
    'eleventy.config.mjs': 'export default () => ({ dir: { output: "_site" } });\n',
    'posts/posts.json': '{ "layout": "post.liquid" }\n',
    '_includes/post.liquid': '<main class="h-entry"><div class="e-content">{{ content }}</div></main>\n',
  },
  Astro: astroTheme(baseUrl, '<main class="h-entry"><div class="e-content"><Content /></div></main>'),
});

/** Returns the files of a site that Astro's own template for blogs makes, with its rules for the fields of posts. */
const astroTheme = (baseUrl: string, page: string) => ({
  'astro.config.mjs': `export default { site: ${JSON.stringify(baseUrl)} };\n`,
  'src/content.config.ts': `import { defineCollection } from 'astro:content';
import { glob } from 'astro/loaders';
import { z } from 'astro/zod';
const blog = defineCollection({
  loader: glob({ base: './src/content/blog', pattern: '**/*.{md,mdx}' }),
  schema: z.object({ title: z.string(), description: z.string(), pubDate: z.coerce.date(), updatedDate: z.coerce.date().optional() }),
});
export const collections = { blog };
`,
  'src/pages/blog/[...slug].astro': `---
import { getCollection, render } from 'astro:content';
export async function getStaticPaths() {
  const posts = await getCollection('blog');
  return posts.map((post) => ({ params: { slug: post.id }, props: post }));
}
const { Content } = await render(Astro.props);
---
<html lang="en"><body>${page}</body></html>
`,
});

/**
 * Returns for each of them the configuration and templates of a site that lists its posts wherever it can: on the home
 * page, in menus, on tag pages, in feeds and in sitemaps.
 */
export const listingThemes = (
  baseUrl: string,
): Readonly<Record<string, Readonly<Record<string, string>> | undefined>> => ({
  Hugo: {
    'hugo.toml': `baseURL = "${baseUrl}"\n`,
    'netlify.toml': `[build.environment]\nHUGO_VERSION = "${hugoVersion()}"\n`,
    'layouts/_default/single.html': '{{ .Content }}',
    'layouts/_default/list.html': '{{ range .Pages }}<a href="{{ .Permalink }}">{{ .Title }}</a>{{ end }}',
    'layouts/index.html': '{{ range site.RegularPages }}<a href="{{ .Permalink }}">{{ .Title }}</a>{{ end }}',
  },
  Jekyll: {
    '_config.yml': `url: "${baseUrl.slice(0, -1)}"\nfuture: true\ndefaults:\n  - scope: { path: "", type: posts }\n    values: { layout: words }\n`,
    '_layouts/words.html': 'The layout of posts: {{ content }}',
    // Themes make a menu from all pages with a title.
    'index.html':
      '---\n---\n{% for p in site.posts %}{{ p.url }} {{ p.title }};{% endfor %}{% for p in site.pages %}{% if p.title %}{{ p.url }} {{ p.title }};{% endif %}{% endfor %}',
    'tags.html':
      '---\n---\n{% for tag in site.tags %}{{ tag[0] }}{% for p in tag[1] %}{{ p.url }}{% endfor %}{% endfor %}',
    'feed.xml': '---\n---\n{% for p in site.posts %}{{ p.url }}{{ p.content }}{% endfor %}',
    // As jekyll-sitemap does.
    'sitemap.xml':
      '---\n---\n{% assign all = site.pages | concat: site.posts | where_exp: "p", "p.sitemap != false" %}{% for p in all %}{{ p.url }};{% endfor %}',
  },
  Eleventy: {
    'eleventy.config.mjs': 'export default () => ({ dir: { output: "_site" } });\n',
    'index.liquid': '{% for p in collections.all %}{{ p.url }} {{ p.data.title }};{% endfor %}',
    'tags.liquid': '{% for p in collections.tea %}{{ p.url }} {{ p.data.title }};{% endfor %}',
  },
});

const hugoVersion = () =>
  /v(\d+\.\d+\.\d+)/.exec(String(spawnSync(hugo.command, hugo.version).stdout))?.[1] ?? '';

/** Returns whether this computer has the generator. */
export function hasGenerator({ command, version }: SiteGenerator): boolean {
  return spawnSync(command, version).status === 0;
}

/** Builds the site in `folder`. Returns what the generator printed. Throws where it fails. */
export async function buildSite(
  folder: string,
  { command, build, packages }: SiteGenerator,
): Promise<string> {
  if (packages !== undefined) await symlink(packages, path.join(folder, 'node_modules'));
  const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' };
  const { stdout, stderr } = await run(command, build, { cwd: folder, env, maxBuffer: 50_000_000 });
  return stdout + stderr;
}
