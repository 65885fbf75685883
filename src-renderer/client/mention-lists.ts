import type { QueryClient } from '@tanstack/react-query';
import type { EventData, Params, Result } from '../../src-main/contract/contract.ts';
import type { MentionRecord } from '../../src-main/contract/webmentions.ts';
import { dropFromLists, listsOf, putInOrder, replaceInLists, paramsOf } from './lists.ts';

/** The query for the number of mentions that wait. */
export const heldKey = ['webmentions.held'];
const countKeys = [heldKey, ['webmentions.pages'], ['webmentions.counts'], ['webmentions.topPages']];

/**
 * Shows a mention as it is now in the lists that are open: put in where it belongs, changed, or taken out. No call is
 * made for them, however many pages were read; one that is opened is asked for again, with its history.
 */
export function showMention(cache: QueryClient, mention: MentionRecord): void {
  void cache.invalidateQueries({ queryKey: ['webmentions.get', { id: mention.id }] });
  replaceInLists(cache, 'webmentions.list', mention);
  dropFromLists(cache, 'webmentions.list', mention.id, (params) => !passes(mention, params));
  for (const list of listsOf(cache, 'webmentions.list')) {
    const params = paramsOf<'webmentions.list'>(list);
    if (isOfPage(mention, params) && passes(mention, params))
      putInOrder(cache, list, mention, ({ received }) => received);
  }
}

/**
 * Returns whether a mention is of the page in a filter. The service also lists mentions of the other URLs of the same
 * post. They stay in the list, because a mention's target never changes, and new ones appear when the list is read again.
 */
function isOfPage({ target }: MentionRecord, params: Params<'webmentions.list'>): boolean {
  return params.target === undefined || pageOf(target) === pageOf(params.target);
}

/** Returns whether a mention passes everything in a filter but the page. */
function passes(mention: MentionRecord, params: Params<'webmentions.list'>): boolean {
  const { source, host, type, status, without, query = '' } = params;
  if (source !== undefined && mention.source !== source) return false;
  if (host !== undefined && !(URL.canParse(mention.source) && new URL(mention.source).host === host))
    return false;
  if (type !== undefined && mention.type !== type) return false;
  if (status !== undefined && mention.status !== status) return false;
  if (without !== undefined && mention.status === without) return false;
  const texts = [mention.source, mention.author?.name, mention.name, mention.content?.value];
  return query === '' || texts.some((text) => text?.toLowerCase().includes(query.toLowerCase()));
}

/** Returns the address of a page without its fragment. */
function pageOf(target: string): string {
  return target.replace(/#.*$/s, '');
}

/** Shows the progress of an import. When it ends, counts the mentions again. */
export function showImport(cache: QueryClient, progress: EventData<'import.progress'>): void {
  cache.setQueryData<Result<'webmentions.importState'>>(
    ['webmentions.importState', {}],
    (before) => before && { ...before, progress },
  );
  if (progress.state !== 'running') renewCounts(cache);
}

/** Asks again for the numbers of mentions. */
export function renewCounts(cache: QueryClient): void {
  for (const queryKey of countKeys) void cache.invalidateQueries({ queryKey });
}

/** Milliseconds between two queries: an import reports thousands of mentions in a row, a post each page it links. */
const readPause = 500;
const awaited = new WeakMap<QueryClient, Set<string>>();

/** Calls `read` once for everything that happens within `readPause`. */
function soon(cache: QueryClient, name: string, read: () => void): void {
  const names = awaited.get(cache) ?? new Set();
  awaited.set(cache, names);
  if (names.has(name)) return;
  names.add(name);
  setTimeout(() => {
    names.delete(name);
    read();
  }, readPause);
}

/** Asks again soon for the numbers of mentions. */
export function renewCountsSoon(cache: QueryClient): void {
  soon(cache, '', () => renewCounts(cache));
}

/** Asks again soon for the webmentions that the post at `source` sent, and for those that failed. */
export function renewDeliveriesSoon(cache: QueryClient, source: string): void {
  soon(
    cache,
    source,
    () => void cache.invalidateQueries({ queryKey: ['webmentions.deliveries', { source }] }),
  );
  soon(cache, 'failures', () => void cache.invalidateQueries({ queryKey: ['webmentions.failedDeliveries'] }));
}
