import { defaultTreeAdapter as tree, type DefaultTreeAdapterTypes as Dom } from 'parse5';
import { attributeOf } from './page-document.ts';

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
