import { randomBytes } from 'node:crypto';
import type { Properties } from '../contract/posts.ts';
import { PorchlightError } from '../contract/error.ts';
import { documentExcess } from '../storage/document-kinds.ts';
import type { Versions } from '../storage/caches.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import { type Cell, readRow, type Row } from '../storage/records/record-table.ts';
import { sizeUpTo } from '../storage/json-value.ts';
import { searchable, storable } from '../storage/search-text.ts';
import { addressOfPage, withOtherScheme } from './address.ts';
import { postText, titleInWords } from './content-text.ts';
import { postKindOf } from './kind.ts';
import { categoriesOf } from './links.ts';
import type { EarlierPost, Edits, StoredPost } from './post-document.ts';
import { sortable } from './post-lists.ts';
import { mediaIn } from './post-media.ts';
import { postPath, postPlace, type PostPlace } from './post-path.ts';
import type { ListKind } from './post-store.ts';
import {
  begunColumns,
  postColumns,
  postEditsTable,
  type PostRow,
  postVersionTable,
  readPostRow,
} from './post-table.ts';
import { begunPost } from './rendering/begun-post.ts';
import { altOf } from './values.ts';
import { isBehind, publishedOf } from './visibility.ts';

/** The size of a post, in characters, up to which its words are added within each change. */
const longestAtOnce = 100_000;
/** The maximum number of redirects to follow to find a post that has moved several times. */
const longestWay = 20;

/** Runs a query and returns its rows. */
export type ReadRows = (sql: string, ...cells: readonly Cell[]) => Row[];

export type PostReads = ReturnType<typeof postReads>;

