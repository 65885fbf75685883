// The characters to remove. Cc: control characters, Cf: invisible characters (bidi overrides, zero width), Zl and Zp:
// line breaks other than \n, Co, Cn, Cs: private, unassigned and surrogate characters. U+115F and the last four:
// letters that look blank.
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u115F\u1160\u3164\uFFA0\u2800]/gu;

/**
 * Returns text from a stranger, such as an app's name, in a form that is safe for a native dialog. The result is one
 * line, without invisible characters and without characters that reverse the reading direction. It has at most `length`
 * characters, as a person counts them.
 */
export function dialogText(text: string, length = 60): string {
  const line = text
    .replaceAll('\uFEFF', '')
    .replace(/\s+/gu, ' ')
    .replace(unseen, '')
    .replace(/ {2,}/g, ' ')
    .trim();
  const letters = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(line)].map(
    ({ segment }) =>
      // A letter can have hundreds of combining marks, which would overlap the lines above and below.
      Array.from(segment).slice(0, 12).join(''),
  );
  return letters.length <= length ? letters.join('') : `${letters.slice(0, length - 1).join('')}…`;
}
