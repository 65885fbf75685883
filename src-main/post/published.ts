import type { Post, Properties } from '../contract/posts.ts';

/** The date of a post's publication, and the month in which the post is filed. */
export interface Published {
  /** The moment of publication, in ms since 1970. */
  readonly at: number;
  /** The month in the author's time zone, such as `2026/11`. */
  readonly month: string;
  /** The time of day in the author's time zone, without colons, such as `093000`. */
  readonly time: string;
  /** The publication date as the post states it. If that date is missing or invalid: the fallback date in ISO 8601. */
  readonly text: string;
}

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
  const offset = (found[8] ?? 'Z').toUpperCase().replace(/^([+-]\d{2}):?(\d{2})$/, '$1:$2');
  const at = Date.parse(`${year}-${month}-${date}T${hour}:${minute}:${second}${found[7] ?? ''}${offset}`);
  if (Number.isNaN(at)) return undefined;
  return { at, month: `${year}/${month}`, time: hour + minute + second, text };
}

function fallenBack(at: number): Published {
  const text = new Date(at).toISOString();
  return {
    at,
    month: text.slice(0, 7).replace('-', '/'),
    time: text.slice(11, 19).replaceAll(':', ''),
    text,
  };
}
