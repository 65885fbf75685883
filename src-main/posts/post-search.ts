import type { IndexDatabase } from '../storage/index/index-database.ts';
import { searchable } from '../storage/index/search-text.ts';
import { postAt } from './post-document.ts';
import { postRow, type IndexedPage } from './indexed-lists.ts';
import { encodedCursor, positionOf, sortable } from './post-position.ts';
import type { PostSearch } from './post-store.ts';

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

const posts = `SELECT p.month, p.slug, p.post, p.position, p.stamp FROM posts p JOIN post_words w ON w.rowid = p.id
  WHERE p.listed = 1 AND p.position < ?`;
const newestFirst = 'ORDER BY p.position DESC LIMIT ?';

/**
 * Returns a page of the public posts that contain all `texts`. If few posts match, SQLite finds and sorts them.
 * Otherwise, reads the public posts in batches, newest first, until the page is full. Other work may run between the
 * batches.
 */
export async function searchPosts(
  index: IndexDatabase,
  { texts, limit, after, now, pace }: PostSearch,
): Promise<Omit<IndexedPage, 'before'>> {
  const wanted = texts.map(searchable);
  const contains = wanted.map(() => 'AND instr(w.words, ?) > 0').join(' ');
  const newest = sortable(now + 1);
  const cursor = after === undefined ? newest : positionOf(after);
  // A client could forge a cursor to see posts that are scheduled for later.
  const from = cursor < newest ? cursor : newest;

  function readThese(ids: readonly number[]) {
    const sql = `${posts} AND p.id IN (SELECT value FROM json_each(?)) ${contains} ${newestFirst}`;
    return index.rows(postRow, sql, from, JSON.stringify(ids), ...wanted, limit + 1);
  }

  async function readAll() {
    const rows: ReturnType<typeof postRow>[] = [];
    const sql = `${posts} AND p.position >= ? ${contains} ${newestFirst}`;
    for (let next: string | undefined = from; next !== undefined && rows.length <= limit;) {
      const end = endOfPiece(index, next);
      rows.push(...index.rows(postRow, sql, next, end ?? '', ...wanted, limit + 1 - rows.length));
      next = end;
      const pause = pace.step();
      if (pause) await pause;
    }
    return rows;
  }

  const ids = idsOf(index, wanted);
  const rows = ids === undefined ? await readAll() : readThese(ids);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(({ place, post }) => postAt(place, post)),
    stamps: shown.map(({ stamp }) => stamp),
    ...(last && rows.length > limit && { after: encodedCursor(last.position) }),
  };
}

/**
 * Returns the ids of posts that may contain the texts, including posts that are not public. Returns undefined if there
 * are too many posts, or if a text is too short for the index.
 */
function idsOf(index: IndexDatabase, texts: readonly string[]): number[] | undefined {
  const characters = texts.map((text) => Array.from(text));
  if (characters.some(({ length }) => length < shortest)) return undefined;
  const phrases = characters.map((all) => `"${all.slice(0, longestPhrase).join('').replaceAll('"', '""')}"`);
  const sql = 'SELECT rowid FROM post_words WHERE words MATCH ? LIMIT ?';
  const ids = index.rows(({ rowid }) => Number(rowid), sql, phrases.join(' AND '), mostAtOnce + 1);
  return ids.length > mostAtOnce ? undefined : ids;
}

/** Returns the position at which a batch of `readAtOnce` posts after `from` ends; undefined if fewer posts remain. */
const endOfPiece = (index: IndexDatabase, from: string) =>
  index.rows(
    ({ position }) => String(position),
    'SELECT position FROM posts WHERE listed = 1 AND position < ? ORDER BY position DESC LIMIT 1 OFFSET ?',
    from,
    readAtOnce - 1,
  )[0];
