import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { arrivedKey } from '../../client/arrived.ts';
import { useAnswer } from '../../client/queries.ts';
import { inTab } from '../../client/tab-storage.ts';

const dismissedKey = 'porchlight-arrived-dismissed';

/**
 * Returns how many things arrived while the owner was away, and how to dismiss that. What was fetched before this window
 * opened counts too, unless the owner dismissed it.
 */
export function useArrived(): { readonly count: number; readonly dismiss: () => void } {
  const cache = useQueryClient();
  const { data: heard = 0 } = useQuery<number>({ queryKey: arrivedKey, queryFn: skipToken });
  const last = useAnswer('mailbox.status', {}).data?.lastDrain ?? null;
  const [dismissedAt, setDismissedAt] = useState(() =>
    Number(inTab((storage) => storage.getItem(dismissedKey)) ?? 0),
  );
  const before = last !== null && Date.parse(last.at) > dismissedAt ? last.arrived : 0;
  return {
    count: heard > 0 ? heard : before,
    dismiss: () => {
      const now = Date.now();
      cache.setQueryData(arrivedKey, 0);
      inTab((storage) => storage.setItem(dismissedKey, String(now)));
      setDismissedAt(now);
    },
  };
}
