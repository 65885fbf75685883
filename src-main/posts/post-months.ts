import type { IndexDatabase } from '../storage/index/index-database.ts';
import { positionOf, sortable } from './indexed-lists.ts';
import type { PostFilter, PostPage } from './post-store.ts';

const dayMs = 86_400_000;
/** A month after all months of posts. */
const lastMonth = '9999/12';

/** What a list shows: a page of posts after or before a cursor. */
export interface ListQuery {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly filter?: PostFilter | undefined;
}

/** Creates the record of the months whose documents are all in the index, in its table `post_months`. */
export function postMonths(index: IndexDatabase) {
  const months = (isWhole: 0 | 1) =>
    index.rows(({ month }) => String(month), 'SELECT month FROM post_months WHERE whole = ?', isWhole);

  /** The months that are known to have a row. */
  const begun = new Set<string>();

  return {
    /** Returns the months of which some documents may not be in the index yet. */
    missing: () => months(0),
    /** Returns whether the index knows no months, because it is new. */
    isEmpty: () => index.rows(() => true, 'SELECT 1 FROM post_months LIMIT 1').length === 0,
    /** Adds months whose documents are not in the index yet, unless they are known. */
    expect(all: readonly string[]): void {
      const known = new Set([...months(0), ...months(1)]);
      const unknown = all.filter((month) => !known.has(month));
      if (unknown.length === 0) return;
      index.together(() => {
        for (const month of unknown) index.run('INSERT INTO post_months VALUES (?, 0)', month);
      });
    },
    /** Records that a month begins, of which there was no document before. Does nothing if the month is known. */
    begin(month: string): void {
      if (begun.has(month)) return;
      index.run('INSERT OR IGNORE INTO post_months VALUES (?, 1)', month);
      begun.add(month);
    },
    /** Records that all documents of a month are in the index. */
    complete: (month: string): void =>
      void index.run('UPDATE post_months SET whole = 1 WHERE month = ? AND whole = 0', month),
  };
}

/**
 * Returns whether a page of a list shows all its posts, although the index lacks posts of the months `missing`;
 * undefined if it may lack any month.
 */
export function isListComplete(
  page: Pick<PostPage, 'after'>,
  query: ListQuery,
  missing: ReadonlySet<string> | undefined,
): boolean {
  const month = missing === undefined ? lastMonth : newestOf(missing, query);
  if (month === undefined) return true;
  const bound = endOfMonth(month);
  if (query.after === undefined && query.before !== undefined) return positionOf(query.before) >= bound;
  return page.after !== undefined && positionOf(page.after) >= bound;
}

/** Returns the newest of some months that a list needs; undefined if it needs none of them. */
function newestOf(months: ReadonlySet<string>, { filter: { month, year = '' } = {} }: ListQuery) {
  const needed = [...months].filter((one) => (month ?? one) === one && one.startsWith(year));
  return needed.sort().at(-1);
}

/**
 * Returns the position (see PostIndex) after which no post of a month or of earlier months is listed. Posts are filed by
 * the local date of their author, which differs from UTC by less than a day.
 */
function endOfMonth(month: string): string {
  const [year, number] = month.split('/').map(Number);
  return sortable(Date.UTC(year ?? 0, number ?? 0, 1) + dayMs);
}
