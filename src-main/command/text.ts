import { plainLine } from '../platform/plain-line.ts';

/** Returns text as one line for a terminal, shortened to at most `length` characters. */
export function shortLine(text: string, length: number): string {
  const characters = Array.from(plainLine(text).replace(/\s+/g, ' ').trim());
  return characters.length <= length ? characters.join('') : `${characters.slice(0, length - 1).join('')}…`;
}

/** Returns rows as aligned columns, without trailing spaces. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, widthOf(cell))));
  const line = (row: readonly string[]) =>
    row.map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - widthOf(cell))).join('  ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}

/** Returns how many terminal columns a text uses: wide East Asian characters and emoji use two. */
function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

const graphemes = new Intl.Segmenter();
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]|\p{Emoji_Presentation}|\ufe0f/u;

/** Returns a number with its noun: `1 file`, `2,000 files`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`;
}

/** Returns a size in bytes as text: `512 bytes`, `1.2 MB`. */
export function sizeInWords(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte');
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  const size = bytes / 1000 ** power;
  return `${size.toFixed(size < 10 ? 1 : 0)} ${units[power - 1] ?? ''}`;
}

/** Returns a point in time in this computer's time zone: `2026-11-22 14:03`. */
export function localTime(moment: string): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return shortLine(moment, 16);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Returns the time left until `moment` as text, in minutes or seconds. `now`: the current time in ms. */
export function remainingTime(moment: string, now: number): string {
  const seconds = Math.max(0, Math.round((Date.parse(moment) - now) / 1000));
  return seconds >= 90 ? `${Math.round(seconds / 60)} min` : `${seconds} s`;
}

/** Returns a value as one line of JSON. Also escapes control characters that JSON.stringify does not escape. */
export function jsonLine(value: unknown): string {
  const escaped = JSON.stringify(value).replace(
    /[\u007f-\u009f]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${escaped}\n`;
}
