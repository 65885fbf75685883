/** Storage for tokens and keys: the operating system's keychain, or a file if the keychain cannot be used. */
export { leave, openKeychain } from './keychain.ts';
export { hasSecretsFile, openSecretsFile, secretsFileIn } from './secrets-file.ts';
export type { Secrets } from './secret.ts';
