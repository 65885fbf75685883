// Cc: control characters, Cf: invisible ones (bidi overrides, zero width), Zl and Zp: line breaks that are not \n,
// Co, Cn, Cs: private, unassigned and half characters. U+115F and the rest: letters that look like nothing.
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u115F\u1160\u3164\uFFA0\u2800]/gu;

/**
 * Text of strangers (an app's name, say) made fit for a native dialog: one line, nothing invisible, nothing that
 * turns the reading direction of what follows, at most `length` characters as a person counts them.
 */
export function cleanText(text: string, length = 60): string {
  const line = text
    .replaceAll('\uFEFF', '')
    .replace(/\s+/gu, ' ')
    .replace(unseen, '')
    .replace(/ {2,}/g, ' ')
    .trim();
  const letters = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(line)].map(
    ({ segment }) =>
      // A letter can carry hundreds of marks that spill over the lines around it.
      Array.from(segment).slice(0, 12).join(''),
  );
  return letters.length <= length ? letters.join('') : `${letters.slice(0, length - 1).join('')}…`;
}
