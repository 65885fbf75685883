import { optionalField, type Fields } from '../http/form.ts';
import { invalid } from './safe-json.ts';

/** The part of a list that a query asks for: limit (MX-6), offset (MX-7) and filter (MX-9). @throws invalid_request */
export function windowOf(query: Fields): { limit?: number; offset?: number; filter?: string } {
  const limit = wholeNumber(query, 'limit', 1);
  const offset = wholeNumber(query, 'offset', 0);
  const filter = optionalField(query, 'filter') ?? optionalField(query, 'search'); // its older name
  return {
    ...(limit !== undefined && { limit }),
    ...(offset !== undefined && { offset }),
    ...(filter !== undefined && { filter }),
  };
}

/** Applies the window of a query to a list. @throws invalid_request */
export function narrowed<T>(items: readonly T[], query: Fields): T[] {
  const { limit = Infinity, offset = 0, filter } = windowOf(query);
  const wanted = filter?.toLowerCase();
  const found = items.filter((item) => wanted === undefined || wordsOf(item).includes(wanted));
  return found.slice(offset, offset + limit);
}

/** What a filter looks at: the text itself, or all texts of an object. */
function wordsOf(item: unknown): string {
  const texts = typeof item === 'object' && item !== null ? Object.values(item) : [item];
  return texts
    .filter((text) => typeof text === 'string')
    .join('\n')
    .toLowerCase();
}

function wholeNumber(query: Fields, name: string, least: number): number | undefined {
  const text = optionalField(query, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) < least)
    throw invalid(`${name} must be a whole number from ${least} on.`);
  return Number(text);
}
