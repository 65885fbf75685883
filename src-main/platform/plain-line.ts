/** Characters that move the cursor, start an escape sequence, or change the direction of text. */
const controls = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * Returns text as one line that is safe to print on a terminal. Strangers choose the names of apps and authors, and an
 * escape sequence in a name could falsify the text that the owner reads.
 */
export function plainLine(text: string): string {
  return text.replace(controls, ' ');
}
