import type { QueryClient } from '@tanstack/react-query';

/**
 * Loads a first answer again if something changed while it was on its way, because the service may have made it before
 * the change. By itself, the cache ignores an invalidation until there is an answer.
 */
export function renewFirstAnswers(cache: QueryClient): void {
  const outdated = new WeakSet<object>();
  cache.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    if (action.type === 'invalidate' && query.state.data === undefined) outdated.add(query);
    if (action.type === 'success' && outdated.delete(query) && action.manual !== true)
      queueMicrotask(() => void cache.invalidateQueries({ predicate: (each) => each === query }));
  });
}
