import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Post } from '../../../src-main/contract/posts.ts';
import { publishedOf } from '../../../src-main/posts/visibility.ts';
import { postAt, type StoredPost } from '../../../src-main/posts/post-document.ts';
import { postPath } from '../../../src-main/posts/post-path.ts';
import type { PostFilter } from '../../../src-main/posts/post-store.ts';
import { listNames, passes } from '../../support/memory-posts.ts';
import { expectSound } from '../../support/post-folder.ts';
import { memoryPostRows } from '../../support/post-rows.ts';
import { runs } from '../../support/runs.ts';

const moment = fc.integer({ min: -3, max: 6 }).map((day) => new Date(day * 86_400_000).toISOString());
const words = fc.constantFrom('tea', 'Tea and cake', 'ÄRGER "quoted" % _', 'a', '', '🏮 light');
const file = fc.constantFrom('/media/2026/11/a.jpg', '/media/2026/11/b.jpg');
const app = fc.constantFrom('https://one.example/', 'https://two.example/');
const status = fc.constantFrom('published' as const, 'draft' as const);
const visibility = fc.constantFrom('public' as const, 'unlisted' as const, 'private' as const);

const somePost: fc.Arbitrary<StoredPost> = fc
  .record({
    status,
    visibility,
    createdAt: moment,
    deleted: fc.boolean(),
    createdBy: fc.option(app, { nil: undefined }),
    text: words,
    name: fc.option(words, { nil: undefined }),
    published: fc.option(moment, { nil: undefined }),
    photo: fc.uniqueArray(file, { maxLength: 2 }),
    category: fc.array(words, { maxLength: 3 }),
  })
  .map(({ text, name, published, photo, category, deleted, createdBy, ...rest }) => ({
    ...rest,
    type: ['h-entry'],
    properties: {
      content: [text],
      photo,
      category,
      ...(name !== undefined && { name: [name] }),
      ...(published !== undefined && { published: [published] }),
    },
    commands: {},
    updatedAt: rest.createdAt,
    deletedAt: deleted ? rest.createdAt : null,
    ...(createdBy !== undefined && { createdBy }),
  }));

const time = fc.integer({ min: -4, max: 7 }).map((day) => day * 86_400_000);
const someFilter: fc.Arbitrary<PostFilter> = fc.record(
  {
    kind: fc.constantFrom('note' as const, 'photo' as const, 'article' as const),
    status,
    visibility,
    category: words,
    text: words,
    publishedBy: time,
    publishedAfter: time,
    uses: file,
    readableBy: fc.record({ app, now: time }),
    deleted: fc.boolean(),
    year: fc.constantFrom('1970', '1971'),
    month: fc.constantFrom('1970/01', '1970/02', '1971/01'),
  },
  { requiredKeys: [] },
);

/** Slugs, each in its own month: some are filed again, with other content, and some are removed. */
const someFilings = fc.array(
  fc.record({ slug: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), post: fc.option(somePost) }),
  { maxLength: 12 },
);
const placeOf = (slug: string) => ({
  month: slug < 'd' ? '1970/01' : slug < 'f' ? '1970/02' : '1971/01',
  slug,
});

const idOf = (slug: string) => slug.padStart(16, '0');

const at = ({ properties, createdAt }: Post) => publishedOf(properties, Date.parse(createdAt)).at;
const newestFirst = (a: Post, b: Post) => at(b) - at(a) || (a.path < b.path ? 1 : -1);

test('lists, pages and categories are the same as if every post was read, whatever the filter', async () => {
  await fc.assert(
    fc.asyncProperty(
      someFilings,
      someFilter,
      fc.integer({ min: 1, max: 4 }),
      async (filings, filter, limit) => {
        const { records, lists, write } = memoryPostRows();
        const posts = new Map<string, Post>();
        await write((writes) => {
          for (const { slug, post } of filings) {
            const place = placeOf(slug);
            if (post === null) writes.remove(place);
            else writes.put(place, { post, id: idOf(slug) });
            if (post === null) posts.delete(slug);
            else posts.set(slug, postAt(place, post));
          }
        });
        await expectSound(records);
        const expected = [...posts.values()].filter((post) => passes(post, filter)).sort(newestFirst);
        expect((await lists.list({ limit: 100, filter })).items).toEqual(expected);
        expect((await lists.list({ limit, offset: 2, filter })).items).toEqual(expected.slice(2, 2 + limit));

        const older: Post[] = [];
        const pages = [await lists.list({ limit, filter })];
        for (let page = pages[0]; page !== undefined;) {
          older.push(...page.items);
          const { after } = page;
          page = after === undefined ? undefined : await lists.list({ limit, filter, after });
          if (page) pages.push(page);
        }
        expect(older).toEqual(expected);
        for (const [number, page] of pages.entries()) {
          if (number === 0 || page.before === undefined) continue;
          const newer = await lists.list({ limit, filter, before: page.before });
          expect(newer).toEqual(pages[number - 1]);
        }

        const now = filter.publishedBy ?? 0;
        const listed = [...posts.values()].filter((post) => passes(post, { readableBy: { app: '', now } }));
        for (const list of ['category', 'kind', 'month'] as const) {
          const names = listed.flatMap((post) => listNames(post)[list]);
          const sizes = new Map(names.map((name) => [name, names.filter((one) => one === name).length]));
          const found = new Map((await lists.sizes(list, now)).map(({ name, count }) => [name, count]));
          expect(found).toEqual(sizes);
          for (const [name, count] of [...sizes, ['none', 0] as const])
            expect(await lists.sizes(list, now, name)).toEqual(count === 0 ? [] : [{ name, count }]);
        }

        for (const reader of [undefined, filter.readableBy]) {
          const counts = new Map<string, number>();
          for (const post of posts.values()) {
            if (!passes(post, reader ? { readableBy: reader } : {})) continue;
            for (const name of new Set(post.properties.category as string[]))
              counts.set(name, (counts.get(name) ?? 0) + 1);
          }
          const names = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([name]) => name);
          expect(await lists.categories(reader)).toEqual(names);
        }
      },
    ),
    { numRuns: runs(300) },
  );
});

