import { PorchlightError } from '../contract/error.ts';
import { promised } from '../storage/pacing.ts';
import type { Cell, Row } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import { containing, searchable, storable } from '../storage/search-text.ts';
import { postAt, type StoredPost } from './post-document.ts';
import { postPlace } from './post-path.ts';
import type { LimitedReader, ListKind, ListSize, PostFilter, PostLists, PostSearch } from './post-store.ts';
import { begunColumns, postColumns, readPostRow } from './post-table.ts';

type Reading = Pick<Records, 'rows'>;

/** Creates the lists of posts. `searched`: runs a query of the full-text table (see fullText). */
export function postLists(
  records: Reading,
  searched: <T>(query: () => T | Promise<T>) => Promise<T>,
): PostLists {
  /** Returns a function that adds the numbers from a query to `counts`. It subtracts them if `sign` is -1. */
  const adding =
    (counts: Map<string, number>) =>
    (sign: 1 | -1, sql: string, ...cells: readonly Cell[]) => {
      for (const [name, n] of records.rows(nameAndNumber, sql, ...cells))
        counts.set(name, (counts.get(name) ?? 0) + sign * n);
    };

  return {
    async list({ limit, offset = 0, after, before, filter = {}, isBegun = false }) {
      const backwards = after === undefined && before !== undefined;
      const cursor = after ?? before;
      const from = cursor === undefined ? undefined : positionOf(cursor);
      const { sql, cells } = conditionsOf(filter, { from, backwards });
      const columns = `${isBegun ? begunColumns : postColumns}, p.position`;
      const find = () => records.rows(listedRow, `SELECT ${columns} ${sql}`, ...cells, limit + 1, offset);
      const found = filter.text === undefined ? find() : await searched(find);
      const rows = found.slice(0, limit);
      if (backwards) rows.reverse();
      const [first, last] = [rows[0], rows.at(-1)];
      if (first === undefined || last === undefined) return { items: [] };
      // A query for newer posts doesn't show whether there are older posts, so a second query checks that.
      const older = backwards ? isThereMore(last.position) : found.length > limit;
      return {
        items: rows.map(({ place, post }) => postAt(place, post)),
        before: encodedCursor(first.position),
        ...(older && { after: encodedCursor(last.position) }),
      };

      function isThereMore(position: string): boolean {
        const rest = conditionsOf(filter, { from: position, backwards: false });
        return records.rows(() => true, `SELECT 1 ${rest.sql}`, ...rest.cells, 1, 0).length > 0;
      }
    },

    categories: promised((reader?: LimitedReader) => {
      const counts = new Map<string, number>();
      const add = adding(counts);
      if (reader === undefined) add(1, "SELECT name, kept AS n FROM list_counts WHERE list = 'category'");
      else {
        const { app, now } = reader;
        const namesOf = 'SELECT name, 1 AS n FROM posts p JOIN post_categories c ON c.post = p.seq WHERE';
        add(1, "SELECT name, listed AS n FROM list_counts WHERE list = 'category'");
        const later = `${namesOf} p.position > ? AND at > ? AND listed = 1 AND app IS NOT ?`;
        add(-1, later, sortable(now), now, app);
        add(1, `${namesOf} listed = 0 AND deleted = 0 AND app = ?`, app);
      }
      return [...counts]
        .filter(([, n]) => n > 0)
        .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
        .map(([name]) => name);
    }),

    sizes: promised((list: ListKind, now: number, name?: string): ListSize[] => {
      const counts = new Map<string, number>();
      const add = adding(counts);
      const all = 'SELECT name, listed AS n FROM list_counts WHERE list = ? AND listed > 0';
      if (name === undefined) add(1, all, list);
      else add(1, `${all} AND name = ?`, list, storable(name));
      // Subtracts the posts that are scheduled for later. This is fast, because there are few such posts, all at the
      // end of the index of listed posts.
      const join = list === 'category' ? 'JOIN post_categories c ON c.post = p.seq' : '';
      const column = list === 'category' ? 'c.name' : `p.${list} AS name`;
      const later = `SELECT ${column}, 1 AS n FROM posts p ${join} WHERE listed = 1 AND p.position > ? AND at > ?`;
      add(-1, later, sortable(now), now);
      return [...counts].filter(([, n]) => n > 0).map(([name, count]) => ({ name, count }));
    }),

    search: (search) => searched(() => searchPosts(records, search)),

    nextPublication: promised(
      (now: number) =>
        records.rows(
          ({ at }) => Number(at),
          'SELECT at FROM posts WHERE listed = 1 AND position >= ? ORDER BY position LIMIT 1',
          sortable(now + 1),
        )[0],
    ),

    neighbours: promised((path: string, now: number) => {
      const { month = '', slug = '' } = postPlace(path) ?? {};
      const own = 'SELECT position FROM posts WHERE month = ? AND slug = ? AND listed = 1 AND at <= ?';
      const [from] = records.rows(({ position }) => String(position), own, month, slug, now);
      const beside = (isNewer: boolean) => {
        if (from === undefined) return undefined;
        const [comparison, order] = isNewer ? ['>', 'ASC'] : ['<', 'DESC'];
        const sql = `SELECT ${begunColumns}, p.position FROM posts p WHERE p.listed = 1 AND p.at <= ?
          AND p.position ${comparison} ? ORDER BY p.position ${order} LIMIT 1`;
        const [found] = records.rows(listedRow, sql, now, from);
        return found && postAt(found.place, found.post);
      };
      return { older: beside(false), newer: beside(true) };
    }),

    cursorsEvery: promised((count: number, now: number) => {
      const cursors: string[] = [];
      const next = `SELECT position FROM posts WHERE listed = 1 AND position < ? ORDER BY position DESC LIMIT 2 OFFSET ?`;
      let from = sortable(now + 1);
      for (;;) {
        const [last, following] = records.rows(({ position }) => String(position), next, from, count - 1);
        if (last === undefined || following === undefined) return cursors;
        cursors.push(encodedCursor(last));
        from = last;
      }
    }),
  };
}

