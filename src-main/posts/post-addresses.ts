import { addressOfPage, withOtherScheme } from './address.ts';
import type { IndexDatabase, Row } from '../storage/index/index-database.ts';
import type { StoredPost } from './post-document.ts';
import { postPath, postPlace, type PostPlace } from './post-path.ts';

/** The maximum number of redirects to follow to find a post that has moved several times. */
export const longestWay = 20;

/** Creates the part of the post index that knows at which addresses (see addressOfPage) posts are and were. */
export function postAddresses(index: IndexDatabase) {
  /** Returns the location to which the redirects at a location lead. */
  function followed(from: PostPlace): PostPlace {
    let place = from;
    for (let hop = 0; hop < longestWay; hop += 1) {
      const [to] = index.rows(
        ({ moved_to: path }) => (path === null ? undefined : postPlace(String(path))),
        'SELECT moved_to FROM posts WHERE month = ? AND slug = ?',
        ...[place.month, place.slug],
      );
      if (to === undefined) return place;
      place = to;
    }
    return place;
  }

  /** Returns the location of the post at an address; if there is none, of the post at the address `or`. */
  const atAddress = (address: string, or = address) =>
    index.rows(
      placeRow,
      `SELECT month, slug FROM post_homes h JOIN posts p ON p.id = h.post WHERE address IN (?1, ?2)
       ORDER BY address <> ?1, p.id LIMIT 1`,
      ...[address, or],
    )[0];

  return {
    /** Adds the URLs that a post has and had on the owner's own site. `id`: of the post's row. */
    addHomes(id: number, { home }: Pick<StoredPost, 'home'>): void {
      for (const url of new Set(home ? [home.url, ...home.former] : []))
        index.run('INSERT INTO post_homes VALUES (?, ?, ?)', url, homeAddress(url), id);
    },

    /** Returns the addresses that a post has and had on the owner's own site. `id`: of the post's row, if it has one. */
    homesOf: (id: number | undefined): string[] =>
      id === undefined
        ? []
        : index.rows(({ address }) => String(address), 'SELECT address FROM post_homes WHERE post = ?', id),

    /** Returns the path to which the redirect at a location leads; undefined if there is no redirect. */
    leadOf: ({ month, slug }: PostPlace): string | undefined =>
      index.rows(
        ({ moved_to: path }) => (path === null ? undefined : String(path)),
        'SELECT moved_to FROM posts WHERE month = ? AND slug = ?',
        ...[month, slug],
      )[0],

    /** Returns the location of the post that has or had a URL on the owner's own site. */
    atHome: (url: string) => atAddress(homeAddress(url)),

    /** Returns the id of the page at an address; see PageFinder.pageAt. */
    pageAt: (address: string): string => {
      const place = postPlace(address);
      if (place !== undefined) return postPath(followed(place));
      // A post's page on the owner's own site is the same page with http and https.
      const home = atAddress(address, withOtherScheme(address));
      return home === undefined ? address : postPath(home);
    },

    /** Returns the current URL on the owner's own site of the post at a path; undefined if it has none. */
    homeUrl: (path: string): string | undefined => {
      const place = postPlace(path);
      if (place === undefined) return undefined;
      return index.rows(
        ({ url }) => (url === null ? undefined : String(url)),
        "SELECT json_extract(post, '$.home.url') AS url FROM posts WHERE month = ? AND slug = ?",
        ...[place.month, place.slug],
      )[0];
    },
  };
}

/** Returns the address of a URL on the owner's own site, where no path is special. */
const homeAddress = (url: string): string => addressOfPage('', url);

/** Reads the location of a post from a row. */
export const placeRow = ({ month, slug }: Row): PostPlace => ({ month: String(month), slug: String(slug) });
