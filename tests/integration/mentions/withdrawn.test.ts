import { expect, test } from 'vitest';
import { keepMentionsWithdrawn, withdrawnMentions } from '../../../src-main/mentions/restored-mentions.ts';
import { expectSound, newMentionStore, restoredFrom } from '../../support/mention-folder.ts';
import { sample } from '../../support/mention-samples.ts';

test('mentions that were deleted, hidden or held since an older copy stay so in the copy, and nothing else changes', async () => {
  const first = await newMentionStore();
  const kept = await first.mentions.keepAll([1, 2, 3, 4].map((number) => sample(number)));
  const [deleted = '', hidden = '', held = '', shown = ''] = kept.map(({ mention }) => mention.id);
  const { dir, mentions } = first;
  const copy = await restoredFrom(first.records);
  await mentions.setStatus(deleted, 'deleted', 'owner');
  await mentions.setStatus(hidden, 'hidden', 'owner');
  await mentions.setStatus(held, 'held', 'owner');

  // The folder is compared while it is in use.
  expect(await withdrawnMentions(dir, copy)).toHaveLength(3);
  await keepMentionsWithdrawn(dir, copy);
  expect(await withdrawnMentions(dir, copy)).toEqual([]);
  const opened = await newMentionStore({}, copy);
  const statuses = await Promise.all(
    [deleted, hidden, held, shown].map(async (id) => (await opened.mentions.get(id))?.status),
  );
  expect(statuses).toEqual(['deleted', 'hidden', 'held', 'approved']);
  const { items } = await opened.mentions.list({ limit: 10, filter: { status: 'approved' } });
  expect(items.map(({ id }) => id)).toEqual([shown]);
  await expectSound(opened.records);
});
