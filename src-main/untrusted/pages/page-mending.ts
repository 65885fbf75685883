import { randomUUID } from 'node:crypto';
import { defaultTreeAdapter as tree, type DefaultTreeAdapterTypes as Dom } from 'parse5';
import { attributeWords } from './fetched-page.ts';
import { attributeOf, elementsOf } from './page-document.ts';

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

/** The addresses of a document's images, which `restore` puts back into what the microformats parser found. */
interface HiddenImages {
  /**
   * Returns a value with the addresses of its images, where the address is the value or part of HTML. In text, an image
   * without alt text counts as nothing.
   */
  restore<T>(value: T): T;
}

/**
 * Replaces the address of each image without alt text by a placeholder, in place. The microformats parser puts such an
 * address into names and other text, although an image contributes its alt text or nothing (microformats2 parsing,
 * "parsing for implied properties"). The placeholder contains two spaces: the parser collapses them in text only, which
 * tells text from attributes.
 */
export function hideImages(elements: readonly Dom.Element[]): HiddenImages {
  // Random, so that no page can contain a placeholder of its own.
  const mark = `image-${randomUUID()}://`;
  const addresses: string[] = [];
  for (const element of elements) {
    if (element.tagName !== 'img' || (attributeOf(element, 'alt') ?? '') !== '') continue;
    const source = element.attrs.find(({ name }) => name === 'src');
    if (!source || source.value.trim() === '') continue;
    source.value = `${mark}  ${addresses.push(source.value) - 1};`;
  }
  if (addresses.length === 0) return { restore: (value) => value };
  const attributes = new RegExp(`${mark}  (\\d+);`, 'g');
  const texts = new RegExp(` ?${mark} \\d+; ?`, 'g');

  function restoreText(text: string): string {
    if (!text.includes(mark)) return text;
    const restored = text.replace(attributes, (_, index: string) => addresses[Number(index)] ?? '');
    if (!restored.includes(mark)) return restored;
    return restored
      .replace(texts, ' ')
      .replace(/ *\n */g, '\n')
      .trim();
  }

  function restore(value: unknown): unknown {
    if (typeof value === 'string') return restoreText(value);
    if (Array.isArray(value)) return value.map(restore);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, restore(one)]));
  }

  return { restore: <T>(value: T) => restore(value) as T };
}

const mostWork = 1_000_000;

const anyPrefix = /^(h|p|u|e|dt)-/;
const root =
  /^(h-.+|adr|geo|hentry|hfeed|hnews|hproduct|hreview|hreview-aggregate|vcard|hresume|vevent|item)$/;
/** The class names of classic microformats (before version 2), which the microformats parser recognizes too. */
const classic = new Set(
  (
    'additional-name adr affiliation agent attendee author average bday best bookmark brand class contact count ' +
    'country-name dateline description dtend dtstart duration education email entry entry-content entry-summary ' +
    'entry-title experience extended-address family-name fn geo given-name honorific-prefix honorific-suffix item ' +
    'key label latitude locality location logo longitude mailer nickname note org photo postal-code price ' +
    'principles rating region rev review reviewer role skill sort-string sound source-org street-address summary ' +
    'tag tel title tz uid updated url'
  ).split(' '),
);

/**
 * Returns whether the microformats parser can process a document in reasonable time. The parser reads an element again
 * for each of the element's properties, and each level of nested objects multiplies this work. For each child of an
 * element, the parser also copies the list of everything found so far. Some documents would therefore take minutes.
 */
export function isWorkable(document: Dom.Document): boolean {
  return measure(document).work <= mostWork;
}

/** Returns whether a page contains anything for the microformats parser to find. */
export function hasObjects(elements: readonly Dom.Element[]): boolean {
  return elements.some((element) => namesOf(element).some((name) => root.test(name)));
}

interface Measure {
  readonly size: number;
  readonly work: number;
  /** The number of objects and properties that the parser may find in this node. */
  readonly findings: number;
}

function measure(node: Dom.Node): Measure {
  if (!tree.isElementNode(node) && node.nodeName !== '#document') {
    return { size: 1 + (tree.isTextNode(node) ? node.value.length / 8 : 0), work: 0, findings: 0 };
  }
  let size = 1;
  let work = 0;
  let findings = 0;
  const children = (node as Dom.ParentNode).childNodes;
  for (const child of children) {
    const part = measure(child);
    size += part.size;
    work += part.work;
    findings += part.findings;
  }
  work += (children.length * findings) / 8;
  if (!tree.isElementNode(node)) return { size, work, findings };
  const names = namesOf(node);
  size += names.length / 4; // the parser splits the class attribute again at each visit
  const values = names.filter((name) => anyPrefix.test(name) || classic.has(name)).length;
  const isRoot = names.some((name) => root.test(name));
  const isLink = attributeOf(node, 'rel') !== undefined;
  work += size * (values + (isRoot ? 1 : 0) + (isLink ? 1 : 0));
  return {
    size,
    work: isRoot ? work * Math.max(1, values) : work,
    findings: findings + (values > 0 || isRoot ? 1 : 0),
  };
}

function namesOf(element: Dom.Element): string[] {
  return (attributeOf(element, 'class') ?? '').split(/[\t\n\f\r ]/);
}
