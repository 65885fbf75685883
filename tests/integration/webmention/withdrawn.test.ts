import { cp } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createMentionStore } from '../../../src-main/mentions/mentions-on-disk.ts';
import { keepMentionsWithdrawn, withdrawnMentions } from '../../../src-main/mentions/withdrawn-mentions.ts';
import { collected, mentionTablesIn, newMentionStore, stepClock } from '../../support/mention-folder.ts';
import { sample } from '../../support/mention-samples.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

test('mentions that were deleted, hidden or held since an older copy stay so in the copy, and nothing else changes', async () => {
  const { dir, mentions } = await newMentionStore();
  const kept = await mentions.keepAll([1, 2, 3, 4].map((number) => sample(number)));
  const [deleted = '', hidden = '', held = '', shown = ''] = kept.map(({ mention }) => mention.id);
  const copy = await temporaryFolder();
  await cp(dir, copy, { recursive: true });
  await mentions.setStatus(deleted, 'deleted', 'owner');
  await mentions.setStatus(hidden, 'hidden', 'owner');
  await mentions.setStatus(held, 'held', 'owner');

  expect((await collected(withdrawnMentions(dir, copy))).map((month) => month.mentions.length)).toEqual([3]);
  await keepMentionsWithdrawn(dir, copy);
  expect(await collected(withdrawnMentions(dir, copy))).toEqual([]);
  const opened = createMentionStore({
    ...{ dir: copy, index: mentionTablesIn(), now: stepClock(), log: { warn: () => undefined } },
  });
  const statuses = await Promise.all(
    [deleted, hidden, held, shown].map(async (id) => (await opened.get(id))?.status),
  );
  expect(statuses).toEqual(['deleted', 'hidden', 'held', 'approved']);
  const { items } = await opened.list({ limit: 10, filter: { status: 'approved' } });
  expect(items.map(({ id }) => id)).toEqual([shown]);
});
