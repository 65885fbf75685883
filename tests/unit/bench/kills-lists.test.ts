import { expect, test } from 'vitest';
import { differences } from '../../bench/kills/lists.ts';

const list = (items: Record<string, string>) => new Map(Object.entries(items));

test('a list that shows what the documents hold is right', () => {
  expect(differences('posts.list', list({ a: 'live' }), list({ a: 'live' }))).toEqual([]);
});

test('notices what a list leaves out, what it should not show, and what it shows wrong', () => {
  const shown = list({ extra: 'live', changed: 'live' });
  const stored = list({ missing: 'live', changed: 'deleted' });
  expect(differences('posts.list', shown, stored)).toEqual([
    'posts.list: extra should not be there',
    'posts.list: changed is “live”, and its document says “deleted”',
    'posts.list: missing is missing',
  ]);
});
