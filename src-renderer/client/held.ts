import { useQuery } from '@tanstack/react-query';
import { heldCount, heldQuestion } from '../../src-main/contract/held-mentions.ts';
import { heldKey } from './mention-lists.ts';
import { useClient } from './queries.ts';

/** Returns how many mentions wait for the owner, as text: `3`, `99+`; empty if none waits or the number is unknown. */
export function useHeld(): string {
  const client = useClient();
  const { data } = useQuery({
    queryKey: heldKey,
    queryFn: () => client.call('webmentions.list', heldQuestion),
  });
  return data ? heldCount(data) : '';
}
