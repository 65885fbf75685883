import { isSlug } from './slug.ts';

/** Where a post is filed. */
export interface Place {
  /** `2026/11` */
  readonly month: string;
  readonly slug: string;
}

/** The path below the public origin, in ASCII: `/posts/2026/11/slug`. */
export const pathOf = ({ month, slug }: Place) => `/posts/${month}/${encodeURIComponent(slug)}`;

/** The place that a path names, percent-encoded or not; undefined where no post can be there. */
export function placeOf(path: string): Place | undefined {
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
