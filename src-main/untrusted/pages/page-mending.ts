import { defaultTreeAdapter as tree, type DefaultTreeAdapterTypes as Dom } from 'parse5';
import { attributeOf, elementsOf } from './page-document.ts';
import { attributeWords } from './link-header.ts';

/**
 * The rel values that are not removed from a document, because the microformats parser needs them for classic
 * microformats (before version 2). Porchlight's own code reads all other rel values.
 */
const kept = new Set(['bookmark', 'tag', 'principles']);

/**
 * The maximum length of a base URL, in characters. Genuine base URLs are shorter. Resolving thousands of links against
 * a huge base URL would take minutes.
 */
const longestBase = 2048;

/**
 * Returns the base URL of a page's links: the href of its first base element that has one, or else the page's own URL.
 */
export function baseOf(elements: readonly Dom.Element[], url: string): string {
  const href = elements
    .filter(({ tagName }) => tagName === 'base')
    .map((element) => attributeOf(element, 'href'))
    .find((value) => value !== undefined);
  return resolvedBase(href, url);
}

/**
 * Returns a page's base URL. `href`: the href of the page's base element (undefined if there is none). `url`: the
 * page's own URL.
 */
export function resolvedBase(href: string | undefined, url: string): string {
  if (href === undefined || href.length > longestBase || !URL.canParse(href, url)) return url;
  const base = new URL(href, url).href;
  return base.length > longestBase || !/^https?:/.test(base) ? url : base;
}

/**
 * Repairs a document in place. Without the repairs, the microformats parser may reject the whole page or never finish.
 * The following are repaired or removed: invalid URLs, a relative base URL, class names such as `p-constructor`
 * (because every JavaScript object has a property `constructor`), references through which elements could include each
 * other, and templates.
 */
export function mend(document: Dom.Document, base: string): void {
  for (const element of elementsOf(document)) {
    // Only an HTML template has `content`. A template in SVG is an ordinary element.
    if ('content' in element) tree.detachNode(element);
    element.attrs = element.attrs.flatMap((attribute) => {
      const value = mended(element, attribute, base);
      return value === null ? [] : [{ ...attribute, value }];
    });
  }
}

function mended({ tagName }: Dom.Element, { name, value }: Dom.Element['attrs'][number], base: string) {
  switch (name) {
    case 'href':
      return tagName === 'base' ? null : resolved(value, base);
    case 'src':
      return resolved(value, base);
    case 'data':
      return tagName === 'object' ? resolved(value, base) : value;
    case 'class':
      return attributeWords(value)
        .filter((word) => word !== 'include' && !(word.replace(/^(p|u|e|dt)-/, '') in {}))
        .join(' ');
    case 'rel':
      return (
        attributeWords(value)
          .filter((word) => kept.has(word))
          .join(' ') || null
      );
    case 'itemref':
    case 'headers':
      return null;
    default:
      return value;
  }
}

/**
 * Returns a URL in absolute form; null if it is invalid. Leaves empty URLs and URLs that start with # unchanged,
 * because the microformats parser handles them.
 */
function resolved(value: string, base: string): string | null {
  if (value === '' || value.startsWith('#')) return value;
  try {
    // Resolving is slow with a long base URL, so the URL isn't checked with canParse first.
    return new URL(value, base).href;
  } catch {
    return null;
  }
}
