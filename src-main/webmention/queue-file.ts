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

/** The queue on disk: a line for each change, so that a mention costs what it adds, however many wait. */
export interface QueueFile {
  /** What was there: those that wait in the order of their turn, the settled ones oldest first. */
  readonly entries: readonly QueueEntry[];
  /**
   * Writes what changed, in its order; `all` answers what the file is to hold where it is written anew. Resolves once
   * that is on disk. One call at a time.
   * @throws PorchlightError `storage_full`, `storage_unwritable`; then nothing of it is there: what is still to be saved
   * goes into the next call, which writes the file anew where the file may not be what it was.
   */
  save(changed: readonly QueueEntry[], all: () => readonly QueueEntry[]): Promise<void>;
}

export interface QueueFileOptions {
  /** `queue.jsonl`. */
  readonly file: string;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  /** In ms. */
  readonly now: () => number;
}

/** What a queue's file says. `unread`: lines that could not be read and were not cut off by a kill. */
export interface QueueLines {
  /** By pair: of one that was forgotten and sent again, the old entry is still in the file. */
  readonly entries: Map<string, QueueEntry>;
  readonly lines: number;
  readonly whole: boolean;
  readonly unread: number;
}

/** Below this a journal is not worth rewriting. */
const shortJournal = 1000;
/** Each line carries its format, so any line may be the first. */
const lineCodec = documentCodec(queueLineFormat);
const formerCodec = documentCodec(formerQueueFormat);

/**
 * Opens the queue's file, there or not; what is left of a `queue.json`, as it was before, goes into it. Nothing else is
 * written. Open it once in a process.
 * @throws PorchlightError `storage_newer`, `storage_broken` with nobody to tell, `storage_unreadable`, and what writing
 * throws where it has to be mended.
 */
export async function openQueueFile({ file, onRecovered, now }: QueueFileOptions): Promise<QueueFile> {
  const found = await readQueue(file);
  const former = await formerQueue(file, onRecovered);
  // What the journal says is newer.
  const entries = [...new Map([...(former ?? []), ...found.entries]).values()];
  const journal = durableJournal(file, found);
  /** Lines in the file, and how many of them count. */
  let [lines, kept] = [found.lines, found.entries.size];
  /** Lines below which it is not written anew: without room for that, it is not tried at each change. */
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

  /** Makes a long file short, where there is room for another beside it. */
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

/** What a queue's file says, changing nothing. @throws PorchlightError `storage_newer`, `storage_unreadable`. */
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

/** The last line of an entry counts. A try puts it behind the others; being sent again leaves it where it is. */
function put(entries: Map<string, QueueEntry>, entry: QueueEntry): void {
  const pair = pairOf(entry);
  const before = entries.get(pair);
  const keepsPlace = before !== undefined && waits(before) && waits(entry) && before.tried === entry.tried;
  if (!keepsPlace) entries.delete(pair);
  entries.set(pair, entry);
}

const formerOf = (file: string) => join(dirname(file), 'queue.json');

/** The queue as one document, written whole at each change: so it was at first. */
async function formerQueue(
  file: string,
  onRecovered: QueueFileOptions['onRecovered'],
): Promise<Map<string, QueueEntry> | undefined> {
  const disk = await openDurableFile({ file: formerOf(file), codec: formerCodec, onRecovered });
  const document = await disk.read();
  return document ? new Map(document.entries.map((entry) => [pairOf(entry), entry])) : undefined;
}

/** The version before goes first: alone it would look like one that lost its document. */
async function removeFormer(file: string): Promise<void> {
  await nodeOperations.remove(previousOf(formerOf(file)));
  await nodeOperations.remove(formerOf(file));
}
