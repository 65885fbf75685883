import { boundedCache } from '../storage/bounded-cache.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import { lineAppender, noLines } from '../storage/line-appender.ts';
import { pickLines, readLines } from '../storage/line-file.ts';
import { isDiskFailure } from '../storage/storage-error.ts';
import { mentionLineText, mentionIn, mentionFile } from './mention-lines.ts';
import type { MentionIndex } from './mention-index.ts';
import { monthOfTime } from './mention-order.ts';
import type { Mention } from './mention.ts';

/** A file with at most this many superseded lines (older versions of mentions) is not rewritten. */
const fewLines = 200;
/**
 * The maximum number of files that stay open. New mentions use the file of the current month, and most decisions use
 * the files of the last few months.
 */
const openFiles = 4;

/** Creates the writer that saves mentions in the files of their months and in the index. */
export function createMentionJournals({
  dir,
  rows,
  index,
}: {
  /** The folder that contains the months' files. */
  readonly dir: string;
  readonly rows: MentionIndex;
  readonly index: Pick<IndexDatabase, 'together'>;
}) {
  /**
   * For each month, the number of lines at which to check the file for superseded lines again. Checking at every write
   * would take too long.
   */
  const enough = new Map<string, number>();
  const files = boundedCache(
    openFiles,
    (month) => Promise.resolve(lineAppender(mentionFile(dir, month))),
    (file) => file.close(),
  );

  async function appendTo(month: string, mentions: readonly Mention[]): Promise<void> {
    const known = rows.files.get(month) ?? { ...noLines, lines: 0 };
    const text = mentions.map(mentionLineText).join('');
    const state = await files.use(month, (file) => file.append(known.size, text));
    const lines = known.lines + mentions.length;
    try {
      index.together(() => {
        for (const mention of mentions) rows.put(month, mention);
        rows.files.set(month, { ...state, lines });
      });
    } catch (error) {
      // The last block of the file may have had room for the lines, although the disk is full. The caller is told that
      // the change failed.
      if (isDiskFailure(error))
        await files.use(month, (file) => file.takeBack(known.size)).catch(() => undefined);
      throw error;
    }
    if (lines > (enough.get(month) ?? fewLines)) await tidy(month, lines);
  }

  /** Removes superseded lines from the file of a month, if most of its lines are superseded. */
  async function tidy(month: string, lines: number): Promise<void> {
    const count = rows.countIn(month);
    enough.set(month, Math.max(2 * count, lines) + fewLines);
    if (lines < 2 * count + fewLines) return;
    try {
      const file = mentionFile(dir, month);
      const newest = await newestLines(file);
      await files.use(month, (open) => open.close()); // Windows refuses to replace a file that is open
      const state = await pickLines(file, (number) => newest.has(number));
      rows.files.set(month, { ...state, lines: newest.size });
      enough.set(month, 2 * newest.size + fewLines);
    } catch {
      // Ignore the error, because a long file does no harm, and there will be another attempt when the file has grown.
    }
  }

  return {
    /**
     * Adds a line for the current version of each mention. Resolves once the lines are in the files and the index. Make
     * one call at a time. `unusable`: the months that can't be read, each with its error.
     * @throws PorchlightError `storage_full`, `storage_unwritable`, `storage_busy`, `storage_changed`, or the error
     * from `unusable`. Lines that were already written to other months stay.
     */
    async append(mentions: readonly Mention[], unusable: ReadonlyMap<string, unknown>): Promise<void> {
      const months = new Map<string, Mention[]>();
      for (const mention of mentions) {
        const month = rows.fileOf(mention.id) ?? monthOfTime(Date.parse(mention.received)).replace('-', '/');
        const some = months.get(month);
        if (some) some.push(mention);
        else months.set(month, [mention]);
      }
      for (const month of months.keys()) if (unusable.has(month)) throw unusable.get(month);
      for (const [month, some] of months) await appendTo(month, some);
    },
    /** Closes the files. A later call of `append` opens them again. */
    close: () => files.clear(),
  };
}

/**
 * Returns the line numbers (from 0) of the current versions of all mentions. The last line of a mention is its current
 * version.
 */
async function newestLines(file: string): Promise<Set<number>> {
  const newest = new Map<string, number>();
  let number = 0;
  for await (const lines of readLines(file))
    for (const { text } of lines) {
      const { mention } = mentionIn(text, file);
      if (mention) newest.set(mention.id, number);
      number += 1;
    }
  return new Set(newest.values());
}
