import { PorchlightError } from '../contract/error.ts';

/** The system's name of a file error (`ENOENT`), or undefined where it is not one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Says that `path` could not be written: `storage_full` (507) on a full disk or quota, else `storage_unwritable` (500). */
export function writeFailure(path: string, cause: unknown): PorchlightError {
  const code = errorCode(cause);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new PorchlightError(
      'storage_full',
      `The disk is full: "${path}" was not saved. Free some space, then try again.`,
      507,
      { cause },
    );
  }
  return new PorchlightError(
    'storage_unwritable',
    `"${path}" could not be saved (${code ?? String(cause)}). Check that the disk and its folder may be written.`,
    500,
    { cause },
  );
}

/** Says that `path` is there but could not be read (500). It is no proof that the file is broken. */
export function readFailure(path: string, cause: unknown): PorchlightError {
  const code = errorCode(cause) ?? String(cause);
  return new PorchlightError('storage_unreadable', `"${path}" could not be read (${code}).`, 500, { cause });
}
