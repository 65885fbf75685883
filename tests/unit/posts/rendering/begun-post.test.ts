import { expect, test } from 'vitest';
import type { Properties } from '../../../../src-main/contract/posts.ts';
import type { StoredPost } from '../../../../src-main/posts/post-document.ts';
import { begunPost } from '../../../../src-main/posts/rendering/begun-post.ts';
import { largestPosts } from '../../../support/largest-posts.ts';

const url = '/posts/2026/11/long';
const begun = (properties: Properties, more = {}): StoredPost | undefined =>
  begunPost({ type: ['h-entry'], properties, commands: {}, ...more } as unknown as StoredPost, url);

test('a post of ordinary length is shown whole in lists', () => {
  const properties = { content: [{ html: `<p>${'word '.repeat(20_000)}</p>` }], category: ['a', 'b'] };
  expect(begun(properties)).toBeUndefined();
});

test('a very long post is begun, with a link to the whole one, its title, time and first values', () => {
  const found = begun(
    {
      name: ['A title'],
      content: [{ html: `<p>First &lt;words</p>${'<p>word</p>'.repeat(80_000)}` }],
      category: ['a', 'b', 'x'.repeat(30_000)],
      published: ['2026-11-20T10:00:00Z'],
    },
    { markdown: 'word\n\n'.repeat(80_000), commands: { channel: ['x'.repeat(30_000)] } },
  );
  expect(found).toMatchObject({
    properties: { name: ['A title'], category: ['a', 'b'], published: ['2026-11-20T10:00:00Z'] },
  });
  const [content] = found?.properties['content'] as [{ html: string }];
  expect(content.html).toMatch(/^<p>First &lt;words word/);
  expect(content.html).toContain(`<a href="${url}">Read more</a>`);
  expect(JSON.stringify(found).length).toBeLessThan(10_000);
});

test('a post that is long for other reasons keeps its own words, and its response', () => {
  const liked = {
    type: ['h-cite'],
    properties: { url: ['https://a.example/'], content: ['x'.repeat(50_000)] },
  };
  const found = begun({
    content: [{ html: '<p>Hi <b>there</b></p>' }],
    category: Array.from({ length: 500 }, (_, number) => `${number} `.padEnd(1000, 'x')),
    'like-of': [liked],
  });
  expect(found?.properties).toMatchObject({
    content: [{ html: '<p>Hi <b>there</b></p>' }],
    'like-of': ['https://a.example/'],
  });
});

test('a text that grows when it becomes HTML is begun, too', () => {
  expect(JSON.stringify(begun({ content: ['&'.repeat(460_000)] })?.properties['content'])).toContain('&amp;');
});

test('the Markdown of a post does not make it long', () => {
  expect(begun({ content: ['Hi'] }, { markdown: 'x'.repeat(500_000) })).toBeUndefined();
});

test.each(Object.entries(largestPosts))('the largest post is short in lists: %s', (_name, written) => {
  const properties = written();
  const size = JSON.stringify(properties).length;
  if (size > 450_000) expect(begun(properties)).toBeDefined();
  expect(JSON.stringify(begun(properties) ?? {}).length).toBeLessThan(50_000);
});
