import { oneLine } from '../posts/content-text.ts';

// Matches all control characters except tab and line feed. The matched characters are invisible, and can break programs
// that read the text later.
const controls = new RegExp('[\\u0000-\\u0008\\u000b-\\u001f\\u007f]', 'g');

/** Returns a stranger's text, trimmed, without control characters, and cut to `length` UTF-16 code units. */
export function cleanText(text: string, length: number): string {
  const whole = text
    .slice(0, length * 4)
    .replace(/\r\n?/g, '\n')
    .replace(controls, '')
    .trim();
  return cut(whole.replace(/\n{3,}/g, '\n\n'), length);
}

/** Returns a stranger's text on one line, cut to `length` UTF-16 code units. */
export function cleanLine(text: string, length: number): string {
  return cut(oneLine(text.slice(0, length * 4).replace(controls, ' ')), length);
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  // Does not cut a surrogate pair in half.
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
