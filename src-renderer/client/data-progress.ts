import type { QueryClient } from '@tanstack/react-query';
import type { Result } from '../../src-main/contract/contract.ts';
import type { DataProgress } from '../../src-main/contract/data.ts';

/** Shows how far work with the data is; at its end the rest may be different too. */
export function showDataProgress(cache: QueryClient, progress: DataProgress): void {
  cache.setQueryData<Result<'data.folder'>>(['data.folder', {}], (known) => known && { ...known, progress });
  if (progress.state !== 'running') void cache.invalidateQueries({ queryKey: ['data.folder'] });
}