/** Reads a post, its location, and its position in lists. Only rows of posts are in lists. */
function listedRow(row: Row) {
  const { place, post } = readPostRow(row);
  return { place, post: post as StoredPost, position: String(row['position']) };
}

const nameAndNumber = ({ name, n }: Row) => [String(name), Number(n)] as const;

interface Conditions {
  readonly sql: string;
  readonly cells: readonly Cell[];
}

/**
 * Returns the SQL query, without its columns, for the posts that match a filter, after the position `from`: newest first,
 * or oldest first if `backwards`. The caller adds the limit and the offset to `cells`.
 */
function conditionsOf(
  filter: PostFilter,
  { from, backwards }: { from: string | undefined; backwards: boolean },
): Conditions {
  const { kind, status, visibility, category, text, publishedBy, publishedAfter, readableBy, uses } = filter;
  const { deleted = false, year, month } = filter;
  const conditions: string[] = [];
  const cells: Cell[] = [];
  const where = (condition: string, ...values: readonly Cell[]): void => {
    conditions.push(condition);
    cells.push(...values);
  };

  // The tables of categories and of files are sorted by position too, so start from one of them if possible.
  let source = 'posts p';
  let position = 'p.position';
  if (category !== undefined || uses !== undefined) {
    source = `${category === undefined ? 'post_files' : 'post_categories'} l CROSS JOIN posts p ON p.seq = l.post`;
    position = 'l.position';
    if (category === undefined) where('l.path = ?', uses ?? null);
    else where('l.name = ?', storable(category));
  }
  if (category !== undefined && uses !== undefined)
    where('p.seq IN (SELECT post FROM post_files WHERE path = ?)', uses);

  where('p.deleted = ?', deleted ? 1 : 0);
  // The conditions on `listed` follow from the other conditions. But without them, SQLite doesn't use the indexes that
  // contain only listed or only unlisted rows.
  if (deleted || status === 'draft' || (visibility !== undefined && visibility !== 'public'))
    where('p.listed = 0');
  if (!deleted && status === 'published' && visibility === 'public') where('p.listed = 1');
  if (year !== undefined) where('substr(p.month, 1, 4) = ?', year);
  if (month !== undefined) where('p.month = ?', month);
  if (kind !== undefined) where('p.kind = ?', kind);
  if (status !== undefined) where('p.status = ?', status);
  if (visibility !== undefined) where('p.visibility = ?', visibility);
  if (publishedBy !== undefined) where('p.at <= ?', publishedBy);
  if (publishedAfter !== undefined) where('p.at > ?', publishedAfter);
  if (readableBy !== undefined)
    where('(p.app = ? OR (p.listed = 1 AND p.at <= ?))', readableBy.app, readableBy.now);
  if (text !== undefined && text !== '') {
    const found = containing('post_words', text);
    where(`p.seq IN (${found.sql})`, found.cell);
  }
  if (from !== undefined) where(`${position} ${backwards ? '>' : '<'} ?`, from);

  const order = backwards ? 'ASC' : 'DESC';
  const sql = `FROM ${source} WHERE ${conditions.join(' AND ')} ORDER BY ${position} ${order} LIMIT ? OFFSET ?`;
  return { sql, cells };
}

