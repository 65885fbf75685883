/** Where tokens and keys are kept: the keychain of the operating system, or a file where that cannot be used. */
export { leave, openKeychain } from './keychain.ts';
export { hasSecretsFile, openSecretsFile, secretsFileIn } from './secrets-file.ts';
export type { Secrets } from './secret.ts';
