import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished, expect, test } from 'vitest';
import type { Generator } from '../../../src-main/contract/site-folder.ts';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { mentionDataFile, snippetFor } from '../../../src-main/site-folder/folder-mentions.ts';
import { allGenerators, buildSite, hasGenerator } from '../../support/site-generators.ts';

const baseUrl = 'https://me.example/';
const at = '2026-11-22T10:00:00.000Z';

function mention(over: Partial<MentionRecord>): MentionRecord {
  return {
    id: 'm',
    source: 'https://bo.example/reply',
    target: `${baseUrl}notes/tea/`,
    type: 'reply',
    received: at,
    parsed: at,
    status: 'approved',
    ...over,
  };
}

const hostile = [
  mention({
    author: {
      name: 'Bo </li><script>alert(1)</script> {{ site }} {% raw %} "\'',
      url: 'javascript:alert(1)',
      photo: '',
    },
    content: { value: '<img src=x onerror=alert(1)> {{< x >}} {% include x %} & "quoted"' },
  }),
  mention({ source: 'https://eve.example/"><script>', url: 'javascript:alert(2)' }),
];

/** A slug whose percent-encoded form is too long for the name of a file. */
const long = '长'.repeat(60);

/** The template of a post in each generator, which includes the snippet. */
const themes: Readonly<Record<string, (snippet: string) => Readonly<Record<string, string>>>> = {
  Hugo: (snippet) => ({
    'hugo.toml': `baseURL = "${baseUrl}"\ndisableKinds = ["taxonomy", "term", "RSS", "sitemap", "section"]\n`,
    'layouts/_default/single.html': '<main>{{ partial "mentions.html" . }}</main>',
    'layouts/index.html': 'home',
    'layouts/partials/mentions.html': snippet,
    'content/notes/tea.md': '---\ntitle: Tea\nurl: /notes/tea/\n---\nTea\n',
    'content/notes/fog.md': '---\ntitle: Fog\nurl: /notes/fog/\n---\nFog\n',
    'content/notes/long.md': `---\ntitle: Long\nurl: /notes/${long}/\n---\nLong\n`,
    'content/notes/mist.md': '---\ntitle: Mist\nurl: /notes/雾-größe/\n---\nMist\n',
  }),
  Jekyll: (snippet) => ({
    '_config.yml': `url: "${baseUrl.slice(0, -1)}"\n`,
    '_layouts/post.html': '<main>{% include mentions.html %}</main>',
    '_includes/mentions.html': snippet,
    'tea.md': '---\nlayout: post\npermalink: /notes/tea/\n---\nTea\n',
    'fog.md': '---\nlayout: post\npermalink: /notes/fog/\n---\nFog\n',
    'long.md': `---\nlayout: post\npermalink: /notes/${long}/\n---\nLong\n`,
    'mist.md': '---\nlayout: post\npermalink: /notes/雾-größe/\n---\nMist\n',
    'чай.md': '---\nlayout: post\n---\nNamed after its file\n',
  }),
  Eleventy: (snippet) => ({
    'eleventy.config.mjs': 'export default () => ({ dir: { output: "_site" } });\n',
    '_includes/post.liquid': '<main>{% include "mentions.liquid" %}</main>',
    '_includes/mentions.liquid': snippet,
    'tea.md': '---\nlayout: post.liquid\npermalink: /notes/tea/\n---\nTea\n',
    'fog.md': '---\nlayout: post.liquid\npermalink: /notes/fog/\n---\nFog\n',
    'long.md': `---\nlayout: post.liquid\npermalink: /notes/${long}/\n---\nLong\n`,
    'mist.md': '---\nlayout: post.liquid\npermalink: /notes/雾-größe/\n---\nMist\n',
  }),
  Astro: (snippet) => ({
    'astro.config.mjs': `export default { site: ${JSON.stringify(baseUrl)} };\n`,
    'src/components/Mentions.astro': snippet,
    ...Object.fromEntries(
      ['tea', 'fog', long, '雾-größe'].map((slug) => [
        `src/pages/notes/${slug}.astro`,
        `---\nimport Mentions from '../../components/Mentions.astro';\n---\n<main><Mentions /></main>`,
      ]),
    ),
  }),
};

