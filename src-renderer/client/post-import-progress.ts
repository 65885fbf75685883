import type { QueryClient } from '@tanstack/react-query';
import type { Result } from '../../src-main/contract/contract.ts';
import type { PostImportProgress } from '../../src-main/contract/post-import.ts';

/** Returns whether an import or an undo has ended. */
export const isPostImportOver = ({ state }: PostImportProgress) =>
  state === 'done' || state === 'cancelled' || state === 'failed';

/** Shows the progress of an import of posts. When it ends, asks for the list of imports again. */
export function showPostImport(cache: QueryClient, progress: PostImportProgress): void {
  cache.setQueryData<Result<'posts.imports'>>(
    ['posts.imports', {}],
    (known) => known && { ...known, progress },
  );
  if (isPostImportOver(progress)) void cache.invalidateQueries({ queryKey: ['posts.imports'] });
}
