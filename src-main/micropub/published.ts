import type { Properties } from '../contract/posts.ts';

/** When a post was published, and where that files it. */
export interface Published {
  /** The moment, in ms. */
  readonly at: number;
  /** `2026/11`: the month as the author's clock showed it. */
  readonly month: string;
  /** `093000`, by the same clock. */
  readonly time: string;
}

const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;
const day = 86_400_000;

/** When a post was published; `fallback` (ms) where it does not say in a date of ISO 8601. Without an offset: UTC. */
export function publishedOf(properties: Properties, fallback: number): Published {
  return dateIn(properties.published?.[0]) ?? fallenBack(fallback);
}

/** True where the post says in a date of ISO 8601 when it was published. */
export const hasDate = ({ published }: Properties) => dateIn(published?.[0]) !== undefined;

function dateIn(value: unknown): Published | undefined {
  const found = typeof value === 'string' ? dateTime.exec(value.trim()) : null;
  if (found === null) return undefined;
  const [, year = '', month = '', date = '', hour = '00', minute = '00', second = '00'] = found;
  const offset = (found[8] ?? 'Z').toUpperCase().replace(/^([+-]\d{2}):?(\d{2})$/, '$1:$2');
  const at = Date.parse(`${year}-${month}-${date}T${hour}:${minute}:${second}${found[7] ?? ''}${offset}`);
  return Number.isNaN(at) ? undefined : { at, month: `${year}/${month}`, time: hour + minute + second };
}

function fallenBack(at: number): Published {
  const iso = new Date(at).toISOString();
  return { at, month: iso.slice(0, 7).replace('-', '/'), time: iso.slice(11, 19).replaceAll(':', '') };
}

/** The earliest moment that a clock somewhere may show as `month`, in ms. */
export const earliestIn = (month: string) => startOf(month) - day;

/** The latest moment that a clock somewhere may show as `month`, in ms. */
export function latestIn(month: string): number {
  // The 32nd day after a first is always in the next month.
  const next = new Date(startOf(month) + 31 * day);
  return startOf(next.toISOString().slice(0, 7)) + day - 1;
}

const startOf = (month: string) => Date.parse(`${month.replace('/', '-')}-01T00:00:00Z`);
