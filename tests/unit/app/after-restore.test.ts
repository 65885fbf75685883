import { expect, test, vi } from 'vitest';
import type { Post } from '../../../src-main/contract/posts.ts';
import { createAfterRestore } from '../../../src-main/app/restoring.ts';
import { openWork } from '../../../src-main/storage/work/work.ts';
import { workTable } from '../../../src-main/storage/work/work-rows.ts';
import { memoryRecords } from '../../support/memory-records.ts';

const log = { error: vi.fn(), warn: vi.fn() };
const now = Date.now;

test('what posts lack after a restore is queued for each post once, also if Porchlight ends in between', async () => {
  const records = memoryRecords([workTable]);
  const all = Array.from({ length: 350 }, (_, number) => ({ path: `/posts/2026/11/p${number}` }) as Post);
  const list = ({ limit, after = '0' }: { limit: number; after?: string | undefined }) => {
    const end = Number(after) + limit;
    const items = all.slice(Number(after), end);
    return Promise.resolve({ items, ...(end < all.length && { after: String(end) }) });
  };
  const seen: string[] = [];
  const open = async (stopAfter: number) => {
    const work = await openWork({ records, now, online: () => true, log });
    const afterRestore = createAfterRestore(work, now);
    let pages = 0;
    const derive = (posts: readonly Post[]) => {
      pages += 1;
      seen.push(...posts.map(({ path }) => path));
      if (pages === stopAfter) void work.stop();
      return Promise.resolve();
    };
    return { work, afterRestore, connect: () => afterRestore.connect({ posts: { list }, derive }) };
  };

  const first = await open(2);
  first.connect();
  await first.afterRestore.begin();
  first.work.start();
  await vi.waitFor(() => expect(seen).toHaveLength(200));
  await first.work.stop();

  const second = await open(Infinity);
  second.connect();
  second.work.start();
  await vi.waitFor(() => expect(records.rows((row) => row, 'SELECT * FROM work')).toEqual([]));
  expect(seen).toEqual(all.map(({ path }) => path));
  await second.work.stop();
});
