import { isDeepStrictEqual } from 'node:util';
import { openJournal } from '../storage/journal.ts';
import { foldedRows, isMentionRow, type IndexRow, type MentionRow } from './mention-index-row.ts';
import { compareSteps } from './mention-order.ts';

/** What one file of the index says: of the mentions of a month, or of a range of imported numbers. */
export interface IndexPart {
  /** By the mention's identifier. */
  readonly rows: ReadonlyMap<string, IndexRow>;
  /** The rows of a month, newest received first; the array never changes. */
  newestFirst(): readonly MentionRow[];
  /** Sets what is known of mentions, at once, then writes it; undefined where they are not of this part. One call at a time. */
  put(changes: Iterable<readonly [id: string, row: IndexRow | undefined]>): Promise<void>;
}

export interface IndexPartOptions {
  file: string;
  /** Answers what the file should hold, for one that holds nothing or has lines that cannot be read. */
  refill: () => Promise<Map<string, IndexRow>>;
}

/** Below this a journal is not worth rewriting. */
const shortJournal = 200;
const manyLines = 20;

/** Opens a part of the index, there or not. Open it once in a process. */
export async function openIndexPart({ file, refill }: IndexPartOptions): Promise<IndexPart> {
  const { journal, lines, whole } = await openJournal(file);
  const known = foldedRows(lines);
  // Nothing is a part's start, or what a power cut left of it.
  const isSound = whole && known.whole && known.rows.size > 0;
  const rows = isSound ? known.rows : await refill();
  let sorted: readonly MentionRow[] | undefined;
  /** The file could not be written: it lacks what is known here. */
  let isBehind = false;
  const tidy = () => journal.rewrite(() => [...rows.values()]);
  if (!isSound && lines.length + rows.size > 0) await tidy();

  return {
    rows,
    newestFirst: () =>
      (sorted ??= [...rows.values()].filter(isMentionRow).sort((a, b) => compareSteps(b, a))),

    async put(changes) {
      const changed = [...changes].filter(([id, row]) => !isDeepStrictEqual(rows.get(id), row));
      // What is known here is right also where the disk is full.
      for (const [id, row] of changed) {
        if (row === undefined) rows.delete(id);
        else rows.set(id, row);
      }
      if (changed.length > 0) sorted = undefined;
      // Many lines are written faster with all the others than one by one.
      const isMany = changed.length > Math.max(rows.size / 4, manyLines);
      const isWhole = isMany || isBehind;
      isBehind = true;
      if (isWhole) await tidy();
      else await Promise.all(changed.map(([id, row]) => journal.append(row ?? { id, gone: true })));
      isBehind = false;
      if (journal.length > Math.max(2 * rows.size, shortJournal)) await tidy();
    },
  };
}
