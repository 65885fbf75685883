import { defaultTreeAdapter as tree, type DefaultTreeAdapterTypes as Dom } from 'parse5';
import { attributeOf, elementsOf } from './page-document.ts';
import { words } from './words.ts';

/** The relations that microformats before version 2 read properties from; the page's others are read by us. */
const kept = new Set(['bookmark', 'tag', 'principles']);

/** Longer than any address is: resolving thousands of links against a book takes minutes. */
const longestBase = 2048;

/** The address against which a page's own are resolved: that of its first base element with one, else its own. */
export function baseOf(elements: readonly Dom.Element[], url: string): string {
  const href = elements
    .filter(({ tagName }) => tagName === 'base')
    .map((element) => attributeOf(element, 'href'))
    .find((value) => value !== undefined);
  return resolvedBase(href, url);
}

/** What a base element with this `href` makes of a page's own address; `href` undefined: there is none. */
export function resolvedBase(href: string | undefined, url: string): string {
  if (href === undefined || href.length > longestBase || !URL.canParse(href, url)) return url;
  const base = new URL(href, url).href;
  return base.length > longestBase || !/^https?:/.test(base) ? url : base;
}

/**
 * Mends what makes the microformats parser give up a whole page, or run without end: addresses that are none, a
 * relative base, names that every object has, elements that include each other, templates.
 */
export function mend(document: Dom.Document, base: string): void {
  for (const element of elementsOf(document)) {
    // Only a template of HTML has content: one in a drawing is an element like others.
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

/** Where it leads; what begins with # stays, for the parser takes it as a part of the page. */
function resolved(value: string, base: string): string | null {
  if (value === '' || value.startsWith('#')) return value;
  try {
    return new URL(value, base).href; // not asked first whether it can be: with a long base each look is slow
  } catch {
    return null;
  }
}
