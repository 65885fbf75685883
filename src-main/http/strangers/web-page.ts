import { mf2 } from 'microformats-parser';
import { defaultTreeAdapter as tree, serialize, type DefaultTreeAdapterTypes as Dom } from 'parse5';
import type { FetchedPage } from './fetched-page.ts';
import { attributeOf, elementsOf, parseDocument } from './page-document.ts';
import { byRelation, headerLinks, type Link, type Rels } from './link-header.ts';
import { baseOf, mend } from './page-mending.ts';
import { hasObjects, isWorkable } from './page-work.ts';
import { words } from './words.ts';

export type { Rels } from './link-header.ts';

/** A microformats2 object (microformats.org/wiki/microformats2-parsing). */
export type Item = ReturnType<typeof mf2>['items'][number];

/** The machine-readable content of a page. */
export interface WebPage {
  readonly items: readonly Item[];
  /**
   * Addresses by relation: first those of the Link header, then those of the document's elements, including `a`
   * (Webmention 3.1.2).
   */
  readonly rels: Rels;
  /** The same without `a` and `area`: links in a page's text are not always its owner's (IndieAuth 4.1). */
  readonly linkRels: Rels;
  /** The text of its title element. */
  readonly title: string | undefined;
}

/**
 * Reads a stranger's page. If the page cannot be parsed (it is nested too deeply, say), returns only its header's
 * links.
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
 * Returns the text of a property's value; for an object, the text of its `value`. Returns an empty string if there is
 * none.
 */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null && 'value' in value ? textOf(value.value) : '';
}

/** As many as a page may have elements. A page with more was not written for people. */
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
  const relations = words((attributeOf(element, 'rel') ?? '').toLowerCase());
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

function itemsOf(document: Dom.Document, base: string): Item[] {
  mend(document, base);
  // The parser accepts only text, and it rejects a page with an empty body, hence the added paragraph.
  const text = `${serialize(document)}<p></p>`;
  const again = parseDocument(text);
  if (!again || !isWorkable(again)) return [];
  try {
    // textContent: separates words at paragraphs and line breaks, as a browser does.
    return mf2(text, { baseUrl: base, experimental: { textContent: true } }).items;
  } catch {
    return []; // for example, a frameset
  }
}
