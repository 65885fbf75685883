/**
 * HTML that is safe to insert into a page unchanged. It comes from the `html` tag, or from constants of this program.
 */
export interface Html {
  readonly markup: string;
}

type Part = Html | readonly Part[] | string | number | null | undefined | false;

/**
 * Builds HTML from a tagged template literal. Escapes every inserted value except values of type Html. Null, undefined
 * and false insert nothing.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  // `join` makes one flat string. With concatenation, V8 would keep every piece as a separate object, which takes many
  // times the memory.
  const pieces: string[] = [];
  for (const [index, piece] of strings.entries()) pieces.push(piece, markupOf(parts[index]));
  return { markup: pieces.join('') };
}

function markupOf(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part));
  return isList(part) ? part.map(markupOf).join('') : part.markup;
}

function isList(part: Html | readonly Part[]): part is readonly Part[] {
  return Array.isArray(part);
}

/** Removes the characters that XML 1.0 (2.2) cannot represent. */
export function xmlText(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
