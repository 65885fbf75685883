import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mf2 } from 'microformats-parser';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { plainCitations } from '../../../../src-main/posts/rendering/citation.ts';
import type { PostText } from '../../../../src-main/contract/writing.ts';
import { openSite, page, type Site } from '../../../support/client-app.ts';
import { patience } from '../../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../../support/porchlight.ts';
import { workOf } from '../../../support/work-rows.ts';

const tea = page(`<article class="h-entry"><h1 class="p-name">Tea <script>alert(1)</script>&lt;b&gt;</h1>
  <a class="p-author h-card" href="https://ann.example/">Ann Marlow</a>
  <time class="dt-published" datetime="2026-11-01T09:00:00Z">1 November</time>
  <div class="e-content"><p>Tea is <b onclick="alert(1)">best</b> on the porch. ${'More words. '.repeat(100)}</p></div></article>`);
const empty: PostText = {
  text: 'I agree',
  format: 'plain',
  photos: [],
  categories: [],
  visibility: 'public',
  status: 'published',
};

let site: Site;
let dataDir: string;
let porchlight: Porchlight;
let fetched: number;
const open = async () => (porchlight = await startPorchlight({ dataDir }));

beforeEach(async () => {
  site = await openSite();
  fetched = 0;
  site.pages.set('/tea', (request, response) => {
    // The sender of webmentions fetches the page, too, with another Accept header.
    if (request.headers.accept === 'text/html, application/xhtml+xml;q=0.9') fetched += 1;
    tea(request, response);
  });
  dataDir = await mkdtemp(path.join(tmpdir(), 'porchlight-context-'));
  await open();
});
afterEach(async () => {
  await porchlight.remove();
  await site.close();
  await rm(dataDir, { recursive: true, force: true });
});

const textAt = async (url: string) => (await fetch(url)).text();

test('a reply shows who wrote the page, its name and an excerpt: our copy, fetched once', async () => {
  const url = `${site.origin}/tea`;
  const post = await porchlight.call('posts.create', { ...empty, inReplyTo: url });
  await vi.waitFor(async () => expect(await textAt(post.url)).toContain('Ann Marlow'), patience);
  const shown = await textAt(post.url);
  expect(shown).not.toMatch(/<script|onclick/);
  const [found] = mf2(shown, { baseUrl: post.url }).items;
  expect(found?.properties['in-reply-to']).toMatchObject([
    {
      type: ['h-cite'],
      value: url,
      properties: {
        url: [url],
        author: [{ properties: { name: ['Ann Marlow'], url: ['https://ann.example/'] } }],
        published: ['2026-11-01T09:00:00Z'],
      },
    },
  ]);
  expect(shown).toContain('Tea is best on the porch.');
  expect(shown).toMatch(/(?:More|words)…<\/blockquote>/);

  site.pages.set('/tea', (request, response) => {
    if (request.headers.accept === 'text/html, application/xhtml+xml;q=0.9') fetched += 1;
    response.writeHead(404).end();
  });
  await porchlight.stop();
  await open();
  expect(await textAt(post.url.replace(new URL(post.url).origin, porchlight.base))).toContain('Ann Marlow');
  await porchlight.call('posts.create', { ...empty, inReplyTo: url });
  const untried = async () => (await workOf(dataDir, 'cited-page')).filter(({ tries }) => tries === 0);
  await expect.poll(untried, patience).toEqual([]);
  expect(fetched).toBe(1);
});

test('a page that cannot be read stays a link', async () => {
  const url = `${site.origin}/nothing`;
  const post = await porchlight.call('posts.create', { ...empty, inReplyTo: url });
  expect(await textAt(post.url)).toContain(`<a class="u-in-reply-to" href="${url}">`);
});

test('a preview shows the page that is being replied to before anything is posted', async () => {
  const url = `${site.origin}/tea`;
  const { html } = await porchlight.call('posts.preview', { post: { ...empty, inReplyTo: url } });
  expect(html).toContain('Ann Marlow');
  await porchlight.call('posts.preview', { post: { ...empty, inReplyTo: `${site.origin}/nothing` } });
  await porchlight.call('posts.preview', { post: { ...empty, text: 'More', inReplyTo: url } });
  expect(fetched).toBe(1);
  expect((await porchlight.call('posts.list', {})).items).toEqual([]);
});

test('the editor gets title and author of a page once the owner asks, as text, and nothing is posted', async () => {
  const url = `${site.origin}/tea`;
  const asked = (address: string) => porchlight.call('posts.citedPage', { url: address });
  expect(await asked(url)).toEqual({ title: 'Tea <b>', author: 'Ann Marlow' });
  await asked(url);
  expect(fetched).toBe(1);
  for (const address of [`${site.origin}/nothing`, 'javascript:alert(1)', 'file:///etc/passwd', 'tea'])
    expect(await asked(address)).toEqual({ title: '', author: '' });
  expect((await porchlight.call('posts.list', {})).items).toEqual([]);
});

test('a draft fetches nothing until it is published', async () => {
  const url = `${site.origin}/tea`;
  const draft = await porchlight.call('posts.create', { ...empty, status: 'draft', inReplyTo: url });
  expect(fetched).toBe(0);
  await porchlight.call('posts.update', { url: draft.url, status: 'published' });
  await vi.waitFor(() => expect(fetched).toBe(1), patience);
});

test('an imported reply fetches nothing until somebody views it, and then once', async () => {
  const folder = path.join(dataDir, '..', `${path.basename(dataDir)}-archive`);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(folder);
  const head = `title: About tea\ndate: 2020-03-01\nin-reply-to: ${site.origin}/tea`;
  await writeFile(path.join(folder, 'reply.md'), `---\n${head}\n---\nI agree\n`);
  const report = await porchlight.call('posts.import', { path: folder, format: 'auto' });
  expect(report).toMatchObject({ imported: 1 });
  const [post] = (await porchlight.call('posts.list', {})).items;
  expect(fetched).toBe(0);
  await vi.waitFor(async () => expect(await textAt(post?.url ?? '')).toContain('Ann Marlow'), patience);
  await textAt(porchlight.base);
  expect(fetched).toBe(1);
});

test('an app that names very many pages has only some of them fetched', () => {
  const many = Array.from({ length: 1000 }, (_, number) => `https://there.example/${number}`);
  expect(plainCitations({ 'in-reply-to': many }, 'https://porch.example')).toEqual(many.slice(0, 20));
});
