import { expect, test } from 'vitest';
import { begunPosts } from '../../../../src-main/posts/rendering/begun-post.ts';
import { largestPosts } from '../../../support/largest-posts.ts';
import type { Post, Properties } from '../../../../src-main/contract/posts.ts';

const base = 'https://me.example';
const begun = (properties: Properties): Properties => {
  const post = { path: '/posts/2026/11/long', type: ['h-entry'], properties } as unknown as Post;
  return begunPosts([post], base)[0]!.properties;
};

test('a post of ordinary length is shown whole in lists', () => {
  const properties = { content: [{ html: `<p>${'word '.repeat(20_000)}</p>` }], category: ['a', 'b'] };
  expect(begun(properties)).toBe(properties);
});

test('a very long post is begun, with a link to the whole one, its title, time and first values', () => {
  const found = begun({
    name: ['A title'],
    content: [{ html: `<p>First &lt;words</p>${'<p>word</p>'.repeat(80_000)}` }],
    category: ['a', 'b', 'x'.repeat(30_000)],
    published: ['2026-11-20T10:00:00Z'],
  });
  expect(found).toMatchObject({
    name: ['A title'],
    category: ['a', 'b'],
    published: ['2026-11-20T10:00:00Z'],
  });
  const [content] = found['content'] as [{ html: string }];
  expect(content.html).toMatch(/^<p>First &lt;words word/);
  expect(content.html).toContain(`<a href="${base}/posts/2026/11/long">Read more</a>`);
});

test.each(Object.entries(largestPosts))('the largest post is short in lists: %s', (_name, written) => {
  const properties = written();
  const size = JSON.stringify(properties).length;
  if (size > 300_000) expect(JSON.stringify(begun(properties)).length).toBeLessThan(50_000);
});
