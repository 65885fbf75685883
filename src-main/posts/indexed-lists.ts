import type { Cell, IndexDatabase, Row } from '../storage/index/index-database.ts';
import { storable } from '../storage/index/search-text.ts';
import { postAt, type StoredPost } from './post-document.ts';
import { encodedCursor, positionOf, sortable } from './post-position.ts';
import { wantedPosts } from './post-query.ts';
import type { LimitedReader, ListKind, ListSize, PostPage, PostStore } from './post-store.ts';

/** A page of posts, and the file version from which the row of each post was made. */
export interface IndexedPage extends PostPage {
  readonly stamps: readonly string[];
}

/** The lists of posts that the index provides. */
export interface IndexedLists {
  /**
   * Returns a page of posts; see PostStore.list.
   * @throws PorchlightError `invalid_request` for an invalid cursor.
   */
  page(options: Parameters<PostStore['list']>[0]): IndexedPage;
  /** Returns every category of the posts that the reader may see, most used first. */
  categories(reader?: LimitedReader): string[];
  /** Returns the number of posts in each list; see PostStore.sizes. */
  sizes(list: ListKind, now: number, name?: string): ListSize[];
  /** Returns when the next scheduled post becomes public; see PostStore.nextPublication. */
  nextPublication(now: number): number | undefined;
  /** Returns cursors that divide the list of posts into parts; see PostStore.cursorsEvery. */
  cursorsEvery(count: number, now: number): string[];
}

/** Creates the lists from the tables of the index; see postTables. */
export function indexedLists(index: IndexDatabase): IndexedLists {
  /** Returns a function that adds the numbers from a query to `counts`. It subtracts them if `sign` is -1. */
  const adding =
    (counts: Map<string, number>) =>
    (sign: 1 | -1, sql: string, ...cells: readonly Cell[]) => {
      for (const [name, n] of index.rows(nameAndNumber, sql, ...cells))
        counts.set(name, (counts.get(name) ?? 0) + sign * n);
    };

  return {
    page({ limit, offset = 0, after, before, filter = {} }) {
      const backwards = after === undefined && before !== undefined;
      const cursor = after ?? before;
      const from = cursor === undefined ? undefined : positionOf(cursor);
      const { sql, cells } = wantedPosts(filter, { from, backwards });
      const found = index.rows(postRow, sql, ...cells, limit + 1, offset);
      const rows = found.slice(0, limit);
      if (backwards) rows.reverse();
      const [first, last] = [rows[0], rows.at(-1)];
      if (first === undefined || last === undefined) return { items: [], stamps: [] };
      // A query for newer posts doesn't show whether there are older posts, so a second query checks that.
      const older = backwards ? isThereMore(last.position) : found.length > limit;
      return {
        items: rows.map(({ place, post }) => postAt(place, post)),
        stamps: rows.map(({ stamp }) => stamp),
        before: encodedCursor(first.position),
        ...(older && { after: encodedCursor(last.position) }),
      };

      function isThereMore(position: string): boolean {
        const rest = wantedPosts(filter, { from: position, backwards: false });
        return index.rows(postRow, rest.sql, ...rest.cells, 1, 0).length > 0;
      }
    },

    categories(reader) {
      const counts = new Map<string, number>();
      const add = adding(counts);
      if (reader === undefined) add(1, "SELECT name, kept AS n FROM list_counts WHERE list = 'category'");
      else {
        const { app, now } = reader;
        const namesOf = 'SELECT name, 1 AS n FROM posts p JOIN post_categories c ON c.post = p.id WHERE';
        add(1, "SELECT name, listed AS n FROM list_counts WHERE list = 'category'");
        const later = `${namesOf} p.position > ? AND at > ? AND listed = 1 AND app IS NOT ?`;
        add(-1, later, sortable(now), now, app);
        add(1, `${namesOf} listed = 0 AND deleted = 0 AND app = ?`, app);
      }
      return [...counts]
        .filter(([, n]) => n > 0)
        .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
        .map(([name]) => name);
    },

    sizes(list, now, name) {
      const counts = new Map<string, number>();
      const add = adding(counts);
      const all = 'SELECT name, listed AS n FROM list_counts WHERE list = ? AND listed > 0';
      if (name === undefined) add(1, all, list);
      else add(1, `${all} AND name = ?`, list, storable(name));
      // Subtracts the posts that are scheduled for later. This is fast, because there are few such posts, all at the
      // end of the index of listed posts.
      const join = list === 'category' ? 'JOIN post_categories c ON c.post = p.id' : '';
      const column = list === 'category' ? 'c.name' : `p.${list} AS name`;
      const later = `SELECT ${column}, 1 AS n FROM posts p ${join} WHERE listed = 1 AND p.position > ? AND at > ?`;
      add(-1, later, sortable(now), now);
      return [...counts].filter(([, n]) => n > 0).map(([name, count]) => ({ name, count }));
    },

    nextPublication: (now) =>
      index.rows(
        ({ at }) => Number(at),
        'SELECT at FROM posts WHERE listed = 1 AND position >= ? ORDER BY position LIMIT 1',
        sortable(now + 1),
      )[0],

    cursorsEvery(count, now) {
      const cursors: string[] = [];
      const next = `SELECT position FROM posts WHERE listed = 1 AND position < ? ORDER BY position DESC LIMIT 2 OFFSET ?`;
      let from = sortable(now + 1);
      for (;;) {
        const [last, following] = index.rows(({ position }) => String(position), next, from, count - 1);
        if (last === undefined || following === undefined) return cursors;
        cursors.push(encodedCursor(last));
        from = last;
      }
    },
  };
}

/** Reads a post, its location, its position in lists and its file version from a row. */
export const postRow = ({ month, slug, post, position, stamp }: Row) => ({
  place: { month: String(month), slug: String(slug) },
  post: JSON.parse(String(post)) as StoredPost,
  position: String(position),
  stamp: String(stamp),
});

const nameAndNumber = ({ name, n }: Row) => [String(name), Number(n)] as const;