test('a scheduled post is the next publication until it is listed; only public posts divide the list and are neighbors', async () => {
  const { lists, write } = memoryPostRows();
  const day = 86_400_000;
  const [post] = fc.sample(somePost, { numRuns: 1, seed: 7 });
  if (post === undefined) throw new Error('no post');
  const shown = { ...post, status: 'published', visibility: 'public', deletedAt: null } as const;
  await write((writes) => {
    for (const slug of ['a', 'b', 'c', 'd', 'e']) {
      const published = [new Date(slug.charCodeAt(0) * day).toISOString()];
      const state = slug === 'b' ? { visibility: 'private' as const } : {};
      writes.put(placeOf(slug), {
        post: { ...shown, ...state, properties: { ...post.properties, published } },
        id: idOf(slug),
      });
    }
  });
  const at = (slug: string) => slug.charCodeAt(0) * day;
  expect(await lists.nextPublication(at('a') - 1)).toBe(at('a'));
  expect(await lists.nextPublication(at('a'))).toBe(at('c'));
  expect(await lists.nextPublication(at('e'))).toBeUndefined();
  const beside = async (slug: string, now = 'd') => {
    const { older, newer } = await lists.neighbours(postPath(placeOf(slug)), at(now));
    return [older?.path.at(-1), newer?.path.at(-1)];
  };
  expect(await beside('a')).toEqual([undefined, 'c']);
  expect(await beside('c')).toEqual(['a', 'd']);
  expect(await beside('d')).toEqual(['c', undefined]);
  expect(await beside('d', 'e')).toEqual(['c', 'e']);
  for (const slug of ['b', 'e', 'none']) expect(await beside(slug)).toEqual([undefined, undefined]);
  const cursors = await lists.cursorsEvery(2, at('d'));
  const pages = await Promise.all(
    [undefined, ...cursors].map((after) =>
      lists.list({ limit: 2, filter: { visibility: 'public', publishedBy: at('d') }, after }),
    ),
  );
  expect(pages.map(({ items }) => items.map(({ path }) => path.at(-1)))).toEqual([['d', 'c'], ['a']]);
});

test('a doubtful post and a redirect are in no list, and count nowhere', async () => {
  const { records, lists, write } = memoryPostRows();
  const [post] = fc.sample(somePost, { numRuns: 1, seed: 7 });
  if (post === undefined) throw new Error('no post');
  const shown = { ...post, status: 'published', visibility: 'public', deletedAt: null } as const;
  const properties = { ...post.properties, category: ['tea'] };
  await write((writes) => {
    writes.put(placeOf('a'), { post: { ...shown, properties }, id: idOf('a') }, { isDoubtful: true });
    writes.put(placeOf('b'), { movedTo: '/posts/1970/01/a' });
  });
  const now = Date.parse('2026-11-20T10:00:00Z');
  const none = async () => ({
    items: (await lists.list({ limit: 9 })).items,
    categories: await lists.categories(),
    sizes: await Promise.all((['category', 'kind', 'month'] as const).map((list) => lists.sizes(list, now))),
  });
  expect(await none()).toEqual({ items: [], categories: [], sizes: [[], [], []] });
  await expectSound(records);
  await write((writes) => writes.put(placeOf('a'), { post: { ...shown, properties }, id: idOf('a') }));
  expect(await lists.categories()).toEqual(['tea']);
  expect((await lists.list({ limit: 9 })).items).toHaveLength(1);
});

test('a NUL, at which SQLite would end a text, cuts nothing off', async () => {
  const { lists, write } = memoryPostRows();
  const [post] = fc.sample(somePost, { numRuns: 1, seed: 7 });
  if (post === undefined) throw new Error('no post');
  const properties = { content: ['over\0head'], category: ['porch\0light', 'porch\0swing'] };
  await write((writes) =>
    writes.put(placeOf('a'), { post: { ...post, properties, deletedAt: null }, id: idOf('a') }),
  );
  expect(await lists.categories()).toEqual(['porchlight', 'porchswing']);
  for (const filter of [{ category: 'porch\0swing' }, { text: 'over\0head' }, { text: 'porchswing' }]) {
    expect((await lists.list({ limit: 5, filter })).items).toHaveLength(1);
  }
});
