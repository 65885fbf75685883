import { expect, test } from 'vitest';
import { archiveItem } from '../../../src-main/importing/conversion.ts';
import { ReportWriter } from '../../../src-main/importing/import-records.ts';

test('a report counts every skipped part, and lists no more than a hundred reasons and one for the others', () => {
  const report = new ReportWriter('id', 'mastodon');
  for (let index = 0; index < 1000; index += 1) report.skip(`File ${index}`, `“${index}.png” can’t be read.`);
  const { reasons, skipped } = report.written('checked', 0);
  expect(reasons).toHaveLength(101);
  expect(reasons[0]).toEqual({ why: 'Other reasons', count: 900 });
  expect(skipped).toHaveLength(200);
});

test('a report names each post that loses something, and lists no more than a thousand of them', () => {
  const report = new ReportWriter('id', 'wxr');
  report.lose('Nothing is missing from this post', []);
  for (let index = 0; index < 1500; index += 1) report.lose(`Post ${index}`, ['the shortcode [poll]']);
  const { losses, lossCount } = report.written('checked', 0);
  expect(losses[0]).toEqual({ what: 'Post 0', lost: ['the shortcode [poll]'] });
  expect([losses.length, lossCount]).toEqual([1000, 1500]);
  const other = new ReportWriter('id', 'wxr');
  other.lose(
    'Post',
    Array.from({ length: 100 }, (_, index) => `file ${index}`),
  );
  expect(other.written('done', 1).losses[0]?.lost.slice(19)).toEqual(['file 19', 'and 80 more']);
});

test('a post passes on at most ten different losses, each of at most 100 characters', () => {
  const lost = [
    'the same',
    'the same',
    'x'.repeat(5000),
    ...Array.from({ length: 5000 }, (_, n) => `tag ${n}`),
  ];
  const item = archiveItem({
    post: {
      key: '1',
      text: 'Words',
      format: 'plain',
      published: '2020-01-01',
      status: 'published',
      visibility: 'public',
      categories: [],
      syndication: [],
      responses: {},
      media: [],
      lost,
    },
  });
  const passed = 'post' in item ? item.post.lost : undefined;
  expect(passed?.slice(0, 3)).toEqual(['the same', 'x'.repeat(100), 'tag 0']);
  expect(passed?.slice(9)).toEqual(['tag 7', 'and 4992 more']);
});
