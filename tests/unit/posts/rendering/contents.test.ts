import { describe, expect, test } from 'vitest';
import type { Post } from '../../../../src-main/contract/posts.ts';
import { shownContent, createContents } from '../../../../src-main/posts/rendering/contents.ts';
import { postOf } from '../../../support/site.ts';

const base = 'https://ann.example';
const article = { html: `<p>${'word '.repeat(40_000)}</p>` };
const feed = Array.from({ length: 30 }, (_, index) => postOf({ content: [article] }, { slug: `p${index}` }));

/** Contents that tell of each time one is made. */
function counted(most = 16_000_000) {
  const made: string[] = [];
  const contents = createContents({
    most,
    make: (post, at) => {
      made.push(post.path.split('/').at(-1) ?? '');
      return shownContent(post, at);
    },
  });
  return { contents, made };
}

describe('the expensive parts of a post', () => {
  test('is made once a version: a feed of thirty long articles costs nothing the second time', async () => {
    const { contents, made } = counted();
    const first = await contents(feed, base);
    const second = await contents([...feed].reverse(), base);
    expect(made).toHaveLength(30);
    for (const { path } of feed) expect(second.get(path)).toBe(first.get(path));
  });

  test('is made once for two that ask at the same time', async () => {
    const { contents, made } = counted();
    await Promise.all([contents(feed.slice(0, 5), base), contents(feed.slice(0, 5), base)]);
    expect(made.slice().sort()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
  });

  test('are made again for an edit, even within a millisecond, and for another address of the site', async () => {
    const { contents, made } = counted();
    const [post = postOf({})] = feed;
    const edited: Post = { ...post, properties: { content: ['new'] } };
    await contents([post], base);
    expect((await contents([edited], base)).get(post.path)?.text).toBe('new');
    await contents([edited], 'https://other.example');
    await contents([{ ...edited, updatedAt: '2026-11-22T00:00:00.000Z' }], 'https://other.example');
    expect(made).toEqual(['p0', 'p0', 'p0']);
  });

  test('are dropped, least recently used first, if they take too much memory', async () => {
    const { contents, made } = counted(500_000);
    const [a = postOf({}), b = postOf({}), c = postOf({})] = feed;
    await contents([a, b], base);
    await contents([a], base);
    await contents([c], base);
    expect(made).toEqual(['p0', 'p1', 'p2']);
    await contents([a], base);
    expect(made).toHaveLength(3);
    await contents([b], base);
    expect(made.at(-1)).toBe('p1');
  });

  test('lets others have their turn between two posts', async () => {
    const { contents, made } = counted();
    const seen: number[] = [];
    const all = contents(feed.slice(0, 4), base);
    for (let turn = 0; turn < 3; turn += 1)
      await new Promise((resolve) => setImmediate(resolve)).then(() => seen.push(made.length));
    await all;
    expect(seen[0]).toBeLessThan(4);
  });
});
