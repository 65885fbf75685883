import { addressOfPage, withOtherScheme } from './address.ts';
import { titleInWords } from './content-text.ts';
import { type Cell, readRow, type Row } from '../storage/records/record-table.ts';
import type { EarlierPost, Edits } from './post-document.ts';
import { postPath, postPlace, type PostPlace } from './post-path.ts';
import {
  begunColumns,
  postColumns,
  postEditsTable,
  type PostRow,
  postVersionTable,
  readPostRow,
} from './post-table.ts';

/** The maximum number of redirects to follow to find a post that has moved several times. */
const longestWay = 20;

/**
 * What is known of all posts. `read`: whether the files of the folder have been read into rows. `rules`: the rules by
 * which the rows were filed. `words`: the last post that is in a full-text table which is being built again.
 */
export type PostState = 'read' | 'rules' | 'words';

/** Runs a query and returns its rows. */
export type ReadRows = (sql: string, ...cells: readonly Cell[]) => Row[];

/** Creates the queries for what is at a location, and for the location of a post. */
function placeReads(rows: ReadRows) {
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
      address,
      or,
    ).map(placeRow)[0];

  /** Returns the path to which the redirect at a location leads; undefined if there is none. */
  function leadOf({ month, slug }: PostPlace): string | undefined {
    const [row] = rows('SELECT moved_to FROM posts WHERE month = ? AND slug = ?', month, slug);
    return textOfCell(row?.['moved_to']);
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
      return textOfCell(
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
  };
}

export type PostReads = ReturnType<typeof postReads>;

/** Creates the queries for single posts. `rows`: of the database, or of a transaction with its changes so far. */
export function postReads(rows: ReadRows) {
  return {
    ...placeReads(rows),
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
      textOfCell(rows('SELECT copy FROM posts WHERE month = ? AND slug = ?', month, slug)[0]?.['copy']),
    state: (name: PostState): string | undefined =>
      textOfCell(rows('SELECT value FROM post_state WHERE name = ?', name)[0]?.['value']),
  };
}

/** Returns the address of a URL on the owner's own site, where no path is special. */
export const homeAddress = (url: string): string => addressOfPage('', url);

export const textOfCell = (cell: Cell | undefined): string | undefined =>
  cell === null || cell === undefined ? undefined : String(cell);

/** Reads the location of a post from a row. */
const placeRow = ({ month, slug }: Row): PostPlace => ({ month: String(month), slug: String(slug) });
