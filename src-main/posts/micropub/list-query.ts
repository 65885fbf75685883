import type { Fields } from '../../http/form.ts';
import { windowOf } from '../../http/list-window.ts';

/**
 * Applies a query's filter, offset and limit to a list.
 * @throws invalid_request
 */
export function narrowed<T>(items: readonly T[], query: Fields): T[] {
  const { limit = Infinity, offset = 0, filter } = windowOf(query);
  const wanted = filter?.toLowerCase();
  const found = items.filter((item) => wanted === undefined || wordsOf(item).includes(wanted));
  return found.slice(offset, offset + limit);
}

/** Returns the text that a filter searches: the item itself, or all strings in an object. */
function wordsOf(item: unknown): string {
  const texts = typeof item === 'object' && item !== null ? Object.values(item) : [item];
  return texts
    .filter((text) => typeof text === 'string')
    .join('\n')
    .toLowerCase();
}
