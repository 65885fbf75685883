import { expect, test } from 'vitest';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { mentionWords } from '../../../src-main/desktop/dialog-words.ts';

const mention = (over: Partial<MentionRecord> = {}): MentionRecord => ({
  id: '1',
  source: 'https://bo.example/reply',
  target: 'https://ann.example/post',
  type: 'reply',
  received: '2026-11-21T12:00:00.000Z',
  parsed: '2026-11-21T12:00:00.000Z',
  status: 'approved',
  author: { name: 'Bo', url: '', photo: '' },
  content: { value: 'What a nice porch!' },
  ...over,
});

test('one mention is announced by its author, action and text', () => {
  expect(mentionWords([mention()])).toEqual({ title: 'Bo replied to you', body: 'What a nice porch!' });
  expect(mentionWords([mention({ type: 'like' })])).toEqual({ title: 'Bo liked your post', body: '' });
});

test('a mention without a name is announced by its host, and a waiting one says so', () => {
  const nameless: Partial<MentionRecord> = mention({ status: 'held', type: 'mention' });
  delete nameless.author;
  delete nameless.content;
  expect(mentionWords([nameless as MentionRecord])).toEqual({
    title: 'bo.example mentioned you',
    body: 'It is waiting for your approval.',
  });
});

test('many are announced together, with some of the names and the number that waits', () => {
  const names = ['Bo', 'Cy', 'Di', 'Ed', 'Fay', 'Bo'];
  const many = names.map((name, index) =>
    mention({ author: { name, url: '', photo: '' }, status: index === 0 ? 'held' : 'approved' }),
  );
  expect(mentionWords(many)).toEqual({
    title: '6 new mentions',
    body: 'From Bo, Cy, Di and 2 more. 1 is waiting for your approval.',
  });
});

test('a stranger’s name cannot pose as words of ours', () => {
  const { title } = mentionWords([
    mention({ author: { name: `A\n\u202Ebc${'x'.repeat(200)}`, url: '', photo: '' } }),
  ]);
  expect(title).not.toMatch(/[\n\u202E]/);
  expect(title.length).toBeLessThan(90);
});
