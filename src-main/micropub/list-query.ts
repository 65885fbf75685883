import type { Fields } from '../http/form.ts';
import { windowOf } from '../http/list-window.ts';

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
