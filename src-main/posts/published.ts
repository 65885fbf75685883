import type { Post, Properties } from '../contract/posts.ts';

/** The date of a post's publication, and the month in which the post is filed. */
export interface Published {
  /** The moment of publication, in ms since 1970. */
  readonly at: number;
  /** The month in the author's time zone, such as `2026/11`. */
  readonly month: string;
  /** The time of day in the author's time zone, without colons, such as `093000`. */
  readonly time: string;
  /** The offset of the author's clock from UTC, in minutes; 0 if the date has none. */
  readonly offset: number;
  /** The publication date as the post states it. If that date is missing or invalid: the fallback date in ISO 8601. */
  readonly text: string;
}

// Reads dates as every version has, so that stored posts keep their date and address. New dates are read by date.ts.
const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Returns a post's date of publication: the post's own ISO 8601 date (UTC if the date has no offset), or `fallback`
 * (ms) if the post has no such date.
 */
export function publishedOf(properties: Properties, fallback: number): Published {
  return dateIn(properties.published?.[0]) ?? fallenBack(fallback);
}

/** Returns the time (ms) from which a stored post counts as published, for lists, pages and queries. */
export function publishedAt({ properties, createdAt }: Pick<Post, 'properties' | 'createdAt'>): number {
  return publishedOf(properties, Date.parse(createdAt)).at;
}

/** Returns whether a post has a publication date in ISO 8601. */
export const hasDate = ({ published }: Properties) => dateIn(published?.[0]) !== undefined;

function dateIn(value: unknown): Published | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  const found = dateTime.exec(text);
  if (found === null) return undefined;
  const [, year = '', month = '', date = '', hour = '00', minute = '00', second = '00'] = found;
  const [, sign = '+', hours = '00', minutes = '00'] = /^([+-])(\d{2}):?(\d{2})$/.exec(found[8] ?? '') ?? [];
  const at = Date.parse(
    `${year}-${month}-${date}T${hour}:${minute}:${second}${found[7] ?? ''}${sign}${hours}:${minutes}`,
  );
  if (Number.isNaN(at)) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return { at, month: `${year}/${month}`, time: hour + minute + second, offset, text };
}

function fallenBack(at: number): Published {
  const text = new Date(at).toISOString();
  return {
    at,
    month: text.slice(0, 7).replace('-', '/'),
    time: text.slice(11, 19).replaceAll(':', ''),
    offset: 0,
    text,
  };
}