/** Creates the queries for single posts. `rows`: of the database, or of a transaction with its changes so far. */
export function postReads(rows: ReadRows) {
  const at = ({ month, slug }: PostPlace): PostRow | undefined =>
    rows(`SELECT ${postColumns} FROM posts p WHERE month = ? AND slug = ?`, month, slug).map(readPostRow)[0];

  /** Returns the location to which the redirects at a location lead; the same location if there is none. */
  function endOf(from: PostPlace): PostPlace {
    let place = from;
    for (let hop = 0; hop < longestWay; hop += 1) {
      const to = postPlace(leadOf(place) ?? '');
      if (to === undefined) break;
      place = to;
    }
    return place;
  }

  /** Returns the location of the post at an address; if there is none, of the post at the address `or`. */
  const atAddress = (address: string, or = address): PostPlace | undefined =>
    rows(
      `SELECT month, slug FROM post_homes h JOIN posts p ON p.seq = h.post WHERE address IN (?1, ?2)
       ORDER BY address <> ?1, p.seq LIMIT 1`,
      ...[address, or],
    ).map(placeRow)[0];

  /** Returns the path to which the redirect at a location leads; undefined if there is none. */
  function leadOf({ month, slug }: PostPlace): string | undefined {
    const [row] = rows('SELECT moved_to FROM posts WHERE month = ? AND slug = ?', month, slug);
    return textIn(row?.['moved_to']);
  }

  return {
    at,
    endOf,
    leadOf,
    /** Returns what is at a location, without reading it. */
    kindAt: ({ month, slug }: PostPlace): 'post' | 'doubtful' | 'redirect' | undefined => {
      const kind = "iif(doubtful = 1, 'doubtful', iif(post IS NULL, 'redirect', 'post')) AS kind";
      const [row] = rows(`SELECT ${kind} FROM posts WHERE month = ? AND slug = ?`, month, slug);
      return row && (String(row['kind']) as 'post' | 'doubtful' | 'redirect');
    },
    has: ({ month, slug }: PostPlace): boolean =>
      rows('SELECT 1 FROM posts WHERE month = ? AND slug = ?', month, slug).length > 0,
    /** Returns the location of the post with an id. */
    placeOf: (id: string): PostPlace | undefined =>
      rows('SELECT month, slug FROM posts WHERE id = ?', id).map(placeRow)[0],
    /** Returns the location of the post that has or had a URL on the owner's own site, however the URL is spelled. */
    atHome: (url: string): PostPlace | undefined => atAddress(homeAddress(url)),
    /** Returns the id of the page at an address; see PageFinder.pageAt. */
    pageAt: (address: string): string => {
      const place = postPlace(address);
      if (place !== undefined) return postPath(endOf(place));
      // A post's page on the owner's own site is the same page with http and https.
      const home = atAddress(address, withOtherScheme(address));
      return home === undefined ? address : postPath(home);
    },
    /** Returns the current URL on the owner's own site of the post at a path; undefined if it has none. */
    homeUrl: (path: string): string | undefined => {
      const place = postPlace(path);
      if (place === undefined) return undefined;
      return textIn(
        rows('SELECT home FROM posts WHERE month = ? AND slug = ?', place.month, place.slug)[0]?.['home'],
      );
    },
    /** Returns the title of the post at a path; see PageFinder.titleOf. Reads only the beginning of a very long post. */
    titleOf: (path: string): string | undefined => {
      const place = postPlace(path);
      if (place === undefined) return undefined;
      const row = `SELECT ${begunColumns} FROM posts p WHERE month = ? AND slug = ?`;
      const [found] = rows(row, place.month, place.slug).map(readPostRow);
      return found?.post && !found.isDoubtful ? titleInWords(found.post.properties) || undefined : undefined;
    },
    /** Returns the earlier versions of a post, newest first. */
    history: (id: string): EarlierPost[] =>
      rows('SELECT post, number, version FROM post_versions WHERE post = ? ORDER BY number DESC', id).map(
        (row) => readRow(postVersionTable, row),
      ),
    edits: (id: string): Edits | null =>
      rows('SELECT post, edits FROM post_edits WHERE post = ?', id).map((row) =>
        readRow(postEditsTable, row),
      )[0] ?? null,
    /** Returns the locations of the posts for which `file` was written to the owner's own site. */
    usersOf: (file: string): PostPlace[] =>
      rows('SELECT month, slug FROM post_written w JOIN posts p ON p.seq = w.post WHERE file = ?', file).map(
        placeRow,
      ),
    /** Returns the uploaded files (`/media/...`) of the posts on the owner's own site, each with its post. */
    mediaOfHomes: (): (PostPlace & { readonly media: string })[] =>
      rows(
        `SELECT month, slug, path FROM post_files f JOIN posts p ON p.seq = f.post
         WHERE f.post IN (SELECT post FROM post_written) AND p.position IS NOT NULL`,
      ).map((row) => ({ ...placeRow(row), media: String(row['path']) })),
    /** Returns how many public posts have no location on the owner's own site. */
    homeless: (): number => Number(rows('SELECT COUNT(*) AS n FROM posts WHERE homeless = 1')[0]?.['n'] ?? 0),
    /** Returns the locations of the posts whose publishing to the owner's own site may be unfinished. */
    behind: (): PostPlace[] =>
      rows('SELECT month, slug FROM posts WHERE behind = 1 ORDER BY seq').map(placeRow),
    /**
     * Returns the locations of the posts that left an old page behind on the owner's own site: deleted posts, and posts
     * that moved to another URL there. Newest posts first.
     */
    leftPages: (): PostPlace[] =>
      rows(
        `SELECT month, slug FROM posts
         WHERE seq IN (SELECT post FROM post_homes GROUP BY post HAVING COUNT(*) > 1)
           OR (deleted = 1 AND seq IN (SELECT post FROM post_homes))
         ORDER BY position DESC`,
      ).map(placeRow),
    /** Returns the locations from which posts have moved. */
    formerPlaces: (): PostPlace[] =>
      rows('SELECT month, slug FROM posts WHERE moved_to IS NOT NULL').map(placeRow),
    // An origin ends at the first slash after its scheme. The first eight characters are skipped: `https://`, or
    // `http://` and one character of the host.
    /** Returns the origins of all URLs that posts have or had on the owner's own site, each with a slash at its end. */
    homeOrigins: (): string[] =>
      rows("SELECT DISTINCT substr(url, 1, instr(substr(url, 9), '/') + 8) AS origin FROM post_homes").map(
        ({ origin }) => String(origin),
      ),
    /** Returns up to `most` rows that nobody sees until their file or the owner decides. */
    doubtful: (most: number): PostRow[] =>
      rows(`SELECT ${postColumns} FROM posts p WHERE doubtful = 1 ORDER BY seq LIMIT ?`, most).map(
        readPostRow,
      ),
    /** Returns the version of a file copy that was written or read last; undefined if there was none. */
    copyOf: ({ month, slug }: PostPlace): string | undefined =>
      textIn(rows('SELECT copy FROM posts WHERE month = ? AND slug = ?', month, slug)[0]?.['copy']),
    state: (name: PostState): string | undefined =>
      textIn(rows('SELECT value FROM post_state WHERE name = ?', name)[0]?.['value']),
  };
}

