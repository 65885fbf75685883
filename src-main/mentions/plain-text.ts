// All but tab and line feed: they show nothing, and break what reads the text later.
const controls = new RegExp('[\\u0000-\\u0008\\u000b-\\u001f\\u007f]', 'g');

/** A stranger's text: trimmed, without control characters, of at most `length` UTF-16 units. */
export function cleanText(text: string, length: number): string {
  const whole = text
    .slice(0, length * 4)
    .replace(/\r\n?/g, '\n')
    .replace(controls, '')
    .trim();
  return cut(whole.replace(/\n{3,}/g, '\n\n'), length);
}

/** The same on one line. */
export function cleanLine(text: string, length: number): string {
  return cut(oneLine(text.slice(0, length * 4).replace(controls, ' ')), length);
}

/** Trimmed, with single spaces (post type discovery, step 11). */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  // Not through the middle of a character.
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
