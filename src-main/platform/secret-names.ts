/** The names under which Porchlight stores its secrets. Backups can include those in `secretNames`. */

/** The key that signs access tokens: a JWK on one line. */
export const signingKeyName = 'signing-key';
export const managementTokenName = 'management-token';
/** The token of the webmention aggregator. */
export const aggregatorTokenName = 'aggregator-token';
export const tunnelTokenName = 'tunnel-token';
/** Cloudflare's API token. It is stored during a setup, and afterwards only if the owner chose to keep it. */
export const cloudflareTokenName = 'cloudflare-token';
/** The keys of the mailbox: JSON on one line. */
export const mailboxKeysName = 'mailbox-keys';

export const secretNames: readonly string[] = [
  signingKeyName,
  managementTokenName,
  aggregatorTokenName,
  tunnelTokenName,
  mailboxKeysName,
];
