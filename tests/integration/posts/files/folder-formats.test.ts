import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { homeOf, sitePath } from '../../../../src-main/posts/files/addresses.ts';
import { BareDate, clean } from '../../../../src-main/posts/files/front-matter.ts';
import { liveState } from '../../../../src-main/posts/files/live-mark.ts';
import { postFields } from '../../../../src-main/posts/files/post-fields.ts';
import { postFile } from '../../../../src-main/posts/files/post-file.ts';
import { postMarkdownHere } from '../../../support/folder-reading.ts';
import {
  contentIn,
  expectedContent,
  hostilePost,
  hostileText,
  hostileView,
  type HostilePost,
} from '../../../support/hostile-posts.ts';
import { postOf } from '../../../support/site.ts';
import { folderSettings } from '../../../support/folder-settings.ts';

const baseUrl = 'https://me.example/blog/';
const count = Number(process.env['PORCHLIGHT_HOSTILE_POSTS'] ?? 200);

/** Where Zola and Astro find the end of the fields, as their sources say. */
const ends = {
  zola: /^[ \t\r\n]*\+\+\+(\r?\n[\s\S]*?)\+\+\+[ \t\r\n]*(?:$|\r?\n([\s\S]*)$)/,
  custom: /^---\n([\s\S]*?\n)---\n([\s\S]*)$/,
  astro: /(?:^\uFEFF?|^\s*\n)(?:---|\+\+\+)([\s\S]*?\n)(?:---|\+\+\+)([\s\S]*)$/,
};
const parsers = {
  zola: (fields: string): unknown => parseToml(fields),
  custom: (fields: string): unknown => parsers.astro(fields),
  // Programs for YAML 1.1 and 1.2 read the same.
  astro(fields: string): unknown {
    const found: unknown = parseYaml(fields, { version: '1.1', schema: 'core' });
    expect(parseYaml(fields, { version: '1.2' })).toEqual(found);
    return found;
  },
};

const withPhoto: fc.Arbitrary<HostilePost> = fc.tuple(hostileText, hostileText).map(([content, alt]) => ({
  properties: { content: [content], photo: [{ value: 'https://bo.example/p.jpg', alt }] },
}));
const samples = fc.sample(
  fc.tuple(
    fc.oneof({ weight: 5, arbitrary: hostilePost }, { weight: 1, arbitrary: withPhoto }),
    fc.constantFrom('public', 'unlisted'),
    fc.array(fc.constantFrom('first', 'zwei', '日本', 'a%20b'), { maxLength: 2 }),
    fc.constantFrom('2026-11-21T09:06:00-05:00', '2026-02-28T23:59:59+05:45', '1999-12-31T00:00:00Z'),
  ),
  { numRuns: count, seed: 20261123 },
);

/** The generators' own Markdown differs from this only in what the body never has. */
const markdown = new MarkdownIt({ html: true });

describe.each(['zola', 'astro', 'custom'] as const)('%s', (generator) => {
  const settings = folderSettings('/site', generator, { baseUrl });
  const facts = { hasTags: true };

  test(`reads every field and the text of ${count} hostile posts unchanged`, async () => {
    for (const [
      index,
      [{ properties, markdown: source }, visibility, former, published],
    ] of samples.entries()) {
      const base = postOf(
        { ...properties, published: [published] },
        {
          path: `/posts/2026/11/post-${index}`,
          visibility,
          ...(source !== undefined && { markdown: source }),
        },
      );
      const home = {
        ...homeOf(base, settings),
        former: former.map((slug) => `${baseUrl}posts/${encodeURIComponent(slug)}/`),
        written: {},
        liveAt: null,
      };
      const post = { ...base, home };
      const { file, text } = await postFile(post, hostileView, settings, postMarkdownHere, facts);
      expect(file.replace(/html$/, 'md')).toBe(home.file);
      const [, front = '', body = ''] = ends[generator].exec(text) ?? [];
      const read = parsers[generator](front) as Record<string, unknown>;

      const place = {
        path: sitePath(home.url, baseUrl) ?? '',
        former: home.former.flatMap((url) => sitePath(url, baseUrl) ?? []),
        mediaUrl: String,
      };
      const fields = postFields(post, hostileView, place, [generator], facts);
      expect(plain(read)).toEqual(plain(fields));

      // What was posted, whatever the code in between makes of it.
      const all = { ...read, ...(read['extra'] as object | undefined) } as Record<string, unknown>;
      const [name] = properties['name'] ?? [];
      if (typeof name === 'string' && name.length < 400 && line(name) !== '')
        expect(line(all['title'])).toBe(line(name));
      const [reply] = properties['in-reply-to'] ?? [];
      if (reply !== undefined) expect(JSON.stringify(all)).toContain(JSON.stringify(reply));
      const [photo] = properties['photo'] ?? [];
      if (typeof photo === 'object' && photo !== null && 'alt' in photo)
        expect(JSON.stringify(all['photo'])).toContain(JSON.stringify(clean(String(photo.alt))).slice(1, -1));
      expect(instant(all['date'])).toBe(Date.parse(published));

      const page = `<main class="h-entry"><div class="e-content">${file.endsWith('.html') ? body : markdown.render(body)}</div></main>`;
      expect(liveState(page, post)).toEqual({ live: true, hasOwnUrl: true });
      expect(contentIn(page, home.url)).toContain(expectedContent(post, home.url));
      // Astro makes typographic signs of these in Markdown, even if they are escaped.
      if (generator === 'astro') expect(textOf(body)).not.toMatch(/["']|--|\.\.\.|``/);
      // Zola runs shortcodes wherever they are in the text.
      expect(body).not.toMatch(/\{[{%#]/);
    }
  });
});

/** Returns the text of Markdown that isn't HTML or code. */
const textOf = (body: string) =>
  markdown
    .parse(body, {})
    .flatMap(({ children }) => children ?? [])
    .map(({ type, content }) => (type.startsWith('text') ? content : '\n'))
    .join('');

const line = (text: unknown) => clean(String(text)).replace(/\s+/g, ' ').trim();

const instant = (date: unknown) => Date.parse(date instanceof Date ? date.toISOString() : String(date));

/** Returns fields as JSON has them: dates as moments in UTC, without what is left out. */
function plain(value: unknown): unknown {
  if (typeof value === 'string')
    return /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(value)
      ? new Date(value).toISOString()
      : clean(value);
  if (value instanceof BareDate) return new Date(value.text).toISOString();
  if (value instanceof Date) return new Date(value.getTime()).toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([name, item]) => [name, plain(item)]));
}
