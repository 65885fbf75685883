import { defaultTreeAdapter as tree, type DefaultTreeAdapterTypes as Dom } from 'parse5';
import { attributeOf, elementsOf } from './page-document.ts';
import { attributeWords } from './link-header.ts';

/**
 * The rel values that stay in a document, because the microformats parser reads properties of classic microformats
 * (before version 2) from them. Porchlight's own code reads all other rel values.
 */
const kept = new Set(['bookmark', 'tag', 'principles']);

/**
 * The maximum length of a base URL, in characters: longer than any real URL. Resolving thousands of links against a
 * huge base URL takes minutes.
 */
const longestBase = 2048;

/**
 * Returns the base URL of a page's links: the URL in the first base element with an href, or otherwise the page's own
 * URL.
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
 * Repairs a document in place. Without the repairs, the microformats parser might reject the whole page or never
 * finish. The repairs cover invalid URLs, a relative base URL, class names such as `p-constructor` (every JavaScript
 * object has a property `constructor`), elements that include each other, and templates.
 */
export function mend(document: Dom.Document, base: string): void {
  for (const element of elementsOf(document)) {
    // Only an HTML template has `content`: a template in SVG is an ordinary element.
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
 * Returns a URL in absolute form, or null if it is invalid. Leaves an empty URL unchanged, and also a URL that starts
 * with #, which the microformats parser treats as a part of the page.
 */
function resolved(value: string, base: string): string | null {
  if (value === '' || value.startsWith('#')) return value;
  try {
    return new URL(value, base).href; // no canParse before this, because each parse is slow with a long base
  } catch {
    return null;
  }
}
