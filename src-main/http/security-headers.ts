import type { FastifyReply } from 'fastify';

/**
 * The headers of every public response; a page replaces the content security policy with its own. The headers are
 * constants that are set all at once: a library that built them for each request cost a third of the throughput
 * (docs/architecture.md). There is no Cross-Origin-Opener-Policy, because a sign-in window that an app opens must keep
 * its opener, and no Cross-Origin-Resource-Policy, because files are meant to be embedded on other sites.
 */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000', // browsers obey it over https only (RFC 6797, 8.1)
  'x-permitted-cross-domain-policies': 'none',
};

/** Forbids browsers and proxies to keep a response that contains tokens or private data. */
export function noStore(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
}
