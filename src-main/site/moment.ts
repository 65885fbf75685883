import { html, type Html } from '../http/html.ts';

const wallClock = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)?)?$/;
const dateWords = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/**
 * Returns a time in words, as its author's clock showed it: `21 November 2026, 14:05`. Undefined for text that is not a
 * date.
 */
export function momentWords(moment: string): string | undefined {
  const [, date, time, zone] = wallClock.exec(moment.trim()) ?? [];
  if (date === undefined || Number.isNaN(Date.parse(date))) return undefined;
  const words = dateWords.format(new Date(date));
  if (time === undefined) return words;
  return zone === 'Z' ? `${words}, ${time} UTC` : `${words}, ${time}`;
}

/** Returns a time element with `className`. Text that is not a date stays as it was posted. */
export function momentMarkup(className: string, moment: string): Html {
  return html`<time class="${className}" datetime="${moment}">${momentWords(moment) ?? moment}</time>`;
}
