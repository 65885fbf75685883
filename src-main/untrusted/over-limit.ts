import { PorchlightError } from '../contract/error.ts';

const reasons: Readonly<Record<string, string>> = {
  page_too_slow: 'takes too long to read.',
  page_too_large: 'takes too much memory to read.',
  page_unreadable: 'can’t be read.',
};

/**
 * Returns why a page or a document can't be read within the limits of its thread, as the rest of a sentence that begins
 * with its name. Returns undefined for any other error: another attempt may then succeed.
 */
export function overLimit(error: unknown): string | undefined {
  return error instanceof PorchlightError ? reasons[error.code] : undefined;
}
