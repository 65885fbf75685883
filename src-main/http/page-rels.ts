import LinkHeader from 'http-link-header';
import { mf2 } from 'microformats-parser';

/** What is needed of a fetched page to find its links by relation. */
export interface PageLinks {
  /** The page's final address, against which relative ones are resolved. */
  readonly url: string;
  /** All Link headers, joined by commas; null where there is none. */
  readonly linkHeader: string | null;
  readonly text: string;
}

/**
 * The links of a page by relation, in the order in which clients look for them (IndieAuth 4.1, Webmention 3.1.2):
 * first the HTTP Link header's, then the document's, absolute.
 */
export function discoverRels({ url, linkHeader, text }: PageLinks): Record<string, string[]> {
  const found: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const { rel, uri } of headerLinks(linkHeader)) {
    if (!URL.canParse(uri, url)) continue;
    for (const name of rel.toLowerCase().split(/\s+/)) (found[name] ??= []).push(new URL(uri, url).href);
  }
  for (const [rel, urls] of Object.entries(mf2(text, { baseUrl: url }).rels)) {
    (found[rel] ??= []).push(...urls);
  }
  return found;
}

function headerLinks(header: string | null): { rel: string; uri: string }[] {
  if (header === null) return [];
  try {
    return LinkHeader.parse(header).refs.map(({ rel, uri }) => ({ rel, uri }));
  } catch {
    return []; // a stranger's broken header is no header
  }
}
