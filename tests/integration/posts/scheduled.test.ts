import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectError } from '../../support/answers.ts';
import { openMicropub, type MicropubServer } from '../../support/micropub-server.ts';
import { content, newStore, note, now, pathsOf } from '../../support/post-folder.ts';

const day = 86_400_000;
const at = (moment: number) => new Date(moment).toISOString();

describe('MP-30 MX-2 a post with a date that is still to come', () => {
  let server: MicropubServer;
  let url = '';
  beforeAll(async () => {
    server = await openMicropub();
    url = await server.create({ content: ['Later'], published: [at(server.clock.now + day)] });
    await server.create({ content: ['Now'] });
  });
  afterAll(() => server.close());

  const list = async (token: string) => (await server.query('q=source', token)).text();
  const query = () => `q=source&url=${encodeURIComponent(url)}`;

  test('is taken, keeps its date, and is shown to the apps that post', async () => {
    expect((await server.source(url)).properties['published']).toEqual([at(server.clock.now + day)]);
    expect(server.changes[0]?.post.status).toBe('published');
    for (const token of ['create', 'update', 'draft']) expect(await list(token)).toContain('Later');
  });

  test.each<[string, (published: string[]) => object]>([
    ['deletes its date', () => ({ delete: ['published'] })],
    ['deletes the value of its date', (published) => ({ delete: { published } })],
    ['replaces its date by nothing', () => ({ replace: { published: [] } })],
  ])('is not published at once by an app that %s', async (_how, change) => {
    const published = [at(server.clock.now + day)];
    const scheduled = await server.create({ content: ['Much later'], published });
    const update = { action: 'update', url: scheduled, ...change(published) };
    await expectError(await server.send(update), 400, 'invalid_request');
    expect((await server.source(scheduled)).properties['published']).toEqual(published);
    const draft = { delete: ['published'], add: { 'post-status': ['draft'] } };
    expect((await server.send({ action: 'update', url: scheduled, ...draft })).ok).toBe(true);
  });

  test('is shown to no other app before its date, and to all from then on', async () => {
    expect(await list('profile@other')).not.toContain('Later');
    await expectError(await server.query(query(), 'profile@other'), 400, 'invalid_request');
    const before = server.clock.now;
    server.clock.now = before + day - 1;
    expect(await list('profile@other')).not.toContain('Later');
    server.clock.now = before + day;
    expect(await list('profile@other')).toContain('Later');
    expect((await server.query(query(), 'profile@other')).status).toBe(200);
    server.clock.now = before;
  });
});

describe('lists of the store', () => {
  test('publishedBy and publishedAfter part them at the moment, offsets counted', async () => {
    const { posts } = await newStore();
    for (const [slug, date] of [
      ['past', at(now - 1)],
      ['present', '2026-11-20T23:00:00+13:00'],
      ['future', at(now + 1)],
      ['far', '2030-01-01'],
    ] as const)
      await posts.create(note(slug, date), { slug, now });
    const slugs = async (filter: object) =>
      pathsOf(await posts.list({ limit: 9, filter })).map((path) => path.slice(path.lastIndexOf('/') + 1));
    expect(await slugs({ publishedBy: now })).toEqual(['present', 'past']);
    expect(await slugs({ publishedAfter: now })).toEqual(['far', 'future']);
    expect(await slugs({ publishedAfter: now - 1, publishedBy: now })).toEqual(['present']);
  });

  test('a date that a change moves far beyond the post’s month is used unchanged', async () => {
    const { posts } = await newStore();
    const { path } = await posts.create(note('x'), { slug: 'x', now });
    await posts.change(path, () => note('x', '2031-01-01'), { now });
    const filter = { publishedBy: Date.parse('2030-12-31') };
    expect((await posts.list({ limit: 1, filter })).items).toEqual([]);
    expect(
      (await posts.list({ limit: 1, filter: { publishedAfter: filter.publishedBy } })).items,
    ).toHaveLength(1);
  });
});

describe('the files that posts mention', () => {
  const file = '/media/2026/11/abcdef-cat.jpg';

  test.each<[string, Record<string, unknown[]>]>([
    ['as a photo', { photo: [`https://porch.example${file}`] }],
    ['as a photo with words', { photo: [{ value: `https://porch.example${file}`, alt: 'A cat' }] }],
    ['of another host', { video: [`https://old-name.example${file}?x=1#y`] }],
    ['in HTML', { content: [{ html: `<p><img src="${file}" alt=""></p>` }] }],
    ['in a set of sizes', { content: [{ html: `<img srcset="${file}, /media/2026/11/other.jpg 2x">` }] }],
    ['in plain text', { content: [`See https://porch.example${file}.`] }],
    ['deep inside', { checkin: [{ type: ['h-card'], properties: { photo: [`https://a.example${file}`] } }] }],
  ])('are found %s', async (_name, properties) => {
    const { posts } = await newStore();
    const { path } = await posts.create(content(properties), { slug: 'it', now });
    await posts.create(content({ photo: ['https://porch.example/media/2026/11/abcdef-cat.jpg.png'] }), {
      now,
    });
    await posts.create(note('no file'), { now });
    expect(pathsOf(await posts.list({ limit: 9, filter: { uses: file } }))).toEqual([path]);
  });

  test('are found even among very many, and together with words of a long text', async () => {
    const { posts } = await newStore();
    const photos = Array.from({ length: 500 }, (_, n) => `https://porch.example/media/2026/11/${n}-x.jpg`);
    const far = `${'word '.repeat(200)}needle`;
    const { path } = await posts.create(content({ content: [far], photo: photos }), { slug: 'many', now });
    const found = async (uses: string, text?: string) =>
      pathsOf(await posts.list({ limit: 9, filter: { uses, ...(text !== undefined && { text }) } }));
    expect(await found('/media/2026/11/499-x.jpg')).toEqual([path]);
    expect(await found('/media/2026/11/499-x.jpg', 'needle')).toEqual([path]);
    expect(await found('/media/2026/11/0-x.jpg', 'haystack')).toEqual([]);
    expect(await found('/media/2026/11/500-x.jpg')).toEqual([]);
  });
});
