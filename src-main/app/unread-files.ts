import path from 'node:path';
import { monthsIn } from '../storage/folder-names.ts';
import { isThere } from '../storage/presence.ts';

/** What versions before the database, and before the queue in it, kept in a data folder. No release was made of them. */
const unread = [
  ...['activity', 'grants.json', 'grants-ended.jsonl', 'lock', 'mentions', 'post-imports'],
  ...['mailbox/journal.jsonl', 'mailbox/server.json', 'publishing', 'websub/subscriptions.json'],
  ...['webmentions/blocked.json', 'webmentions/queue.jsonl', 'webmentions/import.json'],
  ...['webmentions/import-runs.json', 'webmentions/outbox', 'webmentions/outbox.json'],
  ...['cited', 'media/copies', 'webmentions/pictures/waiting.json'],
];

/**
 * Returns a line for the owner that names the files in a data folder that Porchlight doesn't read any more; undefined if
 * there are none.
 */
export async function unreadFilesLine(dataDir: string): Promise<string | undefined> {
  const months = await monthsIn(path.join(dataDir, 'media'));
  const found: string[] = [];
  for (const name of unread) if (await isThere(path.join(dataDir, name))) found.push(name);
  for (const month of months)
    if (await isThere(path.join(dataDir, 'media', month, 'index.jsonl'))) {
      found.push('media/*/*/index.jsonl');
      break;
    }
  if (found.length === 0) return undefined;
  return `An earlier version wrote these files, which Porchlight doesn’t read any more and leaves untouched: ${found.join(', ')}.`;
}
