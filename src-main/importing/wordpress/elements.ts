import { offsetText } from '../../posts/date.ts';
import type { XmlElement } from '../archive-items.ts';
import { isoDate, isoTime, momentOf } from '../formats/reader.ts';

/** Returns the text of an element's child; an empty string if it has no such child. */
export const textIn = ({ children }: XmlElement, name: string): string =>
  children.find((child) => child.name === name)?.text ?? '';

/** Returns the time of a post or a comment, with the UTC offset that the blog had at that time. `name`: its element. */
export function wordpressDate(item: XmlElement, name: string, otherwise = ''): string | undefined {
  const local = momentIn(textIn(item, name));
  const utc = momentIn(textIn(item, `${name}_gmt`));
  if (utc === undefined) return isoTime(Date.parse(otherwise)) ?? isoDate(textIn(item, name));
  if (isoTime(utc) === undefined) return undefined;
  const minutes = local === undefined ? 0 : (local - utc) / 60_000;
  if (local === undefined || minutes === 0 || minutes % 15 !== 0 || Math.abs(minutes) > 14 * 60)
    return isoTime(utc);
  return `${new Date(local).toISOString().slice(0, 19)}${offsetText(minutes)}`;
}

/**
 * Parses a date such as `2020-05-01 09:30:00` as UTC. Returns undefined for `0000-00-00 00:00:00`, which WordPress
 * writes for a missing date.
 */
function momentIn(text: string): number | undefined {
  const moment = momentOf(text);
  return moment === undefined ? undefined : Date.parse(moment);
}
