import { documentCodec } from '../storage/document-format.ts';
import { keepDamaged, openJournal, readContent } from '../storage/journal.ts';
import type { Recovery } from '../storage/recovery.ts';
import { pairOf, queueLineFormat, type QueueEntry, waits } from './queue-entry.ts';

/**
 * The queue on disk, with a line for each change. Saving a mention therefore costs the same however many others wait.
 */
export interface QueueFile {
  /** The entries found in the file: waiting ones in queue order, settled ones oldest first. */
  readonly entries: readonly QueueEntry[];
  /**
   * Writes changes in their order. `all` returns the full content, in case the file has to be rewritten. Resolves once
   * the changes are on disk. Make one call at a time.
   * @throws PorchlightError `storage_full`, `storage_unwritable`. In either case, none of the changes is saved: include
   * them in the next call, which rewrites the file if it may be damaged.
   */
  save(changed: readonly QueueEntry[], all: () => readonly QueueEntry[]): Promise<void>;
  /** Closes the file. A later call of `save` opens it again. */
  close(): Promise<void>;
}

export interface QueueFileOptions {
  /** `queue.jsonl`. */
  readonly file: string;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  /** Returns the time in ms. */
  readonly now: () => number;
}

/**
 * The contents of a queue's file. `unread`: how many lines could not be read, not counting a line that was cut off when
 * the process was killed.
 */
export interface QueueLines {
  /** Entries by pair (source and target). They include old entries of pairs that the queue has forgotten. */
  readonly entries: Map<string, QueueEntry>;
  readonly lines: number;
  readonly unread: number;
  /** The size of the whole lines, in bytes. */
  readonly size: number;
}

/** A journal with fewer lines isn't worth rewriting. */
const shortJournal = 1000;
/** Each line states its own format, so any line may be the first. */
const lineCodec = documentCodec(queueLineFormat);

/**
 * Opens the queue's file, which need not exist. Rewrites it if it has lines that cannot be read; otherwise writes
 * nothing. Open it only once per process.
 * @throws PorchlightError `storage_newer`; `storage_broken` if there is no `onRecovered`; `storage_unreadable`; write
 * errors if the file has to be repaired.
 */
export async function openQueueFile({ file, onRecovered, now }: QueueFileOptions): Promise<QueueFile> {
  const found = await readQueue(file);
  const journal = openJournal(file, lineCodec, found.size);
  /** Lines in the file, and how many of them are current. */
  let [lines, kept] = [found.lines, found.entries.size];
  /**
   * A file with fewer lines than this isn't rewritten. If the disk has no room for a rewrite, the number rises, so that
   * Porchlight doesn't attempt a rewrite at every change.
   */
  let enough = shortJournal;

  async function rewrite(all: readonly QueueEntry[]): Promise<void> {
    await journal.rewrite(() => all);
    [lines, kept] = [all.length, all.length];
    enough = shortJournal;
  }

  /**
   * Rewrites a long file without outdated lines if the disk has room for both versions; returns whether it succeeded.
   */
  async function tidy(all: readonly QueueEntry[]): Promise<boolean> {
    try {
      await rewrite(all);
      return true;
    } catch {
      return false;
    }
  }

  const entries = [...found.entries.values()];
  if (found.unread > 0) {
    await keepDamaged(file, { onRecovered, now: () => new Date(now()) });
    await rewrite(entries);
  }

  return {
    entries,
    async save(changed, all) {
      if (changed.length === 0 && journal.isClean) return;
      const length = lines + changed.length;
      const isLong = length > 2 * kept + shortJournal && length > enough;
      if (!journal.isClean) await rewrite(all());
      else if (!isLong || !(await tidy(all()))) {
        await journal.append(changed);
        lines += changed.length;
        if (isLong) enough = lines + shortJournal;
      }
    },
    close: () => journal.close(),
  };
}

/**
 * Reads a queue's file without changing it.
 * @throws PorchlightError `storage_newer`, `storage_unreadable`.
 */
export async function readQueue(file: string): Promise<QueueLines> {
  const content = await readContent(file, lineCodec);
  const entries = new Map<string, QueueEntry>();
  for (const entry of content.entries) put(entries, entry);
  const { unread, size } = content;
  return { entries, lines: content.entries.length, unread, size };
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
