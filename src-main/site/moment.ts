import { html, type Html } from '../http/html.ts';

const wallClock = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)?)?$/;
const dateWords = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** A moment as its writer's clock showed it, in words: `21 November 2026, 14:05`. Undefined for what is no date. */
export function momentWords(moment: string): string | undefined {
  const [, date, time, zone] = wallClock.exec(moment.trim()) ?? [];
  if (date === undefined || Number.isNaN(Date.parse(date))) return undefined;
  const words = dateWords.format(new Date(date));
  if (time === undefined) return words;
  return zone === 'Z' ? `${words}, ${time} UTC` : `${words}, ${time}`;
}

/** A time element of `className`; what is no date stays the text that was posted. */
export function momentMarkup(className: string, moment: string): Html {
  return html`<time class="${className}" datetime="${moment}">${momentWords(moment) ?? moment}</time>`;
}
