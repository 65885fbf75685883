import { kindRules } from '../contract/post-kinds.ts';
import type { Properties } from '../contract/posts.ts';
import { isBehind, publishedOf } from './visibility.ts';
import type { Cell, IndexDatabase, IndexPart } from '../storage/index/index-database.ts';
import { postText } from './content-text.ts';
import { altOf } from './values.ts';
import { categoriesOf } from './links.ts';
import { mediaIn } from './post-media.ts';
import { indexedLists, type IndexedLists, sortable } from './indexed-lists.ts';
import type { CopiedParts, PostDocument, StoredPost } from './post-document.ts';
import { postKindOf } from './kind.ts';
import { placeRow, postAddresses } from './post-addresses.ts';
import { postPath, type PostPlace } from './post-path.ts';
import { searchable, storable } from '../storage/index/search-text.ts';
import type { ListKind } from './post-store.ts';

/**
 * The tables of the index. A row of `posts` has these columns. `post`: the document's post as JSON; null for a redirect
 * and for an unreadable file. `stamp`: the file version from which the row was made. `position`: a unique string that
 * sorts posts by time; null if the row is in no list: for a redirect, and for a post whose file is damaged. `rest`: the
 * other parts of the document (see restOf), so that the row is a full copy. `listed`: whether the post is published, public and not deleted, regardless of its date.
 * `behind`: whether publishing to the owner's own site may be unfinished (see isBehind). `moved_to`: the path to which
 * a redirect leads. The table `list_counts` holds the number of posts in each category, kind and month. Its column
 * `kept` counts the posts that are not deleted. `post_homes` holds the current and former URLs on the owner's own site,
 * each with its address (see addressOfPage). `post_months` holds the months that have documents. Its column `whole` is 1
 * once all of a month's documents have been indexed.
 */
export const postTables: IndexPart = {
  name: 'posts',
  tables: `
    CREATE TABLE posts (
      id INTEGER PRIMARY KEY, month TEXT NOT NULL, slug TEXT NOT NULL, stamp TEXT NOT NULL, post TEXT,
      position TEXT UNIQUE, at INTEGER, kind TEXT, status TEXT, visibility TEXT, deleted INTEGER, listed INTEGER,
      app TEXT, homeless INTEGER, behind INTEGER, moved_to TEXT, rest TEXT, UNIQUE (month, slug)) STRICT;
    CREATE INDEX posts_by_kind ON posts (kind, position);
    CREATE INDEX posts_not_listed ON posts (position) WHERE listed = 0;
    CREATE INDEX posts_listed ON posts (position, at) WHERE listed = 1;
    CREATE INDEX posts_by_month ON posts (month, position) WHERE listed = 1;
    CREATE INDEX posts_by_year ON posts (substr(month, 1, 4), position) WHERE listed = 1;
    CREATE INDEX posts_homeless ON posts (id) WHERE homeless = 1;
    -- Also those whose page was never seen.
    CREATE INDEX posts_behind ON posts (id) WHERE behind = 1;
    CREATE TABLE post_categories (
      name TEXT NOT NULL, position TEXT NOT NULL, post INTEGER NOT NULL, PRIMARY KEY (name, position))
      STRICT, WITHOUT ROWID;
    CREATE INDEX post_categories_by_post ON post_categories (post);
    CREATE TABLE list_counts (
      list TEXT NOT NULL, name TEXT NOT NULL, kept INTEGER NOT NULL, listed INTEGER NOT NULL,
      PRIMARY KEY (list, name)) STRICT, WITHOUT ROWID;
    CREATE TABLE post_files (
      path TEXT NOT NULL, position TEXT NOT NULL, post INTEGER NOT NULL, PRIMARY KEY (path, position))
      STRICT, WITHOUT ROWID;
    CREATE INDEX post_files_by_post ON post_files (post);
    CREATE TABLE post_homes (
      url TEXT NOT NULL, address TEXT NOT NULL, post INTEGER NOT NULL, PRIMARY KEY (url, post)) STRICT, WITHOUT ROWID;
    CREATE INDEX post_homes_by_address ON post_homes (address);
    CREATE INDEX post_homes_by_post ON post_homes (post);
    CREATE TABLE post_months (month TEXT PRIMARY KEY, whole INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE post_written (file TEXT NOT NULL, post INTEGER NOT NULL, PRIMARY KEY (file, post)) STRICT, WITHOUT ROWID;
    CREATE INDEX post_written_by_post ON post_written (post);
    -- Rows have the kind of each post, so another rule builds the index again: ${JSON.stringify(kindRules)}
    -- Their names, summaries, texts, alt texts and categories.
    CREATE VIRTUAL TABLE post_words USING fts5 (words, tokenize = 'trigram case_sensitive 1');`,
};

