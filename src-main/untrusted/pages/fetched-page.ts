import LinkHeader from 'http-link-header';

/** A page as received from a server. */
export interface FetchedPage {
  /** The page's URL after redirects. Relative URLs are resolved against it. */
  readonly url: string;
  /** All Link headers, joined by commas; null if there are none. */
  readonly linkHeader: string | null;
  readonly text: string;
}

/** Converts a response of the guarded fetch to a page. */
export function fetchedPage(answer: {
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  text(): string;
}): FetchedPage {
  return { url: answer.url, linkHeader: answer.headers.get('link'), text: answer.text() };
}

export interface Link {
  readonly rel: string;
  readonly href: string;
}

/** Absolute URLs by relation (the value of `rel`). */
export type Rels = Readonly<Record<string, readonly string[]>>;

/** The maximum number of relations. No genuine page has more, and this many can be processed quickly. */
const mostRelations = 1000;
const mostAddresses = 1000;

/** Returns the URLs in a Link header by relation; none if the header is malformed. `url`: the URL of the page. */
export function relsInHeader(header: string | null, url: string): Rels {
  return byRelation(headerLinks(header, url));
}

/** Returns the links in a Link header, in order. `url`: the URL of the page. */
export function headerLinks(header: string | null, url: string): Link[] {
  return parsedHeader(header)
    .filter(({ uri, anchor }) => anchor === undefined && URL.canParse(uri, url))
    .flatMap(({ rel = '', uri }) => {
      const { href } = new URL(uri, url);
      return attributeWords(rel.toLowerCase()).map((name) => ({ rel: name, href }));
    });
}

/** A link as parsed by http-link-header. The package's own type doesn't say that `rel` may be missing. */
interface Parsed {
  readonly uri: string;
  readonly rel?: string;
  readonly anchor?: string;
}

function parsedHeader(header: string | null): Parsed[] {
  try {
    return header === null ? [] : LinkHeader.parse(header).refs;
  } catch {
    return []; // a malformed header from a stranger counts as no header
  }
}

/** Groups links by relation. Keeps the first 1,000 relations, and the first 1,000 URLs of each. */
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

/** Returns the distinct words of a class or rel attribute, in order. */
export function attributeWords(value: string): string[] {
  return [...new Set(value.split(/[\t\n\f\r ]+/).filter((word) => word !== ''))];
}
