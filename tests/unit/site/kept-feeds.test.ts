import { expect, test } from 'vitest';
import { shownContent } from '../../../src-main/site/contents.ts';
import { keptFeeds } from '../../../src-main/site/kept-feeds.ts';
import { postOf } from '../../support/site.ts';

const base = 'https://ann.example';
const view = {
  base,
  author: { name: 'Ann', url: `${base}/` },
  shown: () => undefined,
  mediaVersion: '',
  contentOf: (post: ReturnType<typeof postOf>) => shownContent(post, base),
};
const post = postOf({ content: ['Hi'] });

function counted(most = 1000) {
  const written: string[] = [];
  const feeds = keptFeeds({
    most,
    write(format, posts) {
      written.push(format);
      return posts.map(({ path }) => path).join();
    },
  });
  return { feeds, written };
}

test('a feed is written once, until something in it changes', () => {
  const { feeds, written } = counted();
  const first = feeds.text('atom', [post], view);
  expect(feeds.text('atom', [post], { ...view })).toBe(first);
  expect(written).toEqual(['atom']);
  feeds.text('rss', [post], view);
  feeds.text('atom', [{ ...post, updatedAt: '2026-11-22T00:00:00.000Z' }], view);
  feeds.text('atom', [post], { ...view, mediaVersion: 'a copy came' });
  feeds.text('atom', [post], { ...view, author: { ...view.author, name: 'Ann Marlow' } });
  feeds.text('atom', [post], { ...view, base: 'https://other.example' });
  feeds.text('atom', [], view);
  expect(written).toHaveLength(7);
});

test('a feed that is told of a change is written anew; one that is too long is never kept', () => {
  const { feeds, written } = counted(10);
  feeds.text('json', [], view);
  feeds.text('json', [], view);
  feeds.drop();
  feeds.text('json', [], view);
  expect(written).toHaveLength(2);
  feeds.text('json', [post], view);
  feeds.text('json', [post], view);
  expect(written).toHaveLength(4);
});
