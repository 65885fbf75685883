import { mf2 } from 'microformats-parser';
import { defaultTreeAdapter as tree, serialize, type DefaultTreeAdapterTypes as Dom } from 'parse5';
import {
  attributeWords,
  byRelation,
  type FetchedPage,
  headerLinks,
  type Link,
  type Rels,
} from './fetched-page.ts';
import { attributeOf, elementsOf, parseDocument } from './page-document.ts';
import { baseOf, hasObjects, hideImages, isWorkable, mend } from './page-mending.ts';

export type { Rels } from './fetched-page.ts';

/** A microformats2 object (microformats.org/wiki/microformats2-parsing). */
export type MicroformatsItem = ReturnType<typeof mf2>['items'][number];

/** The machine-readable content of a page. */
export interface WebPage {
  readonly items: readonly MicroformatsItem[];
  /**
   * URLs by relation: first from the Link header, then from the page's `link`, `a` and `area` elements (Webmention
   * 3.1.2).
   */
  readonly rels: Rels;
  /**
   * Like `rels`, but without `a` and `area` elements, because people other than the page's owner may have written those
   * links (IndieAuth 4.1).
   */
  readonly linkRels: Rels;
  /** The text of the page's title element. */
  readonly title: string | undefined;
}

/**
 * Reads a stranger's page. If its HTML is too costly to parse (for example, nested too deeply), returns only the links
 * of its Link header.
 */
export function readPage({ url, linkHeader, text }: FetchedPage): WebPage {
  const header = headerLinks(linkHeader, url);
  const document = parseDocument(text);
  if (!document)
    return { items: [], rels: byRelation(header), linkRels: byRelation(header), title: undefined };
  const elements = elementsOf(document);
  const base = baseOf(elements, url);
  const links = [...linksIn(elements, base)];
  return {
    rels: byRelation([...header, ...links]),
    linkRels: byRelation([...header, ...links.filter(({ tagName }) => tagName === 'link')]),
    title: titleOf(elements),
    items: hasObjects(elements) && isWorkable(document) ? itemsOf(document, base) : [],
  };
}

/**
 * Returns the text of a property's value. If the value is an object, returns the text of its own `value`. Returns an
 * empty string if there is no text.
 */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null && 'value' in value ? valueText(value.value) : '';
}

/**
 * Returns the name of a person from an h-card's properties: its name, its nickname, or its given and family name.
 * Returns an empty string if it has none. `textOf`: returns the text of a property's first value, or an empty string.
 */
export function personName(textOf: (property: string) => string): string {
  const text = (property: string) => textOf(property).trim();
  return text('name') || text('nickname') || `${text('given-name')} ${text('family-name')}`.trim();
}

/** The maximum number of links to read, equal to the limit for a page's elements. No genuine page has more. */
const mostLinks = 20_000;

function* linksIn(elements: readonly Dom.Element[], base: string): Generator<Link & { tagName: string }> {
  let left = mostLinks;
  for (const element of elements) {
    for (const link of linksOf(element, base)) {
      if (left-- === 0) return;
      yield link;
    }
  }
}

function linksOf(element: Dom.Element, base: string): (Link & { tagName: string })[] {
  const { tagName } = element;
  const href = attributeOf(element, 'href');
  if (!['link', 'a', 'area'].includes(tagName) || href === undefined || !URL.canParse(href, base)) return [];
  const relations = attributeWords((attributeOf(element, 'rel') ?? '').toLowerCase());
  if (relations.length === 0) return [];
  const address = new URL(href, base).href;
  return relations.map((rel) => ({ tagName, rel, href: address }));
}

function titleOf(elements: readonly Dom.Element[]): string | undefined {
  const title = elements.find(
    ({ tagName, namespaceURI }) => tagName === 'title' && namespaceURI.endsWith('html'),
  );
  return title?.childNodes.map((node) => (tree.isTextNode(node) ? node.value : '')).join('');
}

function itemsOf(document: Dom.Document, base: string): MicroformatsItem[] {
  mend(document, base);
  const images = hideImages(elementsOf(document));
  // The microformats parser accepts only text, so the document is serialized again. The parser also rejects an empty
  // body, so a paragraph is added.
  const text = `${serialize(document)}<p></p>`;
  const again = parseDocument(text);
  if (!again || !isWorkable(again)) return [];
  try {
    // With the option textContent, the parser separates words at paragraphs and line breaks, as a browser does.
    return images.restore(mf2(text, { baseUrl: base, experimental: { textContent: true } }).items);
  } catch {
    return []; // the parser rejects some pages, such as framesets
  }
}
