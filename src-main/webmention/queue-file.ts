import { documentCodec } from '../storage/document-format.ts';
import type { Recovery } from '../storage/recovery.ts';
import { openStateJournal, readStateJournal } from '../storage/state-journal.ts';
import { pairOf, queueLineFormat, type QueueEntry, waits } from './queue-entry.ts';

/**
 * The queue on disk, with a line for each change. Saving a mention therefore costs the same however many others wait.
 */

export interface QueueFileOptions {
  /** `queue.jsonl`. */
  readonly file: string;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  /** Returns the time in ms. */
  readonly now: () => number;
}

/** Each line states its own format, so any line may be the first. */
const codec = documentCodec(queueLineFormat);

/** Opens the queue's file; see openStateJournal. */
export const openQueueFile = (options: QueueFileOptions) =>
  openStateJournal<QueueEntry>({ ...options, codec, current: currentEntries });

/**
 * Reads a queue's file without changing it. The entries, by pair (source and target), include old ones that the queue
 * has forgotten.
 * @throws PorchlightError `storage_newer`, `storage_unreadable`.
 */
export const readQueue = (file: string) => readStateJournal<QueueEntry>(file, codec, currentEntries);

function currentEntries(lines: readonly QueueEntry[]): Map<string, QueueEntry> {
  const entries = new Map<string, QueueEntry>();
  for (const line of lines) put(entries, line);
  return entries;
}

/**
 * Replaces an entry with its newer version. If the mention was checked, the entry moves behind the others; if it was
 * only sent again, the entry stays in place.
 */
function put(entries: Map<string, QueueEntry>, entry: QueueEntry): void {
  const pair = pairOf(entry);
  const before = entries.get(pair);
  const keepsPlace = before !== undefined && waits(before) && waits(entry) && before.tried === entry.tried;
  if (!keepsPlace) entries.delete(pair);
  entries.set(pair, entry);
}
