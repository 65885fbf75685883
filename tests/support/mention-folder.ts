import type { FileOperations } from '../../src-main/storage/file-operations.ts';
import type { Recovery } from '../../src-main/storage/recovery.ts';
import type { MentionFilter, MentionStore } from '../../src-main/webmention/mention-store.ts';
import type { Mention } from '../../src-main/webmention/mention.ts';
import { createMentionStore } from '../../src-main/webmention/mentions-on-disk.ts';
import { temporaryFolder } from './storage-folder.ts';

/** A clock that goes on by a second whenever it is asked. */
export function stepClock(start = '2026-11-20T10:00:00Z'): () => number {
  let now = Date.parse(start);
  return () => (now += 1000);
}

/** A folder with a store; `open` opens the folder anew, as after a restart. */
export async function newMentionStore(operations?: FileOperations) {
  const dir = await temporaryFolder();
  const recoveries: Recovery[] = [];
  const warnings: unknown[] = [];
  const now = stepClock();
  const open = (): MentionStore =>
    createMentionStore({
      dir,
      now,
      operations,
      log: { warn: (warning: unknown) => void warnings.push(warning) },
      onRecovered: (recovery) => void recoveries.push(recovery),
    });
  return { dir, recoveries, warnings, now, open, mentions: open() };
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
