/** More matches than these help nobody, and each one costs time to paint. */
const mostMatches = 999;

/** Marks what the search leaves out: the find bar itself. */
export const leftOut = { 'data-find-bar': '' };

/** A character that no query holds, and that is no white space. It keeps a match from running from block to block. */
const edge = '\u0000';

/** A piece of text in the document, and where it begins in the joined text. */
interface Piece {
  readonly node: Text;
  readonly start: number;
}

/**
 * Returns where the visible text of `root` holds `words`, in reading order. Upper and lower case are the same, and so
 * is all white space. A match may run through the elements of a line, such as links.
 */
export function findText(root: HTMLElement, words: string): Range[] {
  const query = words.replaceAll(edge, '').trim();
  if (query === '') return [];
  const { text, pieces } = visibleText(root);
  const pattern = query.split(/\s+/u).map(escaped).join('\\s+');
  const matches = [...text.matchAll(new RegExp(pattern, 'giu'))].slice(0, mostMatches);
  return matches.map((match) => rangeOf(pieces, match.index, match.index + match[0].length));
}

/** Joins the text of the page that the owner can see. */
function visibleText(root: HTMLElement): { text: string; pieces: Piece[] } {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) => {
    if (node instanceof Text) return NodeFilter.FILTER_ACCEPT;
    return node instanceof Element && node.matches('[data-find-bar], script, style, textarea')
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_SKIP;
  });
  const pieces: Piece[] = [];
  let text = '';
  let block: Element | null = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!(node instanceof Text) || parent?.checkVisibility({ visibilityProperty: true }) !== true) continue;
    const own = blockOf(parent);
    if (own !== block) text += edge;
    block = own;
    pieces.push({ node, start: text.length });
    text += node.data;
  }
  return { text, pieces };
}

/** The nearest element around a text that begins a line of its own. */
function blockOf(element: Element): Element {
  let block = element;
  while (block.parentElement && getComputedStyle(block).display === 'inline') block = block.parentElement;
  return block;
}

function rangeOf(pieces: readonly Piece[], start: number, end: number): Range {
  const first = pieces.findLast((piece) => piece.start <= start);
  const last = pieces.findLast((piece) => piece.start < end);
  const range = document.createRange();
  if (first) range.setStart(first.node, start - first.start);
  if (last) range.setEnd(last.node, end - last.start);
  return range;
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
