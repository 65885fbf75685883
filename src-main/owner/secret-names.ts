/** The names under which this house keeps its secrets: what is made or asked for, and what a backup takes along. */

/** The key that access tokens are signed with, a JWK on one line. */
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
