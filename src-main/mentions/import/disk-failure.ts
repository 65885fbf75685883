import type { ImportCounts } from '../../contract/mention-import.ts';
import type { ErrorCode } from '../../contract/error-code.ts';
import { PorchlightError } from '../../contract/error.ts';
import { errorCode, writeFailure } from '../../storage/storage-error.ts';

/**
 * Converts a disk error during an import to an error that tells the owner why the import could not be saved, what was
 * imported so far, and what to do. Returns any other error unchanged. `dir`: the folder with the webmentions.
 */
export function diskFailure(error: unknown, dir: string, { imported, updated }: ImportCounts): unknown {
  // Some writes fail with the system's own error instead of a PorchlightError.
  const isSystems = !(error instanceof PorchlightError) && errorCode(error) !== undefined;
  const failure = isSystems ? writeFailure(dir, error) : error;
  if (!(failure instanceof PorchlightError)) return error;
  const why = reasons[failure.code];
  if (why === undefined) return error;
  const soFar = `Imported so far: ${imported.toLocaleString('en')} new, ${updated.toLocaleString('en')} changed.`;
  return new PorchlightError(failure.code, `${why[0]} ${soFar} ${why[1]}`, failure.status, { cause: error });
}

const reasons: Partial<Record<ErrorCode, readonly [why: string, advice: string]>> = {
  storage_full: [
    'The disk with your data is full.',
    'Free some space, then import again: Porchlight continues from there.',
  ],
  storage_unwritable: [
    'The folder with your data can’t be written to.',
    'Check the disk and the folder’s permissions, then import again: Porchlight continues from there.',
  ],
  storage_gone: [
    'The folder with your data is gone, or another folder is in its place.',
    'Connect its disk or put the folder back, then import again: Porchlight continues from there.',
  ],
  storage_busy: [
    'Too many files are open on this computer.',
    'Import again in a moment: Porchlight continues from there.',
  ],
};
