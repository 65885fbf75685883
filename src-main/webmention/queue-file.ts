import { dirname, join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { documentCodec } from '../storage/document-format.ts';
import { durableJournal } from '../storage/durable-journal.ts';
import { openDurableFile } from '../storage/durable-file.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { readJournal } from '../storage/journal.ts';
import { keepAside, type Recovery } from '../storage/recovery.ts';
import { previousOf } from '../storage/replace-file.ts';
import { pairOf, formerQueueFormat, queueLineFormat, type QueueEntry, waits } from './queue-entry.ts';

/** The queue on disk, with a line for each change. The cost of a mention doesn't depend on how many others wait. */
export interface QueueFile {
  /** The entries found in the file: waiting ones in the order of their turn, settled ones oldest first. */
  readonly entries: readonly QueueEntry[];
  /**
   * Writes changes in their order. `all` returns the full content, in case the file has to be rewritten. Resolves once
   * the changes are on disk. Make one call at a time.
   * @throws PorchlightError `storage_full`, `storage_unwritable`; none of the changes is saved then. Pass them to the
   * next call, which rewrites the file if it may be damaged.
   */
  save(changed: readonly QueueEntry[], all: () => readonly QueueEntry[]): Promise<void>;
}

export interface QueueFileOptions {
  /** `queue.jsonl`. */
  readonly file: string;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  /** Returns the time in ms. */
  readonly now: () => number;
}

/**
 * The contents of a queue's file. `unread`: lines that could not be read, except one cut off when the process was
 * killed.
 */
export interface QueueLines {
  /** Entries by pair. If a pair was forgotten and sent again, the file still has the old entry. */
  readonly entries: Map<string, QueueEntry>;
  readonly lines: number;
  readonly whole: boolean;
  readonly unread: number;
}

/** A journal with fewer lines isn't worth rewriting. */
const shortJournal = 1000;
/** Each line carries its format, so any line may be the first. */
const lineCodec = documentCodec(queueLineFormat);
const formerCodec = documentCodec(formerQueueFormat);

/**
 * Opens the queue's file, which need not exist. Moves the content of a `queue.json` in the former format into it.
 * Writes nothing else. Open it only once per process.
 * @throws PorchlightError `storage_newer`; `storage_broken` if there is no `onRecovered`; `storage_unreadable`; write
 * errors if the file has to be repaired.
 */
export async function openQueueFile({ file, onRecovered, now }: QueueFileOptions): Promise<QueueFile> {
  const found = await readQueue(file);
  const former = await formerQueue(file, onRecovered);
  // The journal is newer than the former file.
  const entries = [...new Map([...(former ?? []), ...found.entries]).values()];
  const journal = durableJournal(file, found);
  /** Lines in the file, and how many of them are current. */
  let [lines, kept] = [found.lines, found.entries.size];
  /**
   * The file isn't rewritten below this many lines. The number rises if the disk has no room for a rewrite, so that not
   * every change attempts one.
   */
  let enough = shortJournal;

  async function rewrite(all: readonly QueueEntry[]): Promise<void> {
    await journal.rewrite(all.map((entry) => lineCodec.encode(entry)));
    [lines, kept] = [all.length, all.length];
    enough = shortJournal;
  }

  async function append(changed: readonly QueueEntry[]): Promise<void> {
    await journal.append(changed.map((entry) => lineCodec.encode(entry)));
    lines += changed.length;
  }

  /** Shortens a long file if the disk has room for the new one beside it; returns whether it did. */
  async function tidy(all: readonly QueueEntry[]): Promise<boolean> {
    try {
      await rewrite(all);
      return true;
    } catch {
      return false;
    }
  }

  if (found.unread > 0) {
    if (onRecovered === undefined)
      throw new PorchlightError('storage_broken', `"${file}" has lines that cannot be read.`, 500);
    const movedTo = await keepAside(file, { operations: nodeOperations, now: () => new Date(now()) });
    await onRecovered({ file, movedTo, recoveredFrom: 'rest' });
  }
  if (found.unread > 0 || former !== undefined) await rewrite(entries);
  if (former !== undefined) await removeFormer(file);

  return {
    entries,
    async save(changed, all) {
      if (changed.length === 0 && journal.isClean) return;
      const length = lines + changed.length;
      const isLong = length > 2 * kept + shortJournal && length > enough;
      if (lines === 0 || !journal.isClean) await rewrite(all());
      else if (!isLong || !(await tidy(all()))) {
        await append(changed);
        if (isLong) enough = lines + shortJournal;
      }
    },
  };
}

/** Reads a queue's file without changing it. @throws PorchlightError `storage_newer`, `storage_unreadable`. */
export async function readQueue(file: string): Promise<QueueLines> {
  const { lines, whole, unread } = await readJournal(file);
  const entries = new Map<string, QueueEntry>();
  let invalid = 0;
  for (const line of lines) {
    const decoded = lineCodec.decode(line, file);
    if ('data' in decoded) put(entries, decoded.data);
    if ('broken' in decoded || (decoded.lost ?? []).length > 0) invalid += 1;
  }
  return { entries, lines: lines.length, whole: whole && invalid === 0, unread: unread + invalid };
}

/**
 * Stores an entry's newest line instead of older ones. An attempt moves the entry behind the others; being sent again
 * leaves it in place.
 */
function put(entries: Map<string, QueueEntry>, entry: QueueEntry): void {
  const pair = pairOf(entry);
  const before = entries.get(pair);
  const keepsPlace = before !== undefined && waits(before) && waits(entry) && before.tried === entry.tried;
  if (!keepsPlace) entries.delete(pair);
  entries.set(pair, entry);
}

const formerOf = (file: string) => join(dirname(file), 'queue.json');

/** Reads the queue in its former format: one document, written in full at each change. */
async function formerQueue(
  file: string,
  onRecovered: QueueFileOptions['onRecovered'],
): Promise<Map<string, QueueEntry> | undefined> {
  const disk = await openDurableFile({ file: formerOf(file), codec: formerCodec, onRecovered });
  const document = await disk.read();
  return document ? new Map(document.entries.map((entry) => [pairOf(entry), entry])) : undefined;
}

/** Removes the previous version first: on its own, it would look as if its document had been lost. */
async function removeFormer(file: string): Promise<void> {
  await nodeOperations.remove(previousOf(formerOf(file)));
  await nodeOperations.remove(formerOf(file));
}
