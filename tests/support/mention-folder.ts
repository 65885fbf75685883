import { expect, onTestFinished } from 'vitest';
import { blockedPeople, blockedSites } from '../../src-main/mentions/blocked.ts';
import { mentionPages, type MentionPages } from '../../src-main/mentions/mention-pages.ts';
import type { MentionFilter } from '../../src-main/mentions/mention-queries.ts';
import { MentionStore, type MentionStoreOptions } from '../../src-main/mentions/mention-store.ts';
import { mentionTable } from '../../src-main/mentions/mention-table.ts';
import type { Mention } from '../../src-main/mentions/mention.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { buildRecords } from '../../src-main/storage/records/record-lines.ts';
import { cellsOf, insertInto, type Row } from '../../src-main/storage/records/record-table.ts';
import { openRecords, type Records } from '../../src-main/storage/records/records.ts';
import { createVersions } from '../../src-main/storage/caches.ts';
import { memoryRecords } from './memory-records.ts';
import { temporaryFolder } from './storage-folder.ts';

/** A clock that goes on by a second whenever it is asked. */
export function stepClock(start = '2026-11-20T10:00:00Z'): () => number {
  let now = Date.parse(start);
  return () => (now += 1000);
}

type Given = Pick<MentionStoreOptions, 'ownSites' | 'pages' | 'blocks' | 'blockApplied'>;

/** The records in a folder, which are closed after the test. */
async function mentionRecords(dir: string): Promise<Records> {
  const tables = [mentionTable, blockedPeople.table, blockedSites.table];
  const records = await openRecords({ dir, tables, log: silentLog });
  onTestFinished(() => records.close());
  return records;
}

/**
 * A folder with a store. `open`: another store on the same database, without what the first one has in memory.
 * `reopened`: the folder after a restart.
 */
export async function newMentionStore(given: Given = {}, dir?: string) {
  const folder = dir ?? (await temporaryFolder());
  const records = await mentionRecords(folder);
  const warnings: unknown[] = [];
  const now = stepClock();
  const log = { warn: (warning: unknown) => void warnings.push(warning) };
  const open = (more: Given = {}): MentionStore =>
    new MentionStore({ ...given, ...more, records, versions: createVersions(), now, log });
  return {
    dir: folder,
    records,
    warnings,
    now,
    open,
    mentions: open(),
    reopened: async (more: Given = {}) => {
      await records.close();
      return newMentionStore({ ...given, ...more }, folder);
    },
  };
}

/** A folder that was restored from a backup of the records. */
export async function restoredFrom(records: Records): Promise<string> {
  const dir = await temporaryFolder();
  const lines = await records.lines('backup');
  await lines.write(dir);
  lines.end();
  expect(await buildRecords(dir, [mentionTable], new AbortController().signal)).toEqual([]);
  return dir;
}

const derived = {
  mentions: `SELECT id, at, source, target, address, page, origin, rank, verified, leads, host, site, bytes, type, status,
    chosen, imported, number, received, person, author, blocked, mention FROM mentions ORDER BY id`,
  words: 'SELECT m.id, w.words FROM mention_words w JOIN mentions m ON m.seq = w.rowid ORDER BY m.id',
};

/** Checks that everything derived from mentions is as if it were derived again. */
export async function expectSound(
  records: Pick<Records, 'rows'>,
  pages: MentionPages = mentionPages(() => ''),
): Promise<void> {
  const rebuilt = memoryRecords([mentionTable]);
  const rows = records.rows((row) => row, 'SELECT id, mention FROM mentions ORDER BY seq');
  await rebuilt.write(({ run }) => {
    for (const row of rows) run(insertInto(mentionTable), ...cellsOf(mentionTable, row));
  });
  const versions = createVersions();
  await new MentionStore({ records: rebuilt, versions, now: Date.now, pages, log: silentLog }).pages();
  const tables = ({ rows: read }: Pick<Records, 'rows'>) =>
    Object.fromEntries(
      Object.entries(derived).map(([name, sql]) => [name, read((row: Row) => ({ ...row }), sql)]),
    );
  expect(tables(records)).toEqual(tables(rebuilt));
}

/** All that a list gives, page after page. */
export async function everyMention(
  mentions: MentionStore,
  limit: number,
  filter?: MentionFilter,
): Promise<Mention[]> {
  const all: Mention[] = [];
  let cursor: string | undefined;
  do {
    const page = await mentions.list({ limit, cursor, ...(filter && { filter }) });
    all.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