/** The maximum number of posts to find and sort in one query. */
const mostAtOnce = 500;
/** The number of posts to read before other work gets a chance to run. */
const readAtOnce = 200;
/** A trigram index cannot find text that is shorter than three characters. */
const shortest = 3;

/**
 * Only this many characters from the start of each search text are looked up in the index. Looking up longer texts
 * would take more time.
 */
const longestPhrase = 24;

const posts = `SELECT ${begunColumns}, p.position FROM posts p JOIN post_words w ON w.rowid = p.seq
  WHERE p.listed = 1 AND p.position < ?`;
const newestFirst = 'ORDER BY p.position DESC LIMIT ?';

/**
 * Returns a page of the public posts that contain all `texts`. Reads the public posts in batches, newest first, until
 * the page is full. If the first batch doesn't fill it, and few posts match, SQLite finds and sorts them. Other work may
 * run between the batches.
 */
async function searchPosts(records: Reading, { texts, limit, after, now, pace }: PostSearch) {
  const searched = texts.map(searchable);
  const contains = searched.map(() => 'AND instr(w.words, ?) > 0').join(' ');
  const newest = sortable(now + 1);
  const cursor = after === undefined ? newest : positionOf(after);
  // A client could forge a cursor to see posts that are scheduled for later.
  const from = cursor < newest ? cursor : newest;

  function readThese(ids: readonly number[]) {
    const sql = `${posts} AND p.seq IN (SELECT value FROM json_each(?)) ${contains} ${newestFirst}`;
    return records.rows(listedRow, sql, from, JSON.stringify(ids), ...searched, limit + 1);
  }

  async function read() {
    const rows: ReturnType<typeof listedRow>[] = [];
    const sql = `${posts} AND p.position >= ? ${contains} ${newestFirst}`;
    for (let next: string | undefined = from; next !== undefined && rows.length <= limit;) {
      const end = endOfPiece(records, next);
      rows.push(...records.rows(listedRow, sql, next, end ?? '', ...searched, limit + 1 - rows.length));
      if (next === from && end !== undefined && rows.length <= limit) {
        const ids = idsOf(records, searched);
        if (ids !== undefined) return readThese(ids);
      }
      next = end;
      const pause = pace.step();
      if (pause) await pause;
    }
    return rows;
  }

  const rows = await read();
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(({ place, post }) => postAt(place, post)),
    ...(last && rows.length > limit && { after: encodedCursor(last.position) }),
  };
}

/**
 * Returns the ids of posts that may contain the texts, including posts that are not public. Returns undefined if there
 * are too many posts, or if a text is too short for the index.
 */
function idsOf(records: Reading, texts: readonly string[]): number[] | undefined {
  const characters = texts.map((text) => Array.from(text));
  if (characters.some(({ length }) => length < shortest)) return undefined;
  const phrases = characters.map((all) => `"${all.slice(0, longestPhrase).join('').replaceAll('"', '""')}"`);
  const sql = 'SELECT rowid FROM post_words WHERE words MATCH ? LIMIT ?';
  const ids = records.rows(({ rowid }) => Number(rowid), sql, phrases.join(' AND '), mostAtOnce + 1);
  return ids.length > mostAtOnce ? undefined : ids;
}

/** Returns the position at which a batch of `readAtOnce` posts after `from` ends; undefined if fewer posts remain. */
const endOfPiece = (records: Reading, from: string) =>
  records.rows(
    ({ position }) => String(position),
    'SELECT position FROM posts WHERE listed = 1 AND position < ? ORDER BY position DESC LIMIT 1 OFFSET ?',
    from,
    readAtOnce - 1,
  )[0];

/** Returns a time (ms) as text that sorts chronologically, even for times before 1970. */
export const sortable = (at: number): string =>
  at < 0 ? `a${String(8.64e15 + at).padStart(16, '0')}` : `b${String(at).padStart(16, '0')}`;

/** Returns an opaque cursor for a position in a list. The cursor stays valid while posts are added and removed. */
const encodedCursor = (position: string): string => Buffer.from(position).toString('base64url');

/**
 * Returns the position in a cursor.
 * @throws PorchlightError `invalid_request`
 */
function positionOf(cursor: string): string {
  const position = Buffer.from(cursor, 'base64url').toString('utf8');
  if (/^[ab]\d{16} \d{4}\/\d{2} \S{1,200}$/.test(position)) return position;
  throw new PorchlightError(
    'invalid_request',
    'This cursor is not valid. Load the list again from its start.',
  );
}
