import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn } from '../storage/folder-names.ts';
import { readDocument, replaceByCopy } from '../storage/unopened.ts';
import { sentFormat } from './send/outbox-document.ts';

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
