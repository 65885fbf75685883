import LinkHeader from 'http-link-header';
import { mf2 } from 'microformats-parser';

/** A page as it was fetched. */
export interface FetchedPage {
  /** Its final address, against which relative ones are resolved. */
  readonly url: string;
  /** All Link headers, joined by commas; null where there is none. */
  readonly linkHeader: string | null;
  readonly text: string;
}

type Document = ReturnType<typeof mf2>;

/** A microformats2 object (microformats.org/wiki/microformats2-parsing). */
export type Item = Document['items'][number];

/** What a page says to programs. */
export interface WebPage {
  readonly items: readonly Item[];
  /** Absolute addresses by relation: first the Link header's, then the document's (IndieAuth 4.1, Webmention 3.1.2). */
  readonly rels: Readonly<Record<string, readonly string[]>>;
}

/** Reads a stranger's page. One that can not be read (empty, nested without end) says nothing; it is no error. */
export function readPage({ url, linkHeader, text }: FetchedPage): WebPage {
  const document = parse(text, url);
  const rels: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const { rel, uri } of headerLinks(linkHeader)) {
    if (!URL.canParse(uri, url)) continue;
    for (const name of rel.toLowerCase().split(/\s+/)) (rels[name] ??= []).push(new URL(uri, url).href);
  }
  for (const [rel, urls] of Object.entries(document.rels)) (rels[rel] ??= []).push(...urls);
  return { items: document.items, rels };
}

const nothing: Pick<Document, 'items' | 'rels'> = { items: [], rels: {} };

function parse(text: string, baseUrl: string): Pick<Document, 'items' | 'rels'> {
  // The parser refuses a page with an empty body, though its head may say a lot: it gets a paragraph to chew on.
  return tryParse(text, baseUrl) ?? tryParse(`${text}<p></p>`, baseUrl) ?? nothing;
}

function tryParse(text: string, baseUrl: string): Document | null {
  try {
    return mf2(text, { baseUrl });
  } catch {
    return null; // also where elements nest too deep for it
  }
}

function headerLinks(header: string | null): { rel: string; uri: string }[] {
  if (header === null) return [];
  try {
    return LinkHeader.parse(header).refs.map(({ rel, uri }) => ({ rel, uri }));
  } catch {
    return [];
  }
}
