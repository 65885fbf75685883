import { PorchlightError } from '../../contract/error.ts';
import { sqliteFailure, type SqliteFailure } from '../sqlite.ts';
import { errorCode, writeFailure } from '../storage-error.ts';

/** The codes of the file system for what SQLite says about a disk. */
const systemCodes: Partial<Record<SqliteFailure, string>> = { full: 'ENOSPC', readonly: 'EROFS', io: 'EIO' };

/**
 * Converts an error of SQLite: `storage_damaged` (503) for a damaged database, and the errors of `writeFailure` for the
 * disk. Returns all other errors unchanged.
 */
export function recordsFailure(file: string, error: unknown): Error {
  const failure = sqliteFailure(error);
  if (failure === undefined) return isOfFiles(error) ? writeFailure(file, error) : asError(error);
  if (failure === 'damaged')
    return new PorchlightError('storage_damaged', damagedWords(file), 503, { cause: error });
  return writeFailure(
    file,
    Object.assign(new Error(String(error)), { code: systemCodes[failure] ?? 'EBUSY' }),
  );
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Returns whether the file system has thrown an error. */
const isOfFiles = (error: unknown): boolean => /^E[A-Z0-9]+$/.test(errorCode(error) ?? '');

const damagedWords = (file: string) =>
  `The database “${file}” is damaged. Porchlight is repairing it. Try again in a moment. If that doesn’t help, restart Porchlight.`;
