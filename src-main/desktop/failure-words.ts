import { PorchlightError } from '../contract/error.ts';

const titles = new Map([
  ['folder_in_use', 'Another Porchlight uses this data folder'],
  ['storage_newer', 'This data was written by a newer Porchlight'],
  ['storage_unwritable', 'The folder with your data cannot be written to'],
  ['storage_full', 'The disk with your data is full'],
  ['keychain_unavailable', 'The keychain of this computer cannot be used'],
]);

/** Why something failed, in words for a dialog. What to do is in the message of the error itself. */
export function failureWords(error: unknown): { message: string; detail: string } {
  const code = error instanceof PorchlightError ? error.code : '';
  return {
    message: titles.get(code) ?? 'Porchlight could not start',
    detail: error instanceof Error ? error.message : 'Something unexpected happened.',
  };
}
