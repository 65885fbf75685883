import type { Codec } from './document-format.ts';
import { keepDamaged, openJournal, readContent } from './journal.ts';
import type { Recovery } from './recovery.ts';

interface StateJournalOptions<T> {
  readonly file: string;
  readonly codec: Codec<T>;
  /** Returns the current entries, by key, given all entries of the file. */
  readonly current: (lines: readonly T[]) => Map<string, T>;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  /** Returns the current time, in ms. */
  readonly now: () => number;
}

/** A journal with fewer lines isn't rewritten, because a rewrite would save little. */
const shortJournal = 1000;

/**
 * Opens a journal in which the newest line for a key replaces the older lines. A change adds one line. The file need
 * not exist. On opening, rewrites the file if it has unreadable lines; otherwise writes nothing. Open each file only
 * once per process.
 * @throws PorchlightError `storage_newer`, `storage_unreadable`; `storage_broken` if there are unreadable lines but no
 * `onRecovered`; `storage_full` or `storage_unwritable` if the file can't be rewritten.
 */
export async function openStateJournal<T>({
  file,
  codec,
  current,
  onRecovered,
  now,
}: StateJournalOptions<T>) {
  const found = await readStateJournal(file, codec, current);
  const journal = openJournal(file, codec, found.size);
  /** How many lines are in the file, and how many of them are current. */
  let [lines, kept] = [found.lines, found.entries.size];
  /**
   * A file with fewer lines than this isn't rewritten. This number rises while the disk has no space for a rewrite, so
   * that Porchlight doesn't try again at every change.
   */
  let enough = shortJournal;

  async function rewrite(all: readonly T[]): Promise<void> {
    await journal.rewrite(() => all);
    [lines, kept] = [all.length, all.length];
    enough = shortJournal;
  }

  /**
   * Rewrites the file without outdated lines. Returns false if that fails, for example because the disk has no space
   * for both versions.
   */
  async function tidy(all: readonly T[]): Promise<boolean> {
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
    /** The entries found in the file. */
    entries,
    /**
     * Writes changes in the given order. `all` returns the full content, in case the file has to be rewritten. Resolves
     * once the changes are on disk. Make one call at a time.
     * @throws PorchlightError `storage_full`, `storage_unwritable`. In either case, none of the changes is saved:
     * include them in the next call, which rewrites the file if it may be damaged.
     */
    async save(changed: readonly T[], all: () => readonly T[]): Promise<void> {
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
    /** Closes the file. A later call of `save` opens it again. */
    close: () => journal.close(),
  };
}

/**
 * Reads a state journal without changing it. `unread`: how many lines could not be read, not counting a line that was
 * cut off when the process was killed. `size`: the size of the complete lines, in bytes.
 * @throws PorchlightError `storage_newer`, `storage_unreadable`
 */
export async function readStateJournal<T>(
  file: string,
  codec: Codec<T>,
  current: (lines: readonly T[]) => Map<string, T>,
) {
  const { entries, unread, size } = await readContent(file, codec);
  return { entries: current(entries), lines: entries.length, unread, size };
}
