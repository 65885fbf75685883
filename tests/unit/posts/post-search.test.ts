import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Post } from '../../../src-main/contract/posts.ts';
import { postAt, type StoredPost } from '../../../src-main/posts/post-document.ts';
import type { PostLists, PostSearch } from '../../../src-main/posts/post-store.ts';
import { memoryPostRows } from '../../support/post-rows.ts';
import { runs } from '../../support/runs.ts';

const minute = 60_000;
const start = Date.parse('2026-01-01T00:00:00Z');
const pace = { step: () => undefined };

/** A public note, published `number` minutes after the start of 2026. */
function noteOf(number: number, content: string, over: Partial<StoredPost> = {}): StoredPost {
  const at = new Date(start + number * minute).toISOString();
  const times = { createdAt: at, updatedAt: at, deletedAt: null };
  const rest = { commands: {}, status: 'published', visibility: 'public', ...times, ...over } as const;
  return { type: ['h-entry'], properties: { content: [content] }, ...rest };
}

async function filled(posts: readonly StoredPost[]): Promise<{ lists: PostLists; all: Post[] }> {
  const { lists, write } = memoryPostRows();
  const all = posts.map((post, number) => postAt(placeOf(number), post));
  await write((writes) => {
    for (const [number, post] of posts.entries())
      writes.put(placeOf(number), { post, id: `p${number}`.padStart(16, '0') });
  });
  return { lists, all };
}

const placeOf = (number: number) => ({ month: '2026/01', slug: `p${number}` });

async function slugsOf(
  lists: PostLists,
  texts: readonly string[],
  over: Partial<PostSearch> = {},
): Promise<string[]> {
  const { items } = await lists.search({ texts, limit: 50, now: start + 1e9, pace, ...over });
  return items.map(({ path }) => path.replace('/posts/2026/01/', ''));
}

const words = fc.constantFrom(
  'tea',
  'Tea',
  'ÄRGER',
  'porch light',
  '"quoted"',
  'a',
  '日本',
  'AND',
  '% _',
  '*',
);

test('a search finds the public posts that contain all texts, newest first, page by page', async () => {
  const someTexts = fc.array(words, { minLength: 1, maxLength: 3 });
  const someNotes = fc.array(fc.tuple(fc.array(words, { maxLength: 4 }), fc.boolean()), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(someNotes, someTexts, fc.integer({ min: 1, max: 3 }), async (notes, texts, limit) => {
      const { lists, all } = await filled(
        notes.map(([content, isPublic], number) =>
          noteOf(number, content.join(' '), { visibility: isPublic ? 'public' : 'private' }),
        ),
      );
      const expected = all
        .filter(({ visibility, properties }) => {
          const text = String(properties['content']?.[0]).toLowerCase();
          return visibility === 'public' && texts.every((one) => text.includes(one.toLowerCase()));
        })
        .reverse();
      const found: Post[] = [];
      for (let after: string | undefined, more = true; more;) {
        const page = await lists.search({ texts, limit, after, now: start + 1e9, pace });
        found.push(...page.items);
        after = page.after;
        more = after !== undefined;
      }
      expect(found).toEqual(expected);
    }),
    { numRuns: runs(200) },
  );
});

test('a search in very many posts reads them in pieces, and stops when the page is full', async () => {
  const common = Array.from({ length: 2000 }, (_, number) =>
    noteOf(number, number === 3 ? 'common 日本' : 'common'),
  );
  const { lists } = await filled(common);
  let steps = 0;
  const counting = { step: () => void (steps += 1) };
  expect(await slugsOf(lists, ['common'], { limit: 2, pace: counting })).toEqual(['p1999', 'p1998']);
  expect(steps).toBe(1);
  expect(await slugsOf(lists, ['日本'], { pace: counting })).toEqual(['p3']);
  expect(steps).toBe(12);
});

test('a long text counts to its last letter', async () => {
  const text = 'a very long text that is longer than the index compares';
  const { lists } = await filled([noteOf(0, `${text}!`), noteOf(1, `${text}?`)]);
  expect(await slugsOf(lists, [`${text}?`])).toEqual(['p1']);
});

test('posts that are scheduled for later, drafts and deleted posts are not found, not even with a made-up cursor', async () => {
  const { lists } = await filled([
    noteOf(0, 'found'),
    noteOf(1, 'found', { status: 'draft' }),
    noteOf(2, 'found', { visibility: 'unlisted' }),
    noteOf(3, 'found', { deletedAt: '2026-02-01T00:00:00.000Z' }),
    noteOf(60, 'found'),
  ]);
  const now = start + 59 * minute;
  const after = Buffer.from('b9999999999999999 2026/01 z').toString('base64url');
  for (const search of [{ now }, { now, after }]) {
    expect(await slugsOf(lists, ['found'], search)).toEqual(['p0']);
    expect(await slugsOf(lists, ['fo'], search)).toEqual(['p0']);
  }
  expect(await slugsOf(lists, ['found'], { now: now + minute })).toEqual(['p4', 'p0']);
});
