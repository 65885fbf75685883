import { isSlug } from './slug.ts';

/** The location of a stored post: its month, and its slug in that month. */
export interface PostPlace {
  /** The year and the month, such as `2026/11`. */
  readonly month: string;
  readonly slug: string;
}

/** Returns the URL path of a post, in ASCII: `/posts/2026/11/slug`. */
export const postPath = ({ month, slug }: PostPlace) => `/posts/${month}/${encodeURIComponent(slug)}`;

/**
 * Returns the location of the post with the given path, percent-encoded or not; undefined if no post can have this
 * path.
 */
export function postPlace(path: string): PostPlace | undefined {
  const [, month, encoded] = /^\/posts\/(\d{4}\/(?:0[1-9]|1[0-2]))\/([^/?#]{1,2000})\/?$/.exec(path) ?? [];
  if (month === undefined || encoded === undefined) return undefined;
  const slug = decoded(encoded);
  return slug !== undefined && isSlug(slug) ? { month, slug } : undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
