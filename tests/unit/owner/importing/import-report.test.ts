import { expect, test } from 'vitest';
import { reportWriter } from '../../../../src-main/owner/importing/import-report.ts';

test('a report counts every skipped part, and lists no more than a hundred reasons and one for the others', () => {
  const report = reportWriter('id', 'mastodon');
  for (let index = 0; index < 1000; index += 1) report.skip(`File ${index}`, `“${index}.png” can’t be read.`);
  const { reasons, skipped } = report.written('checked', 0);
  expect(reasons).toHaveLength(101);
  expect(reasons[0]).toEqual({ why: 'Other reasons', count: 900 });
  expect(skipped).toHaveLength(200);
});
