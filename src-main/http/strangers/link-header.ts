import LinkHeader from 'http-link-header';
import { words } from './words.ts';

export interface Link {
  readonly rel: string;
  readonly href: string;
}

/** Absolute addresses by relation. */
export type Rels = Readonly<Record<string, readonly string[]>>;

/** More than any page has, and few enough that a page of nothing but relations costs little. */
const mostRelations = 1000;
const mostAddresses = 1000;

/** Returns the addresses that a Link header names by relation. A broken header names none. */
export function relsInHeader(header: string | null, url: string): Rels {
  return byRelation(headerLinks(header, url));
}

/** Returns the links in a Link header, in its order. `url`: the address of the page that came with it. */
export function headerLinks(header: string | null, url: string): Link[] {
  return parsedHeader(header)
    .filter(({ uri, anchor }) => anchor === undefined && URL.canParse(uri, url))
    .flatMap(({ rel = '', uri }) => {
      const { href } = new URL(uri, url);
      return words(rel.toLowerCase()).map((name) => ({ rel: name, href }));
    });
}

function parsedHeader(header: string | null): LinkHeader.Reference[] {
  try {
    return header === null ? [] : LinkHeader.parse(header).refs;
  } catch {
    return []; // a stranger's broken header is no header
  }
}

/** Sorts links by relation: the first 1,000 relations, and the first 1,000 addresses of each. */
export function byRelation(links: Iterable<Link>): Rels {
  const rels = Object.create(null) as Record<string, string[]>;
  let names = 0;
  for (const { rel, href } of links) {
    const known = rels[rel];
    if (known) {
      if (known.length < mostAddresses) known.push(href);
    } else if (names < mostRelations) {
      names += 1;
      rels[rel] = [href];
    }
  }
  return rels;
}
