import type { Blocks } from '../../src-main/mentions/blocked.ts';
import { mentionPages, type MentionPages } from '../../src-main/mentions/mention-pages.ts';
import { MentionStore, type MentionStoreOptions } from '../../src-main/mentions/mention-store.ts';
import { mentionTable } from '../../src-main/mentions/mention-table.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { createVersions } from '../../src-main/storage/caches.ts';
import { memoryRecords } from './memory-records.ts';

/** A store of mentions that forgets: its database is only in memory. */
class MemoryMentions extends MentionStore {
  readonly #records: ReturnType<typeof memoryRecords>;

  constructor(records: ReturnType<typeof memoryRecords>, options: Omit<MentionStoreOptions, 'records'>) {
    super({ ...options, records });
    this.#records = records;
  }

  get size(): number {
    return this.#records.rows(({ n }) => Number(n), 'SELECT count(*) AS n FROM mentions')[0] ?? 0;
  }
}

/** Returns a store that forgets. `records`: has the table of mentions. */
export function memoryMentions(
  now: () => number = Date.now,
  pages: MentionPages = mentionPages(() => ''),
  records = memoryRecords([mentionTable]),
  blocks?: Blocks,
): MemoryMentions {
  let ids = 0;
  const newId = () => `memory-${(ids += 1)}`;
  return new MemoryMentions(records, {
    versions: createVersions(),
    now,
    pages,
    newId,
    log: silentLog,
    blocks,
  });
}
