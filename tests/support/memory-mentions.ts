import type { Blocks } from '../../src-main/mentions/blocked.ts';
import { mentionPages, type MentionPages, type MentionStore } from '../../src-main/mentions/mention-store.ts';
import { mentionTable } from '../../src-main/mentions/mention-table.ts';
import { createMentionStore } from '../../src-main/mentions/mentions-on-disk.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { createVersions } from '../../src-main/storage/caches.ts';
import { memoryRecords } from './memory-records.ts';

/** A store of mentions that forgets: its database is only in memory. `records`: has the table of mentions. */
export function memoryMentions(
  now: () => number = Date.now,
  pages: MentionPages = mentionPages(() => ''),
  records = memoryRecords([mentionTable]),
  blocks?: Blocks,
): MentionStore & { readonly size: number } {
  let ids = 0;
  const newId = () => `memory-${(ids += 1)}`;
  const store = createMentionStore({
    records,
    versions: createVersions(),
    now,
    pages,
    newId,
    log: silentLog,
    blocks,
  });
  return {
    ...store,
    get size() {
      return records.rows(({ n }) => Number(n), 'SELECT count(*) AS n FROM mentions')[0] ?? 0;
    },
  };
}