/**
 * What is known of all posts. `read`: whether the files of the folder have been read into rows. `rules`: the rules by
 * which the rows were filed. `words`: the last post that is in a full-text table which is being built again.
 */
export type PostState = 'read' | 'rules' | 'words';

/** What a row gets. `lost`: for a post whose file is damaged, and of which there is no row. Such a row is doubtful. */
export type RowContent =
  | { readonly post: StoredPost; readonly id: string }
  | { readonly movedTo: string }
  | 'lost';

interface WriteRules {
  readonly versions: Pick<Versions, 'changed'>;
  /** Called with the addresses (see addressOfPage) at which there may be another page now. */
  readonly addressesChanged: (addresses: readonly string[], transaction: Pick<Transaction, 'run'>) => void;
  /** Adds the words of a long post later, and not within each of its changes. If absent, they are added at once. */
  readonly wordsLater?: ((place: PostPlace) => void) | undefined;
}

export type PostWrites = ReturnType<typeof postWrites>;

/** Creates the changes to posts in a transaction. */
export function postWrites({ rows, run }: Pick<Transaction, 'rows' | 'run'>, rules: WriteRules) {
  const reads = postReads(rows);
  const seqOf = ({ month, slug }: PostPlace): number | undefined => {
    const [row] = rows('SELECT seq FROM posts WHERE month = ? AND slug = ?', month, slug);
    return row && Number(row['seq']);
  };
  const homesOf = (seq: number | undefined): string[] =>
    seq === undefined
      ? []
      : rows('SELECT address FROM post_homes WHERE post = ?', seq).map(({ address }) => String(address));

  /** Runs a change of a row. Afterwards reports the addresses that it has or had. */
  function changing(place: PostPlace, work: (seq: number | undefined) => void): void {
    rules.versions.changed('posts');
    const seq = seqOf(place);
    const before = [homesOf(seq), reads.leadOf(place)] as const;
    work(seq);
    const after = [homesOf(seqOf(place)), reads.leadOf(place)] as const;
    const moved = before[1] === after[1] ? [] : [postPath(place)];
    const addresses = [...new Set([...moved, ...before[0], ...after[0]])];
    if (addresses.length > 0) rules.addressesChanged(addresses, { run });
  }

  /** Takes a post out of everything that is derived from it. */
  function unfile(seq: number): void {
    run(
      `UPDATE list_counts SET kept = kept - (SELECT deleted = 0 FROM posts WHERE seq = ?1),
         listed = listed - (SELECT listed FROM posts WHERE seq = ?1)
       WHERE (list, name) IN (SELECT 'category', name FROM post_categories WHERE post = ?1
         UNION ALL SELECT 'kind', kind FROM posts WHERE seq = ?1 AND position IS NOT NULL
         UNION ALL SELECT 'month', month FROM posts WHERE seq = ?1 AND position IS NOT NULL)`,
      seq,
    );
    for (const table of ['post_categories', 'post_files', 'post_homes', 'post_written'])
      run(`DELETE FROM ${table} WHERE post = ?`, seq);
    run('DELETE FROM post_words WHERE rowid = ?', seq);
  }

  /** Derives everything else from the declared columns of a row, which isn't filed yet. */
  function file(seq: number, { place: { month, slug }, post, isDoubtful }: PostRow): void {
    addHomes(seq, post?.home);
    if (post === null || isDoubtful) {
      run(
        `UPDATE posts SET filed = 1, home = ?, position = NULL, at = NULL, kind = NULL, status = NULL, visibility = NULL,
           deleted = NULL, listed = NULL, app = NULL, homeless = NULL, behind = NULL, begun = NULL WHERE seq = ?`,
        ...[post?.home?.url ?? null, seq],
      );
      return;
    }
    const { properties, status, visibility, createdAt, deletedAt, createdBy, home } = post;
    const { at } = publishedOf(properties, Date.parse(createdAt));
    const position = `${sortable(at)} ${month} ${slug}`;
    const deleted = deletedAt === null ? 0 : 1;
    const listed = deleted === 0 && status === 'published' && visibility === 'public' ? 1 : 0;
    const kind = postKindOf(post);
    const begun = begunPost(post, home?.url ?? postPath({ month, slug }));
    run(
      `UPDATE posts SET filed = 1, position = ?, at = ?, kind = ?, status = ?, visibility = ?, deleted = ?, listed = ?,
         app = ?, homeless = ?, behind = ?, home = ?, begun = ? WHERE seq = ?`,
      ...[position, at, kind, status, visibility, deleted, listed, createdBy ?? null],
      ...[
        isHomeless(post) ? 1 : 0,
        isBehind(post) ? 1 : 0,
        home?.url ?? null,
        begun ? JSON.stringify(begun) : null,
        seq,
      ],
    );
    const count = (list: ListKind, name: string) =>
      run(
        `INSERT INTO list_counts VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET kept = kept + excluded.kept, listed = listed + excluded.listed`,
        ...[list, name, 1 - deleted, listed],
      );
    count('kind', kind);
    count('month', month);
    for (const name of new Set(categoriesOf(post).map(storable))) {
      run('INSERT OR REPLACE INTO post_categories VALUES (?, ?, ?)', name, position, seq);
      count('category', name);
    }
    for (const path of mediaIn(properties))
      run('INSERT OR REPLACE INTO post_files VALUES (?, ?, ?)', path, position, seq);
    for (const written of Object.keys(home?.written ?? {}))
      run('INSERT OR REPLACE INTO post_written VALUES (?, ?)', written, seq);
    const isLong = sizeUpTo(properties, longestAtOnce) >= longestAtOnce;
    if (isLong && rules.wordsLater) rules.wordsLater({ month, slug });
    else addWords(seq, post);
  }

  function addHomes(seq: number, home: StoredPost['home']): void {
    for (const url of new Set(home ? [home.url, ...home.former] : []))
      run('INSERT OR REPLACE INTO post_homes VALUES (?, ?, ?)', url, homeAddress(url), seq);
  }

  const addWords = (seq: number, post: StoredPost): void =>
    void run('INSERT OR REPLACE INTO post_words (rowid, words) VALUES (?, ?)', seq, wordsOf(post));

  return {
    ...reads,

    /**
     * Writes a post or a redirect. Its counter is one more than before, and at least `counter`.
     * @throws PorchlightError `storage_invalid` if the post is larger than Porchlight would read again
     */
    put(place: PostPlace, content: RowContent, { counter = 1, isDoubtful = false } = {}): void {
      const found =
        content === 'lost'
          ? { id: null, post: null, movedTo: null }
          : { id: null, post: null, movedTo: null, ...content };
      const text = found.post && JSON.stringify(found.post);
      const excess = text === null ? undefined : documentExcess(text, 'post');
      if (excess !== undefined)
        throw new PorchlightError('storage_invalid', `This post cannot be kept: ${excess}.`, 500);
      changing(place, (seq) => {
        if (seq !== undefined) unfile(seq);
        const cells = [place.month, place.slug, counter, isDoubtful ? 1 : 0];
        const [row] = rows(
          `INSERT INTO posts (month, slug, counter, doubtful, id, post, moved_to) VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (month, slug) DO UPDATE SET counter = max(counter + 1, excluded.counter),
             doubtful = excluded.doubtful, id = excluded.id, post = excluded.post, moved_to = excluded.moved_to,
             filed = NULL
           RETURNING seq, counter`,
          ...[...cells, found.id, text, found.movedTo],
        );
        const counted = { seq: Number(row?.['seq']), counter: Number(row?.['counter']) };
        file(counted.seq, { ...found, place, counter: counted.counter, isDoubtful });
      });
    },

    /** Counts a change of a post of which its row says nothing: of its earlier versions or unsaved edits. */
    touch: ({ month, slug }: PostPlace): void =>
      void run('UPDATE posts SET counter = counter + 1 WHERE month = ? AND slug = ?', month, slug),

    /** Removes the row of a post or a redirect. */
    remove(place: PostPlace): void {
      changing(place, (seq) => {
        if (seq === undefined) return;
        const [row] = rows('SELECT id FROM posts WHERE seq = ?', seq);
        unfile(seq);
        run('DELETE FROM posts WHERE seq = ?', seq);
        const id = textIn(row?.['id']);
        if (id !== undefined)
          for (const table of ['post_versions', 'post_edits']) run(`DELETE FROM ${table} WHERE post = ?`, id);
      });
    },

    /** Replaces the earlier versions of a post, newest first, if they have changed. */
    setHistory(id: string, history: readonly EarlierPost[]): void {
      const texts = history.map((version) => JSON.stringify(version));
      const known = rows('SELECT number, version FROM post_versions WHERE post = ? ORDER BY number DESC', id);
      const newest = Number(known[0]?.['number'] ?? 0);
      // Most changes add one version, and leave out the oldest at most.
      const added = texts.findIndex((text) => text === known[0]?.['version']);
      const count = added === -1 ? texts.length : added;
      const isSame = texts.slice(count).every((text, index) => text === known[index]?.['version']);
      if (isSame && count === 0 && texts.length === known.length) return;
      if (!isSame || count === texts.length) run('DELETE FROM post_versions WHERE post = ?', id);
      else {
        const oldest = Number(known[texts.length - count - 1]?.['number'] ?? 0);
        run('DELETE FROM post_versions WHERE post = ? AND number < ?', id, oldest);
      }
      const fresh = isSame ? texts.slice(0, count) : texts;
      for (const [index, text] of fresh.entries())
        run('INSERT INTO post_versions VALUES (?, ?, ?)', id, newest + fresh.length - index, text);
    },

    setEdits(id: string, edits: Edits | null): void {
      if (edits === null) run('DELETE FROM post_edits WHERE post = ?', id);
      else run('INSERT OR REPLACE INTO post_edits VALUES (?, ?)', id, JSON.stringify(edits));
    },

    /** Files up to `most` rows that aren't filed yet. Returns how many there were. */
    fileSome(most: number): number {
      const found = rows(
        `SELECT p.seq, ${postColumns} FROM posts p WHERE filed IS NULL ORDER BY seq LIMIT ?`,
        most,
      );
      for (const row of found) {
        const seq = Number(row['seq']);
        // A rule of filing may have changed.
        unfile(seq);
        const read = readPostRow(row);
        file(seq, read);
        const addresses = [...homesOf(seq), ...(read.movedTo === null ? [] : [postPath(read.place)])];
        if (addresses.length > 0) rules.addressesChanged(addresses, { run });
      }
      if (found.length > 0) rules.versions.changed('posts');
      return found.length;
    },

    /** Adds the words of a post, whose change left them for later. */
    addWordsOf(place: PostPlace): void {
      const seq = seqOf(place);
      const post = reads.at(place)?.post;
      if (seq === undefined || !post) return;
      run('DELETE FROM post_words WHERE rowid = ?', seq);
      addWords(seq, post);
    },

    /** Adds up to `most` posts after the row `after` to the full-text table. Returns the last one; undefined if none. */
    addWords(after: number, most: number): number | undefined {
      const found = rows(
        `SELECT p.seq, ${postColumns} FROM posts p WHERE seq > ? AND position IS NOT NULL ORDER BY seq LIMIT ?`,
        ...[after, most],
      );
      for (const row of found) {
        const { post } = readPostRow(row);
        run('DELETE FROM post_words WHERE rowid = ?', Number(row['seq']));
        if (post) addWords(Number(row['seq']), post);
      }
      return found.length === 0 ? undefined : Number(found.at(-1)?.['seq']);
    },

    /** Writes the changed words. Otherwise, SQLite does that later in the transaction, among the changes of others. */
    flush(): void {
      run('SAVEPOINT words');
      run('RELEASE words');
    },

    setState(name: PostState, value: string | undefined): void {
      if (value === undefined) run('DELETE FROM post_state WHERE name = ?', name);
      else run('INSERT OR REPLACE INTO post_state VALUES (?, ?)', name, value);
    },
  };
}

/** Returns an id for a new post. */
export const newPostId = (): string => randomBytes(12).toString('base64url');

/** Returns the address of a URL on the owner's own site, where no path is special. */
const homeAddress = (url: string): string => addressOfPage('', url);

const textIn = (cell: Cell | undefined): string | undefined =>
  cell === null || cell === undefined ? undefined : String(cell);

/** Reads the location of a post from a row. */
const placeRow = ({ month, slug }: Row): PostPlace => ({ month: String(month), slug: String(slug) });

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
