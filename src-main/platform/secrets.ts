/** Where tokens and keys are kept: the keychain of the operating system, or a file where that cannot be used. */
export { openKeychain } from './keychain.ts';
export { openSecretsFile } from './secrets-file.ts';
export type { Secrets } from './secret.ts';