test.each(allGenerators)(
  'the snippet for %s shows only mentions from the data file',
  async (name, generator) => {
    if (!hasGenerator(generator)) {
      console.log(`The snippet for ${name} is not tested: ${name} isn’t installed.`);
      return;
    }
    const kind = name.toLowerCase() as Generator;
    const folder = await mkdtemp(path.join(tmpdir(), 'porchlight-mentions-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const files = { ...themes[name]?.(snippetFor(kind).text) };
    for (const page of ['notes/tea/', 'notes/雾-größe/', `notes/${long}/`, 'чай.html']) {
      const data = mentionDataFile(`${baseUrl}${page}`, hostile, { generator: kind, baseUrl });
      files[data.file] = data.text ?? '';
    }
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
      await writeFile(path.join(folder, file), text);
    }
    await buildSite(folder, generator);
    const pageOf = (page: string) =>
      readFile(path.join(folder, generator.output, 'notes', page, 'index.html'), 'utf8');
    const tea = await pageOf('tea');
    expect(tea.match(/<li>/g)).toHaveLength(2);
    expect(tea).toContain('{{ site }} {% raw %}');
    expect(tea).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(tea).not.toContain('javascript:');
    // In a quoted value, a bracket is text.
    expect(tea.replace(/="[^"]*"/g, '')).not.toMatch(/<script|<img/);
    expect((await pageOf('雾-größe')).match(/<li>/g)).toHaveLength(2);
    expect((await pageOf(long)).match(/<li>/g)).toHaveLength(2);
    if ('чай.md' in files) {
      const named = await readFile(path.join(folder, generator.output, 'чай.html'), 'utf8');
      expect(named.match(/<li>/g)).toHaveLength(2);
    }
    expect(await pageOf('fog')).not.toContain('<li>');
  },
);

/** The engine of Eleventy whose templates are like Zola's. */
interface Nunjucks {
  Environment: new (
    loader: null,
    options: { autoescape: boolean },
  ) => {
    addFilter(name: string, filter: (text: string, named: Readonly<Record<string, string>>) => string): void;
    addGlobal(name: string, value: unknown): void;
    renderString(text: string, context: object): string;
  };
}

test('the snippet for Zola reads the page’s data file, and shows its mentions as text', () => {
  const ofEleventy = createRequire(createRequire(import.meta.url).resolve('@11ty/eleventy'));
  const { Environment } = ofEleventy('nunjucks') as Nunjucks;
  const engine = new Environment(null, { autoescape: true });
  // The filters as Zola's documentation describes them.
  engine.addFilter('trim_start_matches', (text, { pat = '' }) =>
    text.startsWith(pat) ? text.slice(pat.length) : text,
  );
  engine.addFilter('urlencode', (text) => encodeURIComponent(text).replaceAll('%2F', '/'));
  engine.addFilter('replace', (text, { from = '', to = '' }) => text.replaceAll(from, to));
  engine.addFilter('regex_replace', (text, { pattern = '', rep = '' }) =>
    text.replace(new RegExp(pattern, 'gu'), rep),
  );
  const snippet = snippetFor('zola').text.replace(/`([^`]*)`/g, (_, text: string) => JSON.stringify(text));
  const rules = { generator: 'zola', baseUrl: `${baseUrl}blog/` } as const;
  for (const page of ['/', '/notes/tea/', '/notes/雾-größe/', `/notes/${long}/`]) {
    const data = mentionDataFile(rules.baseUrl + page.slice(1), hostile, rules);
    engine.addGlobal('load_data', ({ path: file }: { path: string }) =>
      file === data.file ? (JSON.parse(data.text ?? '') as unknown) : null,
    );
    const shown = engine.renderString(snippet, { current_path: page });
    expect(shown.match(/<li>/g), page).toHaveLength(2);
    expect(shown).not.toMatch(/<script|<img|javascript:/);
    expect(engine.renderString(snippet, { current_path: '/fog/' })).not.toContain('<li>');
  }
});

test('a page without mentions has no data file, and the home page has a name', () => {
  const rules = { generator: 'hugo', baseUrl } as const;
  expect(mentionDataFile(`${baseUrl}notes/tea/`, [], rules)).toEqual({
    file: 'data/mentions/notes--tea--.json',
    text: null,
  });
  expect(mentionDataFile(baseUrl, [], rules).file).toBe('data/mentions/home.json');
});
