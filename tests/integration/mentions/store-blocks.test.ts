import { expect, test } from 'vitest';
import { createBlocks } from '../../../src-main/mentions/blocked.ts';
import { mentionTable } from '../../../src-main/mentions/mention-table.ts';
import { withClosedRecords } from '../../../src-main/storage/records/closed-records.ts';
import { expectSound, newMentionStore } from '../../support/mention-folder.ts';
import { facts, sample } from '../../support/mention-samples.ts';

const by = (url: string, number: number) =>
  sample(number, { facts: { ...facts(), author: { name: 'Somebody', url, photo: '' } } });
const [ada, bo] = ['https://ada.example/', 'https://social.example/@bo'];

test('a block that was saved before a kill hides all its mentions before anybody reads them', async () => {
  const { mentions, records, open } = await newMentionStore();
  await mentions.keepAll(Array.from({ length: 600 }, (_, index) => by(index % 200 === 7 ? bo : ada, index)));
  const blocks = createBlocks(records);
  await blocks.people.add(bo);
  const hidden: string[] = [];
  const again = open({ blocks, blockApplied: ({ source }) => hidden.push(source) });
  expect(await again.counts()).toEqual([{ month: '2026-11', types: { reply: 597 } }]);
  expect((await again.list({ limit: 10, filter: { status: 'hidden' } })).items).toHaveLength(3);
  expect(hidden).toHaveLength(3);
  await open({ blocks, blockApplied: ({ source }) => hidden.push(source) }).counts();
  expect(hidden).toHaveLength(3);
  await blocks.people.remove(bo);
  expect(await again.counts()).toEqual([{ month: '2026-11', types: { reply: 600 } }]);
  await expectSound(records);
});

test('a block covers a source that redirects to a blocked site, and all spellings of one address', async () => {
  const { mentions, records, open } = await newMentionStore();
  await mentions.keep({ ...sample(1), readAt: 'https://spam.example/1' });
  await mentions.keep(by('http://SOCIAL.example:80/@bo/#me', 2));
  await mentions.keep(by('https://social.example/@bob', 3));
  const blocks = createBlocks(records);
  const store = open({ blocks });
  await blocks.people.add(`${bo}/`);
  await blocks.sites.add('spam.example');
  const { items } = await store.list({ limit: 10 });
  expect(items.map(({ source, status }) => `${source} ${status}`).sort()).toEqual([
    'https://friend.example/notes/1 hidden',
    'https://friend.example/notes/2 hidden',
    'https://friend.example/notes/3 approved',
  ]);
});

test('a database of an earlier version gets the columns for authors and blocks', async () => {
  const folder = await newMentionStore();
  const { mention } = await folder.mentions.keep(by(bo, 1));
  await folder.mentions.setStatus(mention.id, 'approved', 'owner');
  await folder.records.close();
  await withClosedRecords(folder.dir, [mentionTable], (database) =>
    database.exec(`DROP INDEX mentions_to_file; DROP INDEX mentions_of_known_people;
      ALTER TABLE mentions DROP COLUMN author; ALTER TABLE mentions DROP COLUMN blocked`),
  );
  const { mentions, records } = await folder.reopened();
  expect(await mentions.wasApproved('friend.example', bo)).toBe(true);
  expect(await mentions.counts()).toEqual([{ month: '2026-11', types: { reply: 1 } }]);
  await expectSound(records);
});
