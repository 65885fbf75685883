import { isDiskCode, PorchlightError } from '../contract/error.ts';

/** SQLite's code for a damaged database. */
const corrupt = 11;

/** Returns an error that says the same as SQLite's for a damaged database. */
export const damagedError = (message: string): Error =>
  Object.assign(new Error(message), { errcode: corrupt });

/** Returns the system's code of a file error (such as `ENOENT`); undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Returns the error for a `path` that could not be written: `storage_full` (507) for a full disk or quota,
 * `storage_busy` (503) for too many open files, otherwise `storage_unwritable` (500). A cause that is already a
 * PorchlightError, such as `storage_gone`, is returned unchanged.
 */
export function writeFailure(path: string, cause: unknown): PorchlightError {
  if (cause instanceof PorchlightError) return cause;
  const code = errorCode(cause);
  if (isOutOfFiles(code)) return busy(path, 'saved', cause);
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(cause);
  return new PorchlightError(
    'storage_unwritable',
    `"${path}" could not be saved (${code ?? String(cause)}). Check that the disk and its folder may be written.`,
    500,
    { cause },
  );
}

/**
 * Returns the error for a write that failed because the disk or the quota is full: `storage_full` (507). It names no file,
 * because no other file could have been written either.
 */
export const diskFull = (cause?: unknown): PorchlightError =>
  new PorchlightError('storage_full', 'The disk is full: Free some space, then try again.', 507, { cause });

/** Returns whether an error means that the disk or the quota is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof PorchlightError && error.code === 'storage_full';

/** Converts a system error with `writeFailure`, and returns any other error unchanged. */
export const systemWriteFailure = (path: string, cause: unknown): unknown =>
  errorCode(cause) === undefined ? cause : writeFailure(path, cause);

/**
 * Returns the error for a `path` that exists but could not be read: `storage_busy` (503) for too many open files,
 * otherwise `storage_unreadable` (500). Neither error means that the file is broken. A cause that is already a
 * PorchlightError is returned unchanged.
 */
export function readFailure(path: string, cause: unknown): PorchlightError {
  if (cause instanceof PorchlightError) return cause;
  const code = errorCode(cause) ?? String(cause);
  if (isOutOfFiles(code)) return busy(path, 'read', cause);
  return new PorchlightError('storage_unreadable', `"${path}" could not be read (${code}).`, 500, { cause });
}

/** Returns whether an error means that nothing can be written now. Repeating the call may help later. */
export function isDiskFailure(error: unknown): error is PorchlightError {
  return error instanceof PorchlightError && (isDiskCode(error.code) || error.code === 'storage_busy');
}

/**
 * Returns whether this process (EMFILE) or the whole system (ENFILE) has too many files open. This state is temporary,
 * and the disk is fine.
 */
const isOutOfFiles = (code: string | undefined) => code === 'EMFILE' || code === 'ENFILE';

function busy(path: string, what: 'saved' | 'read', cause: unknown): PorchlightError {
  const words = `Too many files are open on this computer, so "${path}" was not ${what}. Try again in a moment.`;
  return new PorchlightError('storage_busy', words, 503, { cause });
}
