import type { Post, Properties } from '../contract/posts.ts';

/** When a post was published, and the month that it is filed under. */
export interface Published {
  /** The moment of publication, in ms since 1970. */
  readonly at: number;
  /** The month by the author's clock, such as `2026/11`. */
  readonly month: string;
  /** The time by the author's clock, such as `093000`. */
  readonly time: string;
  /** The date as the post gives it; otherwise in ISO 8601. */
  readonly text: string;
}

const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Returns when a post was published: its own ISO 8601 date (UTC if it has no offset), or `fallback` (ms) if it has
 * none.
 */
export function publishedOf(properties: Properties, fallback: number): Published {
  return dateIn(properties.published?.[0]) ?? fallenBack(fallback);
}

/** Returns the moment (ms) from which a stored post counts as published. Lists, pages and queries all use it. */
export function publishedAt({ properties, createdAt }: Pick<Post, 'properties' | 'createdAt'>): number {
  return publishedOf(properties, Date.parse(createdAt)).at;
}

/** Returns whether the post gives its publication date in ISO 8601. */
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
