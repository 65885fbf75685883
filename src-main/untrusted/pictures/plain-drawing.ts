/** The size limit for strangers' drawings, in bytes. Real logos have a few KB. */
const longestDrawing = 64 * 1024;
const mostElements = 1000;
const deepestNesting = 32;
/**
 * The maximum number of copies (`use` elements) in a drawing. Nested copies multiply, so a few copies can create a
 * million elements.
 */
const mostCopies = 16;

/**
 * Matches features of a drawing that are slow to render (such as filters), that repeat other parts, or that embed a
 * picture.
 */
const costly = /filter|<fe[a-z]|data:|<!ENTITY|<(\w+:)?(pattern|marker)\b|@import/i;

/**
 * Returns whether a stranger's SVG drawing is plain enough to render: at most 64 KB, 1,000 elements and 32 levels of
 * nesting, without features that are slow to render.
 */
export function isPlainDrawing(bytes: Uint8Array): boolean {
  if (bytes.length > longestDrawing) return false;
  const text = Buffer.from(bytes).toString('utf8');
  if (costly.test(withoutReferences(text)) || count(text, /<(\w+:)?use\b/gi) > mostCopies) return false;
  return count(text, /<[a-z]/gi) <= mostElements && depthOf(text) <= deepestNesting;
}

/**
 * Replaces numeric character references with the characters that they represent, so that a reference cannot hide a
 * keyword.
 */
function withoutReferences(text: string): string {
  return text.replace(/&#(x?)([\da-f]{1,6});/gi, (_, hex: string, digits: string) => {
    const code = parseInt(digits, hex === '' ? 10 : 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/**
 * Returns how deeply elements are nested. May also count text that only looks like a tag, such as in an SVG comment.
 */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [tag] of text.matchAll(/<\/?[a-z][^<>]*>/gi)) {
    if (tag.startsWith('</')) depth -= 1;
    else if (!tag.endsWith('/>')) deepest = Math.max(deepest, ++depth);
  }
  return deepest;
}
