import { documentCodec } from '../storage/document-format.ts';
import type { Recovery } from '../storage/recovery.ts';
import { openStateJournal, readStateJournal } from '../storage/state-journal.ts';
import { pairOf, queueLineFormat, type QueueEntry, waits } from './queue-entry.ts';

/**
 * The file that stores the queue, with a line for each change. The cost of saving a mention therefore doesn't depend on
 * the number of waiting mentions.
 */

export interface QueueFileOptions {
  /** The path of `queue.jsonl`. */
  readonly file: string;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  /** Returns the time in ms since the epoch. */
  readonly now: () => number;
}

/** Each line contains the format number, so that the file needs no header. */
const codec = documentCodec(queueLineFormat);

/** Opens the queue's file; see openStateJournal. */
export const openQueueFile = (options: QueueFileOptions) =>
  openStateJournal<QueueEntry>({ ...options, codec, current: currentEntries });

/**
 * Reads a queue's file without changing it. Returns the entries by pair (source and target). These include settled
 * entries that a running queue would already have dropped, because they are too old or too many.
 * @throws PorchlightError `storage_newer`, `storage_unreadable`.
 */
export const readQueue = (file: string) => readStateJournal<QueueEntry>(file, codec, currentEntries);

function currentEntries(lines: readonly QueueEntry[]): Map<string, QueueEntry> {
  const entries = new Map<string, QueueEntry>();
  for (const line of lines) put(entries, line);
  return entries;
}

/**
 * Replaces an entry with its newer version. If the mention was checked, the entry moves behind all other entries. If
 * the mention was only sent again, the entry keeps its position.
 */
function put(entries: Map<string, QueueEntry>, entry: QueueEntry): void {
  const pair = pairOf(entry);
  const before = entries.get(pair);
  const keepsPlace = before !== undefined && waits(before) && waits(entry) && before.tried === entry.tried;
  if (!keepsPlace) entries.delete(pair);
  entries.set(pair, entry);
}
