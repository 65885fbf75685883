/** The names under which Porchlight stores its secrets, all of which a backup can include. */

/** The key that signs access tokens: a JWK on one line. */
export const signingKeyName = 'signing-key';
export const managementTokenName = 'management-token';
/** The token of the webmention aggregator. */
export const aggregatorTokenName = 'aggregator-token';
export const tunnelTokenName = 'tunnel-token';

export const secretNames: readonly string[] = [
  signingKeyName,
  managementTokenName,
  aggregatorTokenName,
  tunnelTokenName,
];
