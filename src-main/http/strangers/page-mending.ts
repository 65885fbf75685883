import { defaultTreeAdapter as tree, type DefaultTreeAdapterTypes as Dom } from 'parse5';
import { attributeOf, elementsOf } from './page-document.ts';
import { words } from './words.ts';

/**
 * The relations from which pre-version-2 microformats read properties. This program reads the page's other relations
 * itself.
 */
const kept = new Set(['bookmark', 'tag', 'principles']);

/** In characters; longer than any real address. Resolving thousands of links against a huge base takes minutes. */
const longestBase = 2048;

/**
 * Returns the address against which a page's links are resolved: that of its first base element with an href, or else
 * its own.
 */
export function baseOf(elements: readonly Dom.Element[], url: string): string {
  const href = elements
    .filter(({ tagName }) => tagName === 'base')
    .map((element) => attributeOf(element, 'href'))
    .find((value) => value !== undefined);
  return resolvedBase(href, url);
}

/** Returns a page's base address, given the `href` of its base element (undefined if there is none). */
export function resolvedBase(href: string | undefined, url: string): string {
  if (href === undefined || href.length > longestBase || !URL.canParse(href, url)) return url;
  const base = new URL(href, url).href;
  return base.length > longestBase || !/^https?:/.test(base) ? url : base;
}

/**
 * Repairs a document in place so that the microformats parser neither rejects the whole page nor runs forever. Covers
 * invalid addresses, a relative base, class names that are properties of every object, elements that include each
 * other, and templates.
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
      return words(value)
        .filter((word) => word !== 'include' && !(word.replace(/^(p|u|e|dt)-/, '') in {}))
        .join(' ');
    case 'rel':
      return (
        words(value)
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
 * Returns an absolute address, or null if it is invalid. Leaves one that begins with # unchanged, because the parser
 * treats it as a part of the page.
 */
function resolved(value: string, base: string): string | null {
  if (value === '' || value.startsWith('#')) return value;
  try {
    return new URL(value, base).href; // no canParse first: with a long base, each parse is slow
  } catch {
    return null;
  }
}
