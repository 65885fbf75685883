import { expect, test } from 'vitest';
import { silentLog } from '../../../src-main/platform/log.ts';
import { postChanges } from '../../../src-main/posts/post-changes.ts';
import { postLists } from '../../../src-main/posts/post-lists.ts';
import { postTables } from '../../../src-main/posts/post-table.ts';
import { createVersions } from '../../../src-main/storage/caches.ts';
import { openWork } from '../../../src-main/storage/work/work.ts';
import { workTable } from '../../../src-main/storage/work/work-rows.ts';
import { memoryRecords } from '../../support/memory-records.ts';
import { patience } from '../../support/patience.ts';
import { expectSound } from '../../support/post-folder.ts';

const at = '2026-11-20T10:00:00.000Z';
const place = { month: '2026/11', slug: 'a' };

const post = (text: string) => ({
  type: ['h-entry'],
  properties: { content: [text] },
  commands: {},
  status: 'published' as const,
  visibility: 'public' as const,
  createdAt: at,
  updatedAt: at,
  deletedAt: null,
});
const long = (word: string) => post(`${'Filling. '.repeat(20_000)} ${word}`);

/** Posts whose words are added by a queue, and the same after a restart. */
async function opened(records = memoryRecords([...postTables, workTable])) {
  const work = await openWork({ records, now: Date.now, online: () => true, log: silentLog });
  const changes = postChanges({ records, versions: createVersions(), log: silentLog, work });
  const lists = postLists(records, (query) => changes.searched(query));
  return {
    records,
    work,
    put: (one: ReturnType<typeof post>, to = place) =>
      changes.write((writes) => writes.put(to, { post: one, id: 'a'.repeat(16) })),
    move: (to: typeof place) =>
      changes.write((writes) => writes.put(place, { movedTo: `/posts/2026/11/${to.slug}` })),
    found: async (text: string) =>
      (await lists.list({ limit: 9, filter: { text } })).items.map(({ path }) => path),
    waiting: () => records.rows(({ key }) => key, "SELECT key FROM work WHERE kind = 'words'"),
  };
}

test('the words of a short post can be searched at once, those of a long one soon after, also after a kill', async () => {
  const before = await opened();
  await before.put(post('Short needle'));
  expect(await before.found('needle')).toEqual(['/posts/2026/11/a']);
  expect(before.waiting()).toEqual([]);
  await before.put(long('haystack'));
  expect(before.waiting()).toEqual(['/posts/2026/11/a']);
  // Its former words are not found any more.
  expect(await before.found('needle')).toEqual([]);

  const after = await opened(before.records);
  after.work.start();
  await expect.poll(() => after.found('haystack'), patience).toEqual(['/posts/2026/11/a']);
  await expect.poll(() => after.waiting(), patience).toEqual([]);
  await expectSound(after.records);
  await after.work.stop();
});

test('the text of a long post that changes in the meantime is its last one', async () => {
  const { records, work, put, move, found, waiting } = await opened();
  await put(long('first'));
  const other = { month: '2026/11', slug: 'b' };
  await move(other);
  await put(long('second'), other);
  work.start();
  await expect.poll(() => found('second'), patience).toEqual(['/posts/2026/11/b']);
  await expect.poll(waiting, patience).toEqual([]);
  expect(await found('first')).toEqual([]);
  await put(long('third'), other);
  await put(post('short'), other);
  await expect.poll(waiting, patience).toEqual([]);
  expect(await found('third')).toEqual([]);
  expect(await found('short')).toEqual(['/posts/2026/11/b']);
  await expectSound(records);
  await work.stop();
});
