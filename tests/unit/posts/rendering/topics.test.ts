import { expect, test } from 'vitest';
import { topicPath } from '../../../../src-main/posts/rendering/site-list.ts';

test.each([
  ['/', '/'],
  ['/feed.atom', '/feed.atom'],
  ['/kinds/note', '/kinds/note'],
  ['/categories/fog', '/categories/fog'],
  ['/categories/fog/feed.json', '/categories/fog/feed.json'],
])('%s is a WebSub topic', (url, path) => {
  expect(topicPath(url)).toBe(path);
});

test.each([
  '/?before=1',
  '/?',
  '/feed.atom?before=1',
  '/kinds/note?before=1',
  '/categories/fog?before=1',
  '/categories/fog?',
  '/categories/fog?x/feed.atom',
  '/categories/fog/feed.atom?',
])('%s, which has a query, is no WebSub topic', (url) => {
  expect(topicPath(url)).toBeUndefined();
});

test.each(['/2026', '/posts/2026', '/posts/2026/11', '/nothing', ''])('%j is no WebSub topic', (url) => {
  expect(topicPath(url)).toBeUndefined();
});
