import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn } from '../storage/folder-names.ts';
import { readDocument, replaceByCopy } from '../storage/unopened.ts';
import { waits } from './queue-entry.ts';
import { readQueue } from './queue-file.ts';
import { sentFormat } from './send/outbox-document.ts';

/**
 * Returns the number of unverified mentions in a webmentions folder. A server that uses the folder will verify them.
 */
export async function countQueued(dir: string): Promise<number> {
  const { entries } = await readQueue(join(dir, 'queue.jsonl'));
  return [...entries.values()].filter(waits).length;
}

/** Checks the queue in a webmentions folder. Returns a description of each problem. */
export async function queueProblems(dir: string): Promise<string[]> {
  const { unread } = await readQueue(join(dir, 'queue.jsonl'));
  return unread > 0 ? ['The queue has lines that cannot be read.'] : [];
}

/**
 * Replaces the queue in folder `there` with a copy of the queue in folder `here`. A server that uses `there` then
 * verifies the mentions that were waiting in `here`.
 */
export async function keepQueue(here: string, there: string): Promise<void> {
  await replaceByCopy(join(there, 'queue.jsonl'), join(here, 'queue.jsonl'));
}

/** Returns the number of unsent webmentions in a webmentions folder. A server that uses the folder will send them. */
export async function countOutgoing(dir: string): Promise<number> {
  let count = 0;
  for (const name of await documentsOf(dir)) {
    const post = await readDocument(join(dir, name), sentFormat);
    count += post?.entries.filter(({ state }) => state === 'waiting').length ?? 0;
  }
  return count;
}

/**
 * Replaces the outbox in folder `there` with a copy of the outbox in folder `here`, including webmentions that were
 * already sent.
 */
export async function keepOutbox(here: string, there: string): Promise<void> {
  await rm(join(there, 'outbox'), { recursive: true, force: true });
  for (const name of ['outbox.json', ...(await documentsOf(here))])
    await replaceByCopy(join(there, name), join(here, name));
}

async function documentsOf(dir: string): Promise<string[]> {
  const names = await namesIn(join(dir, 'outbox'));
  return names.filter((name) => name.endsWith('.json')).map((name) => join('outbox', name));
}
