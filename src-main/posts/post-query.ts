import type { Cell } from '../storage/index/index-database.ts';
import { containing, storable } from '../storage/index/search-text.ts';
import type { PostFilter } from './post-store.ts';

interface Wanted {
  readonly sql: string;
  readonly cells: readonly Cell[];
}

/**
 * Returns the SQL query for the posts that match a filter, after the position `from`: newest first, or oldest first if
 * `backwards`. The caller adds the limit and the offset to `cells`.
 */
export function wantedPosts(
  filter: PostFilter,
  { from, backwards }: { from: string | undefined; backwards: boolean },
): Wanted {
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
    source = `${category === undefined ? 'post_files' : 'post_categories'} l CROSS JOIN posts p ON p.id = l.post`;
    position = 'l.position';
    if (category === undefined) where('l.path = ?', uses ?? null);
    else where('l.name = ?', storable(category));
  }
  if (category !== undefined && uses !== undefined)
    where('p.id IN (SELECT post FROM post_files WHERE path = ?)', uses);

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
    where(`p.id IN (${found.sql})`, found.cell);
  }
  if (from !== undefined) where(`${position} ${backwards ? '>' : '<'} ?`, from);

  const order = backwards ? 'ASC' : 'DESC';
  const columns = 'p.month, p.slug, p.post, p.position, p.stamp';
  const sql = `SELECT ${columns} FROM ${source} WHERE ${conditions.join(' AND ')} ORDER BY ${position} ${order} LIMIT ? OFFSET ?`;
  return { sql, cells };
}
