import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { SelfTest } from '../../../src-main/contract/reach.ts';
import { useClient } from '../../client/queries.ts';

/** In milliseconds: often enough for somebody who has just saved a file, without burdening their web host. */
const everyMs = 10_000;

/** Checks the owner's website repeatedly while the window is visible. */
export function useSiteCheck(enabled: boolean): UseQueryResult<SelfTest> {
  const client = useClient();
  return useQuery({
    queryKey: ['setup.check', { only: 'site' }],
    queryFn: () => client.call('setup.check', { only: 'site' }),
    enabled,
    refetchInterval: everyMs,
    refetchIntervalInBackground: false,
    staleTime: 0,
    gcTime: 0,
  });
}
