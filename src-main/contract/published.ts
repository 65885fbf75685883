import type { Post, Properties } from './posts.ts';

/** When a post was published, and where that files it. */
export interface Published {
  /** The moment, in ms. */
  readonly at: number;
  /** `2026/11`: the month as the author's clock showed it. */
  readonly month: string;
  /** `093000`, by the same clock. */
  readonly time: string;
  /** As the post says it, else in ISO 8601. */
  readonly text: string;
}

const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** When a post was published; `fallback` (ms) where it does not say in a date of ISO 8601. Without an offset: UTC. */
export function publishedOf(properties: Properties, fallback: number): Published {
  return dateIn(properties.published?.[0]) ?? fallenBack(fallback);
}

/** The moment (ms) from which on a post that is kept counts as published: what lists, pages and queries all go by. */
export function publishedAt({ properties, createdAt }: Pick<Post, 'properties' | 'createdAt'>): number {
  return publishedOf(properties, Date.parse(createdAt)).at;
}

/** True where the post says in a date of ISO 8601 when it was published. */
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
