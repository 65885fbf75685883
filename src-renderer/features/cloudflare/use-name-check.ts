import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Params, Result } from '../../../src-main/contract/contract.ts';
import { useClient } from '../../client/queries.ts';

/** How long the owner has to pause before a name is checked, in ms. */
const pauseMs = 400;

export interface NameCheck {
  /** Null until the name that is typed now has been checked. */
  readonly answer: Result<'cloudflare.checkName'> | null;
  readonly error: Error | null;
}

/** Checks whether a name is available once the owner pauses. `requested`: null while the name isn't valid. */
export function useNameCheck(requested: Params<'cloudflare.checkName'> | null): NameCheck {
  const client = useClient();
  const [settled] = useDebouncedValue(requested, pauseMs);
  const isSettled =
    requested !== null && settled?.hostname === requested.hostname && settled.zoneId === requested.zoneId;
  const params = settled ?? { zoneId: '', hostname: '' };
  const { data, error } = useQuery({
    queryKey: ['cloudflare.checkName', params],
    queryFn: () => client.call('cloudflare.checkName', params),
    enabled: isSettled,
    gcTime: 0,
    staleTime: 0,
  });
  return isSettled ? { answer: data ?? null, error } : { answer: null, error: null };
}