/** The `stamp` of a row whose document is damaged. It equals no file version, so each start reads the document again. */
export const damagedStamp = 'damaged';

/** A document for the index. `rest`: see restOf. */
export interface IndexedDocument extends Pick<PostDocument, 'post' | 'movedTo'> {
  readonly rest?: string | null;
}

/** The index of posts, which provides lists, filters and categories. */
export interface PostIndex extends IndexedLists {
  /**
   * Stores the content of a document in the index. `post` is null if the file is a redirect or cannot be read.
   * `movedTo`: the path to which a redirect leads.
   */
  put(place: PostPlace, stamp: string, document: IndexedDocument): void;
  /**
   * Takes a post whose document is damaged out of all lists. Its row keeps the copy of the document, its path and its
   * locations on the owner's own site.
   */
  setAside(place: PostPlace): void;
  /** Returns the copy of a document; undefined if there is none. It may be damaged too. */
  copyOf(place: PostPlace): CopiedParts | undefined;
  /** Returns the file version from which a post's row was made; undefined if the post has no row. */
  stampOf(place: PostPlace): string | undefined;
  /** Records a new version of a post's file, in which the post itself has not changed. `rest`: see restOf. */
  restamp(place: PostPlace, stamp: string, rest: string | null): void;
  /** Removes the row of a document whose file no longer exists. */
  remove(place: PostPlace): void;
  has(place: PostPlace): boolean;
  /** Returns the locations of the posts for which `file` was written to the owner's own site. */
  usersOf(file: string): PostPlace[];
  /**
   * Returns the uploaded files (`/media/...`) of the posts on the owner's own site, each with the location of its post.
   */
  mediaOfHomes(): (PostPlace & { readonly media: string })[];
  /** Returns how many public posts have no location on the owner's own site. */
  homeless(): number;
  /** Returns the locations of the posts whose publishing to the owner's own site may be unfinished. */
  behind(): PostPlace[];
  /**
   * Returns the locations of the posts that left an old page behind on the owner's own site. These are deleted posts,
   * and posts that moved to another URL there. Newest posts first.
   */
  leftPages(): PostPlace[];
  /** Returns the locations of files that are redirects or can't be read. */
  withoutPost(): PostPlace[];
  /** Returns the origins of all URLs that posts have or had on the owner's own site, each with a slash at its end. */
  homeOrigins(): string[];
  /** Returns the location of the post that has or had a URL on the owner's own site, however the URL is spelled. */
  atHome(url: string): PostPlace | undefined;
  /** Returns the id of the page at an address; see PageFinder.pageAt. */
  pageAt(address: string): string;
  /** Returns the current URL on the owner's own site of the post at a path; undefined if it has none. */
  homeUrl(path: string): string | undefined;
  /** Returns the indexed version of each file of a month, by slug. */
  stamps(month: string): Map<string, string>;
  months(): string[];
}

/**
 * Creates the index of posts in a database. `changed`: called within the transaction of each change, with the addresses
 * (see addressOfPage) at which there may be another page now.
 */
