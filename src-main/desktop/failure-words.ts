import type { ErrorCode } from '../contract/error-code.ts';
import { PorchlightError } from '../contract/error.ts';

const titles: Partial<Record<ErrorCode, string>> = {
  folder_in_use: 'Another Porchlight is using this data folder',
  storage_newer: 'This data was written by a newer Porchlight',
  storage_unwritable: 'Porchlight cannot write to your data folder',
  storage_full: 'The disk that holds your data is full',
  keychain_unavailable: 'Porchlight cannot use this computer’s keychain',
};

/** Returns the text of a dialog about an error. `detail`: the error's own message, which says what the owner can do. */
export function failureWords(error: unknown): { message: string; detail: string } {
  const title = error instanceof PorchlightError ? titles[error.code] : undefined;
  return {
    message: title ?? 'Porchlight could not start',
    detail: error instanceof Error ? error.message : 'Something unexpected happened.',
  };
}
