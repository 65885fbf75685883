import { describe, expect, test } from 'vitest';
import type { PostFilter } from '../../../src-main/posts/post-store.ts';
import { content, everyPath, newStore, note, now, pathsOf, refused } from '../../support/post-folder.ts';

describe('a list', () => {
  const dates = [
    ['f', '2027-01-01T00:10:00+13:00'],
    ['e', '2026-12-31T23:00:00-11:00'],
    ['d', '2026-12-05T10:00:00+09:00'],
    ['c', '2026-12-05T00:00:00Z'],
    ['b', '2026-11-05'],
    ['a', '2025-01-01T00:00:00Z'],
  ] as const;
  // By the moment: the first of January in the east is before New Year's Eve in the west.
  const expected = ['e', 'f', 'd', 'c', 'b', 'a'];

  async function dated() {
    const { posts } = await newStore();
    for (const [slug, date] of dates) await posts.create(note(slug, date), { slug, now });
    return posts;
  }
  const slugs = (paths: string[]) => paths.map((path) => path.slice(path.lastIndexOf('/') + 1));

  test.each([1, 2, 3, 6, 50])(
    'MX-8 in pages of %i is complete, newest first, forwards and backwards',
    async (limit) => {
      const posts = await dated();
      expect(slugs(await everyPath(posts, limit))).toEqual(expected);
      const backwards: string[] = [];
      let page = await posts.list({ limit: 1, offset: 5 });
      expect(page).not.toHaveProperty('after');
      while (page.before !== undefined) {
        page = await posts.list({ limit, before: page.before });
        backwards.unshift(...slugs(pathsOf(page)));
        expect(page.after === undefined).toBe(page.items.length === 0);
      }
      expect(backwards).toEqual(expected.slice(0, -1));
    },
  );

  test('does not shift its pages when a post comes in between', async () => {
    const posts = await dated();
    const first = await posts.list({ limit: 2 });
    await posts.create(note('new', '2027-02-01'), { slug: 'new', now });
    const second = await posts.list({ limit: 2, after: first.after ?? '' });
    expect(slugs(pathsOf(second))).toEqual(['d', 'c']);
    expect(slugs(pathsOf(await posts.list({ limit: 5, before: first.before ?? '' })))).toEqual(['new']);
  });

  test.each(['', 'x', Buffer.from('1 2026/11').toString('base64url')])(
    'refuses the cursor %j',
    async (after) => {
      const { posts } = await newStore();
      await expect(posts.list({ limit: 1, after })).rejects.toMatchObject(refused);
    },
  );

  test('knows kinds, states, categories and the whole text, also after a change', async () => {
    const { posts } = await newStore();
    const far = `${'word '.repeat(200)}Needle`;
    await posts.create(content({ content: [far], category: ['Porch', 'lamp'] }), { slug: 'long', now });
    await posts.create(content({ 'like-of': ['https://a.example/'], category: ['lamp'] }), {
      slug: 'like',
      now,
    });
    await posts.create(content({ name: ['Plan'] }, { status: 'draft', visibility: 'private' }), {
      slug: 'draft',
      now,
    });
    const found = async (filter: PostFilter) => slugs(pathsOf(await posts.list({ limit: 9, filter })));
    expect(await found({ text: 'NEEDLE' })).toEqual(['long']);
    expect(await found({ text: 'porch' })).toEqual(['long']);
    expect(await found({ kind: 'like' })).toEqual(['like']);
    expect(await found({ status: 'draft' })).toEqual(['draft']);
    expect(await found({ visibility: 'private', text: 'plan' })).toEqual(['draft']);
    expect(await found({ category: 'Porch' })).toEqual(['long']);
    expect(await posts.categories()).toEqual(['lamp', 'Porch']);
    await posts.change('/posts/2026/11/long', () => note('Short'), { now });
    expect(await found({ text: 'needle' })).toEqual([]);
    expect(await posts.categories()).toEqual(['lamp']);
  });
});
