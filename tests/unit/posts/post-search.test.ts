import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Post } from '../../../src-main/contract/posts.ts';
import { postAt, type StoredPost } from '../../../src-main/posts/post-document.ts';
import { postIndex, postTables } from '../../../src-main/posts/post-index.ts';
import { searchPosts } from '../../../src-main/posts/indexed-lists.ts';
import type { PostSearch } from '../../../src-main/posts/post-store.ts';
import { openIndex, type IndexDatabase } from '../../../src-main/storage/index/index-database.ts';

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

function filled(posts: readonly StoredPost[]): { database: IndexDatabase; all: Post[] } {
  const database = openIndex(':memory:', [postTables]);
  const index = postIndex(database);
  const all = posts.map((post, number) => {
    const place = { month: '2026/01', slug: `p${number}` };
    index.put(place, 'stamp', { post, movedTo: null });
    return postAt(place, post);
  });
  return { database, all };
}

async function slugsOf(
  database: IndexDatabase,
  texts: readonly string[],
  over: Partial<PostSearch> = {},
): Promise<string[]> {
  const { items } = await searchPosts(database, { texts, limit: 50, now: start + 1e9, pace, ...over });
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
      const { database, all } = filled(
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
        const page = await searchPosts(database, { texts, limit, after, now: start + 1e9, pace });
        found.push(...page.items);
        after = page.after;
        more = after !== undefined;
      }
      expect(found).toEqual(expected);
      database.close();
    }),
    { numRuns: 200 },
  );
});

test('a search in very many posts reads them in pieces, and stops when the page is full', async () => {
  const common = Array.from({ length: 2000 }, (_, number) =>
    noteOf(number, number === 3 ? 'common 日本' : 'common'),
  );
  const { database } = filled(common);
  let steps = 0;
  const counting = { step: () => void (steps += 1) };
  expect(await slugsOf(database, ['common'], { limit: 2, pace: counting })).toEqual(['p1999', 'p1998']);
  expect(steps).toBe(1);
  expect(await slugsOf(database, ['日本'], { pace: counting })).toEqual(['p3']);
  expect(steps).toBe(12);
  database.close();
});

test('a long text counts to its last letter', async () => {
  const text = 'a very long text that is longer than the index compares';
  const { database } = filled([noteOf(0, `${text}!`), noteOf(1, `${text}?`)]);
  expect(await slugsOf(database, [`${text}?`])).toEqual(['p1']);
  database.close();
});

test('posts that are scheduled for later, drafts and deleted posts are not found, not even with a made-up cursor', async () => {
  const { database } = filled([
    noteOf(0, 'found'),
    noteOf(1, 'found', { status: 'draft' }),
    noteOf(2, 'found', { visibility: 'unlisted' }),
    noteOf(3, 'found', { deletedAt: '2026-02-01T00:00:00.000Z' }),
    noteOf(60, 'found'),
  ]);
  const now = start + 59 * minute;
  const after = Buffer.from('b9999999999999999 2026/01 z').toString('base64url');
  for (const search of [{ now }, { now, after }]) {
    expect(await slugsOf(database, ['found'], search)).toEqual(['p0']);
    expect(await slugsOf(database, ['fo'], search)).toEqual(['p0']);
  }
  expect(await slugsOf(database, ['found'], { now: now + minute })).toEqual(['p4', 'p0']);
  database.close();
});
