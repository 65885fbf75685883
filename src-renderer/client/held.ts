import { useQuery } from '@tanstack/react-query';
import { heldKey } from './mention-lists.ts';
import { useClient } from './queries.ts';

/** More than these are not counted: each would come with its whole text. */
const most = 99;

/** How many mentions wait for the owner, as it is shown: `3`, `99+`; empty where none does, or nobody knows. */
export function useHeld(): string {
  const client = useClient();
  const { data } = useQuery({
    queryKey: heldKey,
    queryFn: () => client.call('webmentions.list', { status: 'held', limit: most }),
  });
  if (!data || data.items.length === 0) return '';
  return data.nextCursor === undefined ? String(data.items.length) : `${most}+`;
}
