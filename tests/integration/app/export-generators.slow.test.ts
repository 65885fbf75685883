import { access, cp, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPage } from '../../../src-main/untrusted/pages/web-page.ts';
import { samplePosts, templates, there, type SamplePost } from '../../support/export-posts.ts';
import { photo } from '../../support/pictures.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { silence } from '../../support/site-sample-media.ts';
import { buildSite, hasGenerator, siteGenerators } from '../../support/site-generators.ts';

/** The beginning of a WebM file: enough for its type. */
const film = '1a45dfa39f4286810142f7810142f2810442f381084282847765626d428781044285810218538067ff';

let porchlight: Porchlight;
let home: string;
let exported: string;
/** One name of a file in 64 begins with a sign by which Jekyll knows its own folders. */
const underscored = `media/2026/11/_${'A'.repeat(21)}-noon.png`;
/** Where each sample post is, by its name in the samples. */
const paths = new Map<string, string>();
let samples: Readonly<Record<string, SamplePost>>;

async function upload(name: string, data: Buffer): Promise<string> {
  const { url, type } = await porchlight.call('media.upload', { name, data: data.toString('base64') });
  expect(type).toBe({ png: 'image/png', wav: 'audio/wav', webm: 'video/webm' }[name.split('.')[1] ?? '']);
  return url;
}

async function post(token: string, slug: string, { type = 'h-entry', properties }: Omit<SamplePost, 'says'>) {
  const response = await fetch(`${porchlight.base}/micropub`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: [type], properties: { ...properties, 'mp-slug': [slug] } }),
  });
  expect(response.status).toBe(201);
  const location = response.headers.get('location') ?? '';
  paths.set(slug, decodeURIComponent(new URL(location).pathname));
  return location;
}

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'porchlight-'));
  const dataDir = path.join(home, 'data');
  await mkdir(dataDir);
  porchlight = await startPorchlight({ dataDir });
  await porchlight.call('settings.update', { profile: { name: 'Ann {{ site }} "A" <b>' } });
  samples = samplePosts({
    photo: await upload('noon.png', await photo(60, 40).png().toBuffer()),
    second: await upload('dusk.png', await photo(40, 60).png().toBuffer()),
    audio: await upload('rain.wav', silence()),
    video: await upload('rain.webm', Buffer.from(film, 'hex')),
  });
  const { token } = await porchlight.call('apps.issueToken', { label: 'app', scopes: ['create', 'delete'] });
  for (const [slug, sample] of Object.entries(samples)) await post(token, slug, sample);
  const hidden = (content: string, more: object = {}) => ({ properties: { content: [content], ...more } });
  await post(token, 'unlisted', hidden('For whoever has the link', { visibility: ['unlisted'] }));
  await post(token, 'private', hidden('For nobody else', { visibility: ['private'] }));
  await post(token, 'draft', hidden('Not ready', { 'post-status': ['draft'] }));
  await post(token, 'scheduled', hidden('Not yet', { published: ['2090-01-01T00:00:00Z'] }));
  // The same slug and the same date, filed under two months.
  await post(token, 'twin', hidden('One twin', { published: ['2026-10-31T23:30:00-01:00'] }));
  await post(token, 'twin', hidden('Other twin', { published: ['2026-10-31T23:30:00-01:00'] }));
  const url = await post(token, 'deleted', hidden('Regretted'));
  await porchlight.call('posts.delete', { url });
  exported = path.join(home, 'export');
  await porchlight.call('data.export', { path: exported });
  await mkdir(path.join(exported, path.dirname(underscored)), { recursive: true });
  await cp(path.join(exported, 'style.css'), path.join(exported, underscored));
}, 360_000);

afterAll(async () => {
  await porchlight.stop();
  await rm(home, { recursive: true });
});

