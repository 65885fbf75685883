import { expect, test } from 'vitest';
import type { Delivery } from '../../../src-main/contract/posts.ts';
import { createMentionActivity } from '../../../src-main/mentions/mention-activity.ts';

test('only failed deliveries are in the activity, each with its page, post and reason', () => {
  const lines: string[] = [];
  const activity = createMentionActivity({
    pass: ({ words }) => Promise.resolve(void lines.push(words)),
    close: () => Promise.resolve(),
  });
  const delivery: Delivery = {
    source: 'https://me.example/posts/1',
    title: 'My “first” post',
    target: `https://you.example/${'x'.repeat(400)}`,
    state: 'sent',
    words: 'No answer.',
    at: '2026-11-21T08:00:00.000Z',
  };
  for (const state of ['waiting', 'sent', 'no-endpoint', 'failed'] as const)
    activity.delivered({ ...delivery, state });
  expect(lines).toEqual([
    expect.stringMatching(
      /^Porchlight couldn’t send a mention of “My "first" post” \(https:\/\/me\.example\/posts\/1\) to https:\/\/you\.example\/x+…\. No answer\.$/,
    ),
  ]);
  expect(lines[0]?.length).toBeLessThan(400);
});
