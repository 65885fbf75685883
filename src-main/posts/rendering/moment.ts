import { html, type Html } from '../../http/html.ts';

const wallClock = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)?)?$/;
/** Made at its first use, because the first format of a program takes 6 ms. */
let dateWords: Intl.DateTimeFormat | undefined;

/**
 * Returns a time as readable text: `21 November 2026, 14:05`. A time with an offset is converted to `zone` (an IANA
 * name). Without an offset or a `zone`, the time is shown as its author wrote it. Returns undefined for text that isn't
 * a date.
 */
export function momentWords(moment: string, zone?: string): string | undefined {
  const [, date, time, seconds = '', offset] = wallClock.exec(moment.trim()) ?? [];
  if (date === undefined || Number.isNaN(Date.parse(date))) return undefined;
  if (time !== undefined && offset !== undefined && zone !== undefined) {
    const at = Date.parse(`${date}T${time}${seconds}${offset}`);
    if (!Number.isNaN(at)) return zonedWords(at, zone);
  }
  dateWords ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  const words = dateWords.format(new Date(date));
  if (time === undefined) return words;
  return offset === 'Z' ? `${words}, ${time} UTC` : `${words}, ${time}`;
}

/**
 * Returns a time as its writer saw it. Only a time in UTC (`Z`) doesn't say what the writer's clock showed, so it is
 * converted to `zone`, the owner's time zone.
 */
const writtenWords = (moment: string, zone: string | undefined) =>
  momentWords(moment, moment.trim().endsWith('Z') ? zone : undefined);

/**
 * Returns a time element with `className`, which may be empty. It shows the time as its writer saw it (see
 * writtenWords). Text that isn't a date is shown unchanged.
 */
export function momentMarkup(className: string, moment: string, zone?: string): Html {
  const name = className !== '' && html` class="${className}"`;
  return html`<time${name} datetime="${moment}">${writtenWords(moment, zone) ?? moment}</time>`;
}

/**
 * Returns a time element that shows only the day, as the time's writer saw it; on hover, the time in `zone`, the owner's
 * time zone. Arguments are those of momentMarkup.
 */
export function dateMarkup(className: string, moment: string, zone?: string): Html {
  const written = writtenWords(moment, zone);
  const [date, time] = written?.split(', ') ?? [];
  if (time === undefined) return momentMarkup(className, moment, zone);
  const words = momentWords(moment, zone);
  // The day on hover may be another one, so the zone says why. UTC has its name already.
  const note = words === written || zone === undefined || zone === 'UTC' ? '' : ` (${zone})`;
  const name = className !== '' && html` class="${className}"`;
  return html`<time${name} datetime="${moment}" title="${words}${note}">${date}</time>`;
}

interface Formats {
  readonly zone: string;
  readonly date: Intl.DateTimeFormat;
  readonly time: Intl.DateTimeFormat;
}

/** The date formats for the last time zone. They are cached because creating them takes longer than using them. */
let newest: Formats | undefined;

function zonedWords(at: number, zone: string): string {
  if (newest?.zone !== zone) {
    const make = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
    newest = { zone, date: make({ dateStyle: 'long' }), time: make({ timeStyle: 'short' }) };
  }
  const words = `${newest.date.format(at)}, ${newest.time.format(at)}`;
  return zone === 'UTC' ? `${words} UTC` : words;
}
