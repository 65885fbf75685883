import type { QueryClient } from '@tanstack/react-query';
import type { Result } from '../../src-main/contract/contract.ts';
import type { DataProgress } from '../../src-main/contract/data.ts';

/** Shows the progress of work with the data. When it ends, asks again for what may have changed. */
export function showDataProgress(cache: QueryClient, progress: DataProgress): void {
  cache.setQueryData<Result<'data.folder'>>(['data.folder', {}], (known) => known && { ...known, progress });
  if (progress.state !== 'running') void cache.invalidateQueries({ queryKey: ['data.folder'] });
}
