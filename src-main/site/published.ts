import type { Post } from '../contract/posts.ts';
import { asText, valuesOf } from './values.ts';

const dateTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?\s?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** When the post says that it was published, else when it was made. */
export function publishedOf(post: Post): string {
  return saidOf(post)?.text ?? post.createdAt;
}

/** The same moment, in ms. A time without an offset is UTC, as where posts are filed. */
export function publishedAt(post: Post): number {
  return saidOf(post)?.at ?? Date.parse(post.createdAt);
}

function saidOf({ properties }: Post): { text: string; at: number } | undefined {
  const text = asText(valuesOf(properties, 'published')[0])?.trim();
  const [, date, time = '00:00', seconds = ':00', zone = 'Z'] = dateTime.exec(text ?? '') ?? [];
  if (text === undefined || date === undefined) return undefined;
  const offset = zone.toUpperCase().replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2');
  const at = Date.parse(`${date}T${time}${seconds}${offset}`);
  return Number.isNaN(at) ? undefined : { text, at };
}
