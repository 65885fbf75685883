import type { FastifyReply } from 'fastify';

/**
 * The headers of every public response. A page replaces the content security policy with its own. The headers are
 * constants that are set all at once: a library that built them for each request cost a third of the throughput
 * (docs/architecture.md). There is no Cross-Origin-Opener-Policy, because a sign-in window that an app opens must keep
 * its opener. There is no Cross-Origin-Resource-Policy, because files are meant to be embedded on other sites.
 */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000', // browsers obey it over https only (RFC 6797, 8.1)
  'x-permitted-cross-domain-policies': 'none',
};

/** Headers that tell browsers and proxies not to store a response with tokens or private data. */
export const noStoreHeaders = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** Adds `noStoreHeaders` to a response. */
export function noStore(reply: FastifyReply): void {
  reply.headers(noStoreHeaders);
}
