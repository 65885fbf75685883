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
 * Reads a queue's file without changing it. Returns the entries, keyed by pair (source and target). These include old
 * settled entries that a running queue would drop.
 * @throws PorchlightError `storage_newer`, `storage_unreadable`.
 */
export const readQueue = (file: string) => readStateJournal<QueueEntry>(file, codec, currentEntries);

function currentEntries(lines: readonly QueueEntry[]): Map<string, QueueEntry> {
  const entries = new Map<string, QueueEntry>();
  for (const line of lines) put(entries, line);
  return entries;
}

/**
 * Replaces an entry with a newer version. A waiting entry keeps its position if it was not tried between the two
 * versions. Any other entry moves to the end.
 */
function put(entries: Map<string, QueueEntry>, entry: QueueEntry): void {
  const pair = pairOf(entry);
  const before = entries.get(pair);
  const keepsPlace = before !== undefined && waits(before) && waits(entry) && before.tried === entry.tried;
  if (!keepsPlace) entries.delete(pair);
  entries.set(pair, entry);
}
