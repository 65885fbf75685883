import { PorchlightError } from '../contract/error.ts';

/** Returns the system's name of a file error (`ENOENT`), or undefined for another error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Returns the error for a `path` that could not be written: `storage_full` (507) on a full disk or quota,
 * `storage_busy` (503) with too many open files, else `storage_unwritable` (500). A cause with words of its own, such as
 * `storage_gone`, is returned as it is.
 */
export function writeFailure(path: string, cause: unknown): PorchlightError {
  if (cause instanceof PorchlightError) return cause;
  const code = errorCode(cause);
  if (isOutOfFiles(code)) return busy(path, 'saved', cause);
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

/**
 * Returns the error for a `path` that exists but could not be read: `storage_busy` (503) with too many open files, else
 * `storage_unreadable` (500). Neither proves that the file is broken. A cause with words of its own is returned as it is.
 */
export function readFailure(path: string, cause: unknown): PorchlightError {
  if (cause instanceof PorchlightError) return cause;
  const code = errorCode(cause) ?? String(cause);
  if (isOutOfFiles(code)) return busy(path, 'read', cause);
  return new PorchlightError('storage_unreadable', `"${path}" could not be read (${code}).`, 500, { cause });
}

/** This process (EMFILE) or the whole system (ENFILE) has too many files open: it passes, and the disk is fine. */
const isOutOfFiles = (code: string | undefined) => code === 'EMFILE' || code === 'ENFILE';

function busy(path: string, what: 'saved' | 'read', cause: unknown): PorchlightError {
  const words = `Too many files are open on this computer, so "${path}" was not ${what}. Try again in a moment.`;
  return new PorchlightError('storage_busy', words, 503, { cause });
}