describe.each(siteGenerators)('%s builds the export without changes:', (name, generator) => {
  let folder: string;
  let site: string;
  let isThere = false;

  beforeAll(async () => {
    isThere = hasGenerator(generator);
    if (!isThere) return;
    folder = path.join(home, name);
    await cp(exported, folder, { recursive: true });
    // What another generator built in the same folder is no part of the site.
    const other = path.join(folder, generator.output === 'public' ? '_site' : 'public');
    await mkdir(other);
    await cp(path.join(folder, 'style.css'), path.join(other, 'other.html'));
    await buildSite(folder, generator);
    site = path.join(folder, generator.output);
  }, 360_000);

  const built = (title: string, check: () => Promise<void>) =>
    test(title, { timeout: 180_000 }, async ({ skip }) => {
      if (!isThere) skip(`${name} is not installed`);
      await check();
    });

  const pageOf = (slug: string) =>
    readFile(path.join(site, (paths.get(slug) ?? slug).slice(1), 'index.html'), 'utf8');

  async function entryOf(slug: string) {
    const text = await pageOf(slug);
    const { items } = readPage({ url: porchlight.base, linkHeader: null, text });
    expect(items, slug).toHaveLength(1);
    return items[0]?.properties ?? {};
  }

  /** The words that a reader sees, on one line. */
  async function wordsOn(slug: string): Promise<string> {
    const page = `<div class="h-entry"><div class="e-content">${await pageOf(slug)}</div></div>`;
    const [item] = readPage({ url: porchlight.base, linkHeader: null, text: page }).items;
    const [content] = item?.properties['content'] ?? [];
    return (content as { value: string }).value.replace(/\s+/g, ' ');
  }

  built('every kind of post shows its text literally', async () => {
    for (const [slug, { says }] of Object.entries(samples)) {
      const words = await wordsOn(slug);
      for (const text of says) expect(words, slug).toContain(text);
      const { author } = await entryOf(slug);
      expect(author, slug).toMatchObject([{ properties: { name: ['Ann {{ site }} "A" <b>'] } }]);
    }
    expect(await pageOf('templates')).not.toContain('<script');
    expect((await entryOf('templates'))['name']).toEqual([templates.join(' ')]);
    expect(JSON.stringify((await entryOf('html-templates'))['content'])).toContain('{{ a }}');
  });

  built('photos have their alt text, and files are where the pages look for them', async () => {
    const { photo: photos = [] } = await entryOf('photos');
    expect(photos).toMatchObject([
      { alt: 'Hills "at noon" {{ now }}' },
      { alt: 'תמונה' },
      { alt: 'Hills again' },
    ]);
    for (const slug of ['photos', 'article', 'audio', 'video']) {
      const sources = [...(await pageOf(slug)).matchAll(/ src="([^"]+)"/g)].map(([, source = '']) => source);
      expect(sources.length, slug).toBe(slug === 'photos' ? 3 : 1);
      for (const source of sources) {
        expect(source).toMatch(/^\/media\//);
        await access(path.join(site, source));
      }
      await access(path.join(site, underscored));
    }
    expect(await pageOf('article')).toContain('alt="Larch"');
  });

  built('responses link to what they respond to', async () => {
    expect((await entryOf('reply'))['in-reply-to']).toEqual([there]);
    expect((await entryOf('reply-cite'))['in-reply-to']).toMatchObject([{ properties: { url: [there] } }]);
    expect((await entryOf('like'))['like-of']).toEqual([there]);
    expect((await entryOf('repost'))['repost-of']).toMatchObject([{ properties: { url: [there] } }]);
    expect((await entryOf('bookmark'))['bookmark-of']).toEqual([there]);
    expect((await entryOf('rsvp'))['rsvp']).toEqual(['yes']);
    expect((await entryOf('rsvp'))['in-reply-to']).toEqual(['https://bo.example/party']);
  });

  built('posts keep their moment and their tags', async () => {
    const moment = async (slug: string) => Date.parse((await entryOf(slug))['published']?.[0] as string);
    expect(await moment('dated')).toBe(Date.parse('2025-03-30T01:30:00+05:45'));
    expect(await moment('day-only')).toBe(Date.parse('2024-02-29T00:00:00Z'));
    expect((await entryOf('article'))['category']).toEqual(['two words', 'a "quoted" one', 'c/d', '..']);
    expect((await entryOf('event'))['start']).toEqual(['2026-12-31T20:00:00+01:00']);
  });

  built('only public posts are on the list, and only published ones have a page', async () => {
    const list = await pageOf('/');
    expect(list).toContain('The light is on.');
    expect(list).toContain('Other twin');
    expect(list).toContain('One twin');
    for (const words of ['whoever', 'nobody else', 'Not ready', 'Not yet', 'Regretted'])
      expect(list).not.toContain(words);
    expect(await pageOf('unlisted')).toContain('noindex');
    const all = await Promise.all(
      (await readdir(site, { recursive: true }))
        .filter((file) => /\.(html|xml|json|md|toml|ya?ml|mjs)$/.test(file))
        .map(async (file): Promise<[string, string]> => [
          file,
          await readFile(path.join(site, file), 'utf8'),
        ]),
    );
    for (const words of ['For nobody else', 'Not ready', 'Not yet', 'Regretted'])
      expect(all.filter(([, text]) => text.includes(words)).map(([file]) => file)).toEqual([]);
    expect(
      all.map(([file]) => file).filter((file) => !file.endsWith('index.html') && file !== '404.html'),
    ).toEqual([]);
    expect(all).toHaveLength(Object.keys(samples).length + 4);
  });
});

test('the export holds every post as it was posted, and keeps the private ones apart', async () => {
  const posts = JSON.parse(await readFile(path.join(exported, 'porchlight/posts.json'), 'utf8')) as {
    path: string;
    properties: Record<string, unknown[]>;
  }[];
  expect(posts).toHaveLength(Object.keys(samples).length + 6);
  const templatePost = posts.find((one) => one.path.endsWith('/html-templates'));
  expect(templatePost?.properties['content']).toEqual(samples['html-templates']?.properties['content']);
  const names = await readdir(exported, { recursive: true });
  const holding = (slug: string) =>
    names
      .filter((name) => name.endsWith(`-${slug}.html`))
      .map((name) => name.split('/').slice(0, -3).join('/'));
  expect(holding('private')).toEqual(['private']);
  expect(holding('draft')).toEqual(['drafts']);
  expect(holding('unlisted')).toEqual(['content/_unlisted']);
  expect(holding('scheduled')).toEqual(['content/_posts']);
  expect(holding('deleted')).toEqual([]);
  for (const slug of ['private', 'draft']) {
    const file = names.find((name) => name.endsWith(`-${slug}.html`)) ?? '';
    expect(await readFile(path.join(exported, file), 'utf8')).toContain('\ndraft: true\n');
  }
});

test.for(siteGenerators)(
  '%s builds an export without posts and files',
  { timeout: 180_000 },
  async ([name, generator], { skip }) => {
    if (!hasGenerator(generator)) skip(`${name} is not installed`);
    const empty = await startPorchlight();
    const folder = path.join(home, `empty-${name}`);
    await empty.call('data.export', { path: folder });
    await empty.remove();
    await buildSite(folder, generator);
    expect(await readFile(path.join(folder, generator.output, 'index.html'), 'utf8')).toContain('<ul>');
  },
);
