import type { RichText } from './rich-text.ts';

/** HTML has six levels of headings. */
const lowest = 6;

/**
 * Returns content whose headings are in order: the first has the level `top`, and none is more than one level below the
 * heading before it. Screen readers use the levels as a table of contents. `content`: sanitized, so a tag is all that
 * begins with `<h2`.
 */
export function orderedHeadings(content: RichText, top: number): RichText {
  /** The levels that the content uses for the current heading and for those above it. */
  let above: number[] = [];
  const open: number[] = [];
  const level = (own: number) => {
    above = [...above.filter((one) => one < own), own];
    return Math.min(lowest, top + above.length - 1);
  };
  const tag = (_tag: string, slash: string, own: string) => {
    if (slash !== '') return `</h${open.pop() ?? top}`;
    const made = level(Number(own));
    open.push(made);
    return `<h${made}`;
  };
  return content.map((part) =>
    typeof part === 'string' ? part.replace(/<(\/?)h([1-6])(?=[\s>])/g, tag) : part,
  );
}
