/** Longer drawings of strangers are not drawn: logos that people make have a few KB. */
const longestDrawing = 64 * 1024;
const mostElements = 1000;
const deepestNesting = 32;
/** Copies of copies multiply, so that a few of them are a million elements. */
const mostCopies = 16;

/** What takes long to draw (filters, also as a property of a style), multiplies, or holds a picture within itself. */
const costly = /filter|<fe[a-z]|data:|<!ENTITY|<(\w+:)?(pattern|marker)\b|@import/i;

/**
 * Returns whether an SVG drawing of a stranger is plain enough to be drawn: at most 64 KB, 1,000 elements and 32 levels
 * deep, and nothing in it whose cost does not show in its length.
 */
export function isPlainDrawing(bytes: Uint8Array): boolean {
  if (bytes.length > longestDrawing) return false;
  const text = Buffer.from(bytes).toString('utf8');
  if (costly.test(withoutReferences(text)) || count(text, /<(\w+:)?use\b/gi) > mostCopies) return false;
  return count(text, /<[a-z]/gi) <= mostElements && depthOf(text) <= deepestNesting;
}

/** Spells out characters that are written as numbers, so that no word hides behind them. */
function withoutReferences(text: string): string {
  return text.replace(/&#(x?)([\da-f]{1,6});/gi, (_, hex: string, digits: string) => {
    const code = parseInt(digits, hex === '' ? 10 : 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Returns how deep elements are nested. What only looks like a tag, in a comment say, may count too. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [tag] of text.matchAll(/<\/?[a-z][^<>]*>/gi)) {
    if (tag.startsWith('</')) depth -= 1;
    else if (!tag.endsWith('/>')) deepest = Math.max(deepest, ++depth);
  }
  return deepest;
}
