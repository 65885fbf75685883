import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Result } from '../../src-main/contract/contract.ts';
import { heldCount, heldQuestion } from '../../src-main/contract/held-mentions.ts';
import { heldKey } from './mention-lists.ts';
import { useClient } from './queries.ts';

function useHeldAnswer(): UseQueryResult<Result<'webmentions.list'>> {
  const client = useClient();
  return useQuery({ queryKey: heldKey, queryFn: () => client.call('webmentions.list', heldQuestion) });
}

/** Returns the newest mentions by others that wait for the owner. `more`: how many there are beyond `shown`, as text. */
export function useHeldMentions() {
  const { items = [], nextCursor } = useHeldAnswer().data ?? {};
  const others = items.filter(({ own }) => own !== true);
  const more = (shown: number) => `${others.length - shown}${nextCursor === undefined ? '' : '+'}`;
  return { items: others, more };
}

/** Returns how many mentions wait for the owner, as text: `3`, `99+`; empty if none waits or the number is unknown. */
export function useHeld(): string {
  const { data } = useHeldAnswer();
  return data ? heldCount(data) : '';
}
