import { join } from 'node:path';
import type { Log } from '../platform/log.ts';
import { folded, isEntry, type IndexLine, type IndexRow } from './index-line.ts';
import { openJournal } from '../storage/journal.ts';
import { readMonthFolder } from './month-folder.ts';
import type { PostEntry } from './post-entry.ts';
import { numberedSlug } from './slug.ts';

export interface MonthIndexOptions {
  /** The folder of the month's documents. */
  dir: string;
  /** Reads what a document holds; null where there is none. */
  read: (slug: string) => Promise<IndexRow | null>;
  /** Finishes what a kill may have cut short in a document that was being written. */
  settle: (slug: string) => Promise<void>;
  log?: Pick<Log, 'warn'> | undefined;
}

/** What a month's posts are, without their documents. */
export interface MonthIndex {
  /** Newest first; the array never changes. */
  entries(): readonly PostEntry[];
  /** Takes a slug that nobody has or had: `base`, or `base-2`, ... */
  reserve(base: string): string;
  /** Gives a reserved slug back, where no document came of it. */
  release(slug: string): void;
  /**
   * Runs `work` on a post's document: the journal says before that the document changes and after what it holds, so
   * that a kill in between is seen when the month is opened next.
   */
  recording<R>(slug: string, work: () => Promise<R>): Promise<R>;
  /** Corrects what the index holds of a post. */
  refresh(slug: string): Promise<void>;
}

export const journalOf = (dir: string) => join(dir, 'index.jsonl');

/** Below this a journal is not worth rewriting. */
const shortJournal = 200;
/** Documents read at a time while an index is repaired. */
const readers = 16;

/** Opens a month's index, made anew as far as it does not fit the documents. Open it once in a process. */
export async function openMonthIndex({ dir, read, settle, log }: MonthIndexOptions): Promise<MonthIndex> {
  const [{ journal, lines, whole }, { documents, taken }] = await Promise.all([
    openJournal(journalOf(dir)),
    readMonthFolder(dir),
  ]);
  const known = folded(lines);
  const { rows } = known;
  const underWay = new Map<string, number>();
  const lastTurn = new Map<string, number>();
  let sorted: readonly PostEntry[] | undefined;

  for (const slug of [...rows.keys(), ...known.dirty]) taken.add(slug);
  const sound = whole && known.whole;
  await repair(staleSlugs());
  if (!sound || isLong()) await tidy();

  function staleSlugs(): string[] {
    if (!sound) return [...new Set([...documents, ...rows.keys(), ...known.dirty])];
    const unlisted = [...documents].filter((slug) => !rows.has(slug));
    const lost = [...rows.keys()].filter((slug) => !documents.has(slug));
    return [...new Set([...unlisted, ...lost, ...known.dirty])];
  }

  async function repair(slugs: readonly string[]): Promise<void> {
    // All are settled before one is read: settling one document may change another.
    await inBatches(slugs, (slug) => attempt(slug, () => settle(slug)));
    await inBatches(slugs, refresh);
  }

  /** One document that cannot be used must not hide all others. */
  async function attempt<T>(slug: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      log?.warn({ err: error, slug, dir }, 'a post could not be read');
      return undefined;
    }
  }

  async function refresh(slug: string): Promise<void> {
    const row = await attempt(slug, () => read(slug));
    keep(slug, row ?? null);
    // Unknown, or changing again: the last line stays the one that says to look.
    if (row !== undefined && !underWay.has(slug)) await note(row ?? { slug, gone: true });
  }

  function keep(slug: string, row: IndexRow | null): void {
    sorted = undefined;
    if (row === null) rows.delete(slug);
    else rows.set(slug, row);
  }

  /** The documents are what counts: a journal that cannot be written now is repaired when it is read. */
  async function note(line: IndexLine): Promise<void> {
    try {
      await journal.append(line);
      if (isLong()) await tidy();
    } catch (error) {
      log?.warn({ err: error, dir }, 'the index of a month could not be written');
    }
  }

  function isLong(): boolean {
    return journal.length > Math.max(2 * rows.size, shortJournal);
  }

  function tidy(): Promise<void> {
    return journal.rewrite(() => [
      ...rows.values(),
      ...[...underWay.keys()].map((slug) => ({ slug, dirty: true })),
    ]);
  }

  return {
    entries: () => (sorted ??= [...rows.values()].filter(isEntry).sort(newestFirst)),

    reserve(base) {
      for (let turn = lastTurn.get(base) ?? 1; ; turn += 1) {
        const slug = numberedSlug(base, turn);
        if (taken.has(slug)) continue;
        taken.add(slug);
        lastTurn.set(base, turn);
        return slug;
      }
    },

    release(slug) {
      if (!rows.has(slug)) taken.delete(slug);
    },

    async recording(slug, work) {
      underWay.set(slug, (underWay.get(slug) ?? 0) + 1);
      try {
        await journal.append({ slug, dirty: true });
        return await work();
      } finally {
        const others = (underWay.get(slug) ?? 1) - 1;
        if (others === 0) underWay.delete(slug);
        else underWay.set(slug, others);
        await refresh(slug);
      }
    },

    refresh,
  };
}

function newestFirst(a: PostEntry, b: PostEntry): number {
  return b.at - a.at || (a.slug < b.slug ? 1 : -1);
}

async function inBatches(slugs: readonly string[], work: (slug: string) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < slugs.length; start += readers) {
    await Promise.all(slugs.slice(start, start + readers).map(work));
  }
}
