import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Generator, SiteFolderSettings } from '../../../src-main/contract/site-folder.ts';
import type { Post, Properties } from '../../../src-main/contract/posts.ts';
import { readPage } from '../../../src-main/http/strangers/web-page.ts';
import { markdownHtml } from '../../../src-main/post/markdown.ts';
import { siteAuthor } from '../../../src-main/site/author.ts';
import { richMarkup } from '../../../src-main/site/rich-text.ts';
import { shownContent } from '../../../src-main/site/contents.ts';
import { homeOf } from '../../../src-main/site/folder/addresses.ts';
import { isLive } from '../../../src-main/site/folder/live-mark.ts';
import { postFile } from '../../../src-main/site/folder/post-file.ts';
import { usualTemplates } from '../../../src-main/site/folder/usual-templates.ts';
import { buildSite, hasGenerator, siteGenerators } from '../../support/site-generators.ts';
import { ann, postOf } from '../../support/site.ts';

const count = Number(process.env['PORCHLIGHT_HOSTILE_POSTS'] ?? 500);
const baseUrl = 'https://me.example/';
const porch = 'https://porch.example';

/** What templates, Markdown, front matter and file systems give a meaning to. */
const hostile = [
  ...['{{ site }}', '{% raw %}', '{{< x >}}', '{{% x %}}', '{# x #}', '{{=<% %>=}}', '---', '+++', '...'],
  ...['\n---\ntitle: x\n---\n', '"', "'", ': ', '# ', '* ', '- ', '1. ', '> ', '`', '```', '~~', '**', '_'],
  ...['[a](b)', '![a](b)', '<b>x</b>', '<script>alert(1)</script>', '&amp;', '&', '<!-- x -->', '$$x$$'],
  ...[
    '{: .x}',
    '[^1]',
    '[^1]: x',
    '*[x]: y',
    '\\',
    '|a|b|\n|-|-|',
    '\n\n',
    '\n',
    '    code',
    '\t',
    '...',
    '--',
  ],
  ...[
    'https://bo.example/',
    'www.bo.example',
    'ann@example.org',
    ':smile:',
    '~',
    '^',
    '==',
    '(c)',
    '%}',
    '}}',
  ],
  ...[
    '\u202E',
    '\u200B',
    'é',
    '日本語',
    '😀',
    'con',
    '..',
    '/',
    '\u0000',
    '\uD800',
    'constructor',
    '#tag',
    '@bo',
  ],
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...hostile), fc.lorem({ maxCount: 3 }), fc.string({ maxLength: 8 })), {
    ...{ minLength: 1, maxLength: 12 },
  })
  .map((parts) => parts.join(' '));

interface Sample {
  readonly properties: Properties;
  readonly markdown?: string;
}

const sample: fc.Arbitrary<Sample> = fc.oneof(
  { weight: 4, arbitrary: text.map((content) => ({ properties: { content: [content] } })) },
  {
    weight: 2,
    arbitrary: fc.tuple(text, text, text, text).map(([name, content, tag, summary]) => ({
      properties: { name: [name], content: [content], category: [tag], summary: [summary] },
    })),
  },
  {
    weight: 2,
    arbitrary: text.map((markdown) => ({
      properties: { content: [{ html: markdownHtml(markdown) }] },
      markdown,
    })),
  },
  {
    weight: 1,
    arbitrary: text.map((content) => ({
      properties: { 'in-reply-to': ['https://bo.example/x'], content: [content] },
    })),
  },
);

const samples = fc.sample(sample, { numRuns: count, seed: 20261123 });
const settingsOf = (generator: Generator): SiteFolderSettings => ({
  ...{ on: true, path: '/site', generator, baseUrl, ...usualTemplates(generator) },
  ...{ media: 'porch', mentions: 'off', commit: false, push: false, branch: '', remote: '', adopt: false },
});

const view = {
  ...{ base: porch, author: siteAuthor(ann, porch) },
  contentOf: (post: Post) => shownContent(post, porch),
  shown: () => undefined,
};

/** The theme. Its microformats come from the layout; the words come from the generator. */
const themes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
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
};

/** Returns the text of the content of a page's first entry. */
function contentIn(text: string, url: string): string {
  const [entry] = readPage({ url, linkHeader: null, text }).items;
  const content = entry?.properties['content']?.[0] as { value?: string } | undefined;
  return words(content?.value ?? '');
}

/** A file can't hold control characters or half characters, and white space means nothing in HTML. */
const words = (shown: string) =>
  shown
    .replace(/[\p{Surrogate}\uFFFD]|(?![\t\n\r])\p{Cc}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();

describe.each(siteGenerators)('%s', (name, generator) => {
  let folder: string;
  const kind = name.toLowerCase() as Generator;
  const isThere = hasGenerator(generator);
  if (!isThere) console.log(`The posts are not built by ${name}: it isn’t installed.`);
  const settings = settingsOf(kind);
  const taken = new Set<string>();
  const posts = samples.map(({ properties, markdown }, index) => {
    const path = `/posts/2026/11/${encodeURIComponent(`post-${index}`)}`;
    const post = postOf(properties, { path, ...(markdown !== undefined && { markdown }) });
    const home = { ...homeOf(post, settings), former: [], written: {}, liveAt: null };
    return { ...post, home };
  });

  beforeAll(async () => {
    if (!isThere) return;
    folder = await mkdtemp(path.join(tmpdir(), 'porchlight-builds-'));
    const write = async (file: string, content: string) => {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
      await writeFile(path.join(folder, file), content);
    };
    for (const [file, content] of Object.entries(themes[name] ?? {})) await write(file, content);
    for (const post of posts) {
      const { file, text: content } = postFile(post, view, settings);
      expect(taken.has(file.toLowerCase())).toBe(false);
      taken.add(file.toLowerCase());
      await write(file, content);
    }
    await buildSite(folder, generator);
  }, 300_000);

  afterAll(async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test.skipIf(!isThere)(
    `builds ${count} hostile posts: each page says what was posted, at its own URL`,
    async () => {
      const wrong: object[] = [];
      for (const post of posts) {
        const at = new URL(post.home.url).pathname;
        const page = await readFile(path.join(folder, generator.output, at, 'index.html'), 'utf8');
        expect(isLive(page, post)).toEqual({ live: true, hasOwnUrl: true });
        const shown = contentIn(page, post.home.url);
        const { rich } = shownContent(post, porch);
        const own = rich ? richMarkup(rich, view).markup : '';
        const ours = `<div class="h-entry"><div class="e-content">${own}</div></div>`;
        const wanted = contentIn(ours, post.home.url);
        if (!shown.includes(wanted)) wrong.push({ properties: post.properties, shown, wanted });
      }
      expect(wrong).toEqual([]);
    },
  );
});
