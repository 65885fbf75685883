import { PorchlightError } from '../contract/error.ts';

/** A store for tokens and keys. Names and values are single lines, and a value is never empty. */
export interface Secrets {
  readonly kind: 'keychain' | 'file';
  get(name: string): Promise<string | null>;
  /**
   * Stores a secret. Resolves once it is stored durably.
   * @throws PorchlightError invalid_secret
   */
  set(name: string, value: string): Promise<void>;
  /** Deletes a secret. A missing secret is not an error. */
  delete(name: string): Promise<void>;
  /** Waits for running calls, but only for a limited time. A closed keychain refuses all later calls. */
  close(): Promise<void>;
}

/**
 * Checks that a name and a value are single lines. Keychains and their command-line tools truncate or damage values
 * with line breaks, so both the keychain and the secrets file refuse them.
 * @throws PorchlightError invalid_secret. The message never contains the value.
 */
export function checkSecret(name: string, value: string): void {
  const isLine = (text: string): boolean => text !== '' && !/[\n\r\0]/.test(text);
  if (isLine(name) && isLine(value)) return;
  throw new PorchlightError('invalid_secret', 'A secret must be one line of text and must not be empty.');
}
