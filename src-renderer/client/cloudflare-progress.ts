import type { QueryClient } from '@tanstack/react-query';
import type { CloudflareProgress } from '../../src-main/contract/reach.ts';
import type { Result } from '../../src-main/contract/contract.ts';

/** Asks for the state of the setup when work begins or ends: it has no event of its own. */
export function hearOfCloudflare(cache: QueryClient, { done, total }: CloudflareProgress): void {
  const known = cache.getQueryData<Result<'cloudflare.status'>>(['cloudflare.status', {}]);
  if (known?.state !== 'working' || done === total)
    void cache.invalidateQueries({ queryKey: ['cloudflare.status'] });
}
