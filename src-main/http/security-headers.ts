import type { FastifyReply } from 'fastify';

/**
 * The headers of every public response. A page has its own content security policy instead. The headers are constants,
 * because a library that built them for each request cost a third of the throughput (docs/architecture.md). There is no
 * Cross-Origin-Opener-Policy, because a sign-in window that an app opens must keep its opener. There is no
 * Cross-Origin-Resource-Policy, because other sites may embed files.
 */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000', // browsers ignore this header over http (RFC 6797, 8.1)
  'x-permitted-cross-domain-policies': 'none',
};

/** Headers that tell browsers and proxies not to store a response with tokens or private data. */
export const noStoreHeaders = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** Adds `noStoreHeaders` to a response. */
export function noStore(reply: FastifyReply): void {
  reply.headers(noStoreHeaders);
}
