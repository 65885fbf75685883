import { expect, onTestFinished, test } from 'vitest';
import { buildPublicApp } from '../../../src-main/http/app.ts';
import { keepAnswers } from '../../../src-main/http/kept-answers.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { createSite } from '../../../src-main/site/site.ts';
import { createVersions } from '../../../src-main/storage/caches.ts';
import { readingRoutes } from '../../../src-main/mentions/reading-api/routes.ts';
import { memoryMentions } from '../../support/memory-mentions.ts';
import { ann, memoryMedia, memoryPosts, plainSite, postOf, twoDaysLater } from '../../support/site.ts';
import { allPublic } from '../../support/no-posts.ts';
import { markdownHere } from '../../support/folder-reading.ts';

const token = 'the-management-token';
const target = 'https://ann.example/post';
const many = Array.from({ length: 45 }, (_, index) => postOf({ content: ['open'] }, { slug: `p${index}` }));
const hidden = [
  postOf({ content: ['secret'] }, { slug: 'private', visibility: 'private' }),
  postOf({ content: ['secret'] }, { slug: 'draft', status: 'draft' }),
  postOf({ content: ['secret'], published: ['2027-01-01'] }, { slug: 'later' }),
  postOf({ content: ['secret'] }, { slug: 'gone', deletedAt: '2026-11-22T00:00:00.000Z' }),
];

async function serve(isDemo = false) {
  const kept = keepAnswers({ versions: createVersions(), now: () => twoDaysLater });
  const store = memoryMentions();
  const moment = '2026-11-21T15:00:00Z';
  for (const [number, status] of (['approved', 'held', 'approved'] as const).entries())
    await store.keep({
      source: `https://bo.example/${number}`,
      target,
      facts: { type: 'like', property: 'like-of' },
      status,
      received: moment,
      parsed: moment,
      private: number === 2,
    });
  const base = () => 'https://porch.example';
  const site = createSite({
    markdown: markdownHere,
    posts: memoryPosts([...many, ...hidden], { '/posts/2026/11/old': '/posts/2026/11/p0' }),
    media: memoryMedia(),
    responses: { of: () => Promise.resolve([]), picture: () => Promise.resolve(undefined) },
    kept,
    profile: () => ann,
    links: () => [],
    base,
    now: () => twoDaysLater,
    settings: () => plainSite,
    photo: () => Promise.resolve(null),
  });
  const features = [
    site.routes,
    readingRoutes({
      store,
      kept,
      base,
      mayDisclose: allPublic,
      isManagementToken: (text) => text === token,
      readerOf: () => Promise.resolve(undefined),
    }),
  ];
  const app = await buildPublicApp({ log: silentLog, features, closing: () => undefined, isDemo });
  onTestFinished(() => app.close());
  const get = (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers: { host: 'porch.example', ...headers } });
  return { kept, get };
}

const about = encodeURIComponent(target);

test('nothing is kept in memory that is private, gone, elsewhere, or at an address that strangers can make up', async () => {
  const { kept, get } = await serve();
  const older = /rel="next" href="([^"]+)"/.exec((await get('/')).body)?.[1] ?? '';
  const paths = [
    ...hidden.map(({ path }) => path),
    '/posts/2026/11/old',
    '/posts/2026/11/none',
    '/posts/2026/11/p0?responses=1',
    '/categories/none',
    '/sitemap-7.xml',
    older,
    ...['mentions', 'mentions.json', 'mentions.jf2', 'mentions.atom', 'mentions.html'].flatMap((name) => [
      `/api/${name}?token=${token}`,
      `/api/${name}?token=wrong`,
      `/api/${name}?target=https://ann.example/none`,
      `/api/${name}?target=${about}&since_id=0`,
      `/api/${name}?target=${about}&since=2020-01-01`,
      `/api/${name}?target=${about}&page=0&page=1`,
      `/api/${name}?target=${about}&wm-property[]=like-of&wm-property[]=made-up`,
      `/api/${name}?target=${about}&${Array.from({ length: 20 }, (_, at) => `target=https://a.example/${at}`).join('&')}`,
    ]),
    `/api/mentions.jf2?target=${about}&jsonp=f`,
    `/api/count?target=${about}&jsonp=f`,
  ];
  // The pages for missing and deleted posts are kept once for all addresses.
  for (const path of ['/categories/none', '/posts/2026/11/gone']) {
    await get(path);
    await get(path);
  }
  const bytes = kept.bytes();
  for (let turn = 0; turn < 3; turn += 1) for (const path of paths) await get(path);
  const bearer = { authorization: `Bearer ${token}` };
  for (let turn = 0; turn < 3; turn += 1) await get('/api/mentions.jf2', bearer);
  expect(kept.bytes()).toBe(bytes);
});

test('whatever else a query says, the front page is kept once', async () => {
  const { kept, get } = await serve();
  await get('/');
  const { body } = await get('/?utm_source=a');
  const bytes = kept.bytes();
  expect(bytes).toBeGreaterThan(body.length);
  for (const query of ['?utm_source=b', '?x[]=1', '?after=', ''])
    expect((await get(`/${query}`)).body).toBe(body);
  expect(kept.bytes()).toBe(bytes);
});

test('a reading answer that is kept contains only what everybody may see', async () => {
  const { kept, get } = await serve();
  for (let turn = 0; turn < 3; turn += 1) {
    const { children } = (await get(`/api/mentions.jf2?target=${about}&token=${token}`)).json<{
      children: Record<string, unknown>[];
    }>();
    expect(children.map((one) => one['wm-source'])).toEqual(['https://bo.example/0']);
  }
  expect(kept.bytes()).toBeGreaterThan(0);
});

test('a demo says so on pages that are kept, too', async () => {
  const { get } = await serve(true);
  for (let turn = 0; turn < 3; turn += 1) {
    const { body, headers } = await get('/', { 'accept-encoding': 'gzip' });
    expect(body).toContain('This is a demo.');
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
  }
});
