import { PorchlightError } from '../contract/error.ts';

/** Where tokens and keys are kept. Names and values are single lines; a value is never empty. */
export interface Secrets {
  readonly kind: 'keychain' | 'file';
  get(name: string): Promise<string | null>;
  /** Resolves once the value is kept for good. @throws PorchlightError invalid_secret */
  set(name: string, value: string): Promise<void>;
  /** Forgets a secret; one that is not there is no error. */
  delete(name: string): Promise<void>;
  /** Waits for the calls that are running, but not without end. A keychain refuses every later call. */
  close(): Promise<void>;
}

/**
 * Keychains and their command-line tools cut or garble values with line breaks, so these are refused everywhere.
 * @throws PorchlightError invalid_secret. The message never holds the value.
 */
export function checkSecret(name: string, value: string): void {
  const isLine = (text: string): boolean => text !== '' && !/[\n\r\0]/.test(text);
  if (isLine(name) && isLine(value)) return;
  throw new PorchlightError('invalid_secret', 'A secret must be one line of text and must not be empty.');
}
