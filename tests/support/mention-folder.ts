import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { mentionTables } from '../../src-main/mentions/mention-index.ts';
import type { MentionFilter, MentionStore } from '../../src-main/mentions/mention-store.ts';
import type { Mention } from '../../src-main/mentions/mention.ts';
import { createMentionStore, type MentionStoreOptions } from '../../src-main/mentions/mentions-on-disk.ts';
import { inMemory, openIndex, type IndexDatabase } from '../../src-main/storage/index/index-database.ts';
import type { Recovery } from '../../src-main/storage/recovery.ts';
import { temporaryFolder } from './storage-folder.ts';

/** A clock that goes on by a second whenever it is asked. */
export function stepClock(start = '2026-11-20T10:00:00Z'): () => number {
  let now = Date.parse(start);
  return () => (now += 1000);
}

/** An index with tables for mentions; in memory, unless a file is given. */
export const mentionTablesIn = (file = inMemory): IndexDatabase => openIndex(file, [mentionTables]);

/** A folder with a store. `open` opens the folder anew, as after a restart; without an index, from the files alone. */
export async function newMentionStore(given: Pick<MentionStoreOptions, 'ownSites' | 'pages'> = {}) {
  const dir = await temporaryFolder();
  const recoveries: Recovery[] = [];
  const warnings: unknown[] = [];
  const now = stepClock();
  const open = (index = mentionTablesIn()): MentionStore =>
    createMentionStore({
      ...given,
      dir,
      now,
      index,
      log: { warn: (warning: unknown) => void warnings.push(warning) },
      onRecovered: (recovery) => void recoveries.push(recovery),
    });
  return { dir, recoveries, warnings, now, open, mentions: open() };
}

/** The lines of all months in a folder, by the file. */
export async function linesIn(dir: string): Promise<Map<string, string[]>> {
  const names = await readdir(dir, { recursive: true });
  const files = names.filter((name) => name.endsWith('.jsonl')).sort();
  const read = async (name: string): Promise<[string, string[]]> => [
    name,
    (await readFile(path.join(dir, name), 'utf8')).split('\n').slice(0, -1),
  ];
  return new Map(await Promise.all(files.map(read)));
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