export function postIndex(
  index: IndexDatabase,
  changed: (addresses: readonly string[]) => void = () => undefined,
): PostIndex {
  const idOf = ({ month, slug }: PostPlace) =>
    index.rows(({ id }) => Number(id), 'SELECT id FROM posts WHERE month = ? AND slug = ?', month, slug)[0];

  const places = postAddresses(index);

  /** Runs a change to the row of a document. Afterwards reports the addresses that the document has or had. */
  function changing(place: PostPlace, work: (id: number | undefined) => void): void {
    index.versions.changed('posts');
    index.together(() => {
      const id = idOf(place);
      const before = [places.homesOf(id), places.leadOf(place)] as const;
      work(id);
      const after = [places.homesOf(idOf(place)), places.leadOf(place)] as const;
      const moved = before[1] === after[1] ? [] : [postPath(place)];
      const addresses = [...new Set([...moved, ...before[0], ...after[0]])];
      if (addresses.length > 0) changed(addresses);
    });
  }

  /** Takes a post out of all lists. */
  function unlist(id: number): void {
    index.run(
      `UPDATE list_counts SET kept = kept - (SELECT deleted = 0 FROM posts WHERE id = ?1),
         listed = listed - (SELECT listed FROM posts WHERE id = ?1)
       WHERE (list, name) IN (SELECT 'category', name FROM post_categories WHERE post = ?1
         UNION ALL SELECT 'kind', kind FROM posts WHERE id = ?1 AND position IS NOT NULL
         UNION ALL SELECT 'month', month FROM posts WHERE id = ?1 AND position IS NOT NULL)`,
      id,
    );
    index.run('DELETE FROM post_categories WHERE post = ?', id);
    index.run('DELETE FROM post_words WHERE rowid = ?', id);
  }

  /** Deletes a post's row and everything derived from it. */
  function clear(id: number): void {
    unlist(id);
    for (const table of ['post_files', 'post_homes', 'post_written'])
      index.run(`DELETE FROM ${table} WHERE post = ?`, id);
    index.run('DELETE FROM posts WHERE id = ?', id);
  }

  function insert(
    { month, slug }: PostPlace,
    stamp: string,
    { post, rest = null }: IndexedDocument & { post: StoredPost },
  ): void {
    const { properties, status, visibility, createdAt, deletedAt, createdBy } = post;
    const { at } = publishedOf(properties, Date.parse(createdAt));
    const position = `${sortable(at)} ${month} ${slug}`;
    const deleted = deletedAt === null ? 0 : 1;
    const listed = deleted === 0 && status === 'published' && visibility === 'public' ? 1 : 0;
    const kind = postKindOf(post);
    const id = index.run(
      'INSERT INTO posts VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)',
      ...[month, slug, stamp, JSON.stringify(post), position, at, kind],
      ...[
        status,
        visibility,
        deleted,
        listed,
        createdBy ?? null,
        isHomeless(post) ? 1 : 0,
        isBehind(post) ? 1 : 0,
        rest,
      ],
    );
    const count = (list: ListKind, name: string) =>
      index.run(
        `INSERT INTO list_counts VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET kept = kept + excluded.kept, listed = listed + excluded.listed`,
        ...[list, name, 1 - deleted, listed],
      );
    count('kind', kind);
    count('month', month);
    const categories = new Set(categoriesOf(post).map(storable));
    for (const name of categories) {
      index.run('INSERT INTO post_categories VALUES (?, ?, ?)', name, position, id);
      count('category', name);
    }
    for (const path of mediaIn(properties)) {
      index.run('INSERT INTO post_files VALUES (?, ?, ?)', path, position, id);
    }
    places.addHomes(id, post);
    for (const file of Object.keys(post.home?.written ?? {}))
      index.run('INSERT INTO post_written VALUES (?, ?)', file, id);
    index.run('INSERT INTO post_words (rowid, words) VALUES (?, ?)', id, wordsOf(post));
  }

  return {
    put(place, stamp, document) {
      const { post, movedTo } = document;
      changing(place, (id) => {
        if (id !== undefined) clear(id);
        if (post !== null) insert(place, stamp, { ...document, post });
        else
          index.run(
            'INSERT INTO posts (month, slug, stamp, moved_to) VALUES (?, ?, ?, ?)',
            ...[place.month, place.slug, stamp, movedTo],
          );
      });
    },

    setAside(place) {
      changing(place, (id) => {
        if (id === undefined) {
          const { month, slug } = place;
          index.run('INSERT INTO posts (month, slug, stamp) VALUES (?, ?, ?)', month, slug, damagedStamp);
          return;
        }
        unlist(id);
        index.run(
          `UPDATE posts SET stamp = ?, position = NULL, at = NULL, kind = NULL, deleted = NULL, listed = NULL,
             homeless = 0, behind = 0 WHERE id = ?`,
          ...[damagedStamp, id],
        );
      });
    },

    copyOf: ({ month, slug }) =>
      index.rows(
        ({ post, moved_to: movedTo, rest }) => ({
          post: textOrNull(post),
          movedTo: textOrNull(movedTo),
          rest: textOrNull(rest),
        }),
        'SELECT post, moved_to, rest FROM posts WHERE month = ? AND slug = ?',
        ...[month, slug],
      )[0],

    stampOf: ({ month, slug }) =>
      index.rows(
        ({ stamp }) => String(stamp),
        'SELECT stamp FROM posts WHERE month = ? AND slug = ?',
        ...[month, slug],
      )[0],

    restamp: ({ month, slug }, stamp, rest) =>
      void index.run(
        'UPDATE posts SET stamp = ?, rest = ? WHERE month = ? AND slug = ?',
        ...[stamp, rest, month, slug],
      ),

    remove(place) {
      changing(place, (id) => {
        if (id !== undefined) clear(id);
      });
    },

    has: (place) => idOf(place) !== undefined,
    usersOf: (file) =>
      index.rows(
        placeRow,
        'SELECT month, slug FROM post_written w JOIN posts p ON p.id = w.post WHERE file = ?',
        file,
      ),
    mediaOfHomes: () =>
      index.rows(
        (row) => ({ ...placeRow(row), media: String(row['path']) }),
        `SELECT month, slug, path FROM post_files f JOIN posts p ON p.id = f.post
         WHERE f.post IN (SELECT post FROM post_written) AND p.position IS NOT NULL`,
      ),
    homeless: () =>
      index.rows(({ n }) => Number(n), 'SELECT COUNT(*) AS n FROM posts WHERE homeless = 1')[0] ?? 0,
    behind: () => index.rows(placeRow, 'SELECT month, slug FROM posts WHERE behind = 1 ORDER BY id'),
    leftPages: () =>
      index.rows(
        placeRow,
        `SELECT month, slug FROM posts
         WHERE id IN (SELECT post FROM post_homes GROUP BY post HAVING COUNT(*) > 1)
           OR (deleted = 1 AND id IN (SELECT post FROM post_homes))
         ORDER BY position DESC`,
      ),
    withoutPost: () => index.rows(placeRow, 'SELECT month, slug FROM posts WHERE position IS NULL'),
    // An origin ends at the first slash after its scheme. The first eight characters are skipped: `https://`, or
    // `http://` and one character of the host.
    homeOrigins: () =>
      index.rows(
        ({ origin }) => String(origin),
        "SELECT DISTINCT substr(url, 1, instr(substr(url, 9), '/') + 8) AS origin FROM post_homes",
      ),
    atHome: places.atHome,
    pageAt: places.pageAt,
    homeUrl: places.homeUrl,
    stamps: (month) =>
      new Map(
        index.rows(
          ({ slug, stamp }) => [String(slug), String(stamp)],
          'SELECT slug, stamp FROM posts WHERE month = ?',
          month,
        ),
      ),
    months: () => index.rows(({ month }) => String(month), 'SELECT DISTINCT month FROM posts'),
    ...indexedLists(index),
  };
}

const textOrNull = (cell: Cell | undefined): string | null =>
  cell === null || cell === undefined ? null : String(cell);

const isHomeless = ({ status, visibility, deletedAt, home }: StoredPost) =>
  status === 'published' && visibility !== 'private' && deletedAt === null && home === undefined;

/** The maximum length of a post's HTML, and of its text, that can be searched, in characters. Both take 0.1 s to index. */
const mostSearched = 500_000;

/** Returns the searchable text of a post: its name, summary, text, alt texts and categories. */
function wordsOf(post: StoredPost): string {
  const { name, summary, ...others } = post.properties;
  const alts = Object.values(others).flatMap((values) => values.map(altOf));
  const words = [name, summary].flatMap(strings);
  const text = postText(post.properties, mostSearched);
  return searchable([...words, ...alts, ...categoriesOf(post), text].join('\n').slice(0, mostSearched));
}

const strings = (values: Properties[string] = []) => values.filter((value) => typeof value === 'string');
