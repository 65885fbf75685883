import { useList, type ListAnswer } from '../../client/queries.ts';
import type { MentionFilter } from './filters.tsx';

const pageSize = 100;

/**
 * Loads mentions, newest first. Those that wait for the owner come before all others, unless the filter names a status:
 * all of them are loaded before the first page of the others counts as read.
 */
export function useMentions(filter: MentionFilter): ListAnswer<'webmentions.list'> {
  const all = { ...filter, limit: pageSize };
  const isOne = filter.status !== undefined;
  // Where the filter names a status, both are the same list.
  const waiting = useList('webmentions.list', isOne ? all : { ...all, status: 'held' });
  const others = useList('webmentions.list', isOne ? all : { ...all, without: 'held' });
  if (isOne) return others;
  const isOld = { isPlaceholderData: waiting.isPlaceholderData || others.isPlaceholderData };
  if (waiting.data === undefined || waiting.hasNextPage || waiting.isFetchNextPageError)
    return { ...waiting, ...isOld } as ListAnswer<'webmentions.list'>;
  return {
    ...others,
    ...isOld,
    items: [...waiting.items, ...others.items],
  } as ListAnswer<'webmentions.list'>;
}
