/**
 * The headers of every public answer; a page replaces the policy by its own. Constants set in one go: a library that
 * puts them together for each request took a third of the throughput (docs/architecture.md).
 * No Cross-Origin-Opener-Policy: a sign-in window that an app opens must keep its opener. No
 * Cross-Origin-Resource-Policy: files are meant to be shown elsewhere.
 */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000', // browsers heed it over https only (RFC 6797, 8.1)
  'x-permitted-cross-domain-policies': 'none',
};
