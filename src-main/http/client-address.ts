import type { FastifyRequest } from 'fastify';

const loopback = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/**
 * Whose request this is, for rate limits and nothing else: the address that Cloudflare names, believed only where
 * the request came in from loopback, as the tunnel's do; else the peer's.
 */
export function addressOfClient(request: FastifyRequest): string {
  const named = request.headers['cf-connecting-ip'];
  const peer = request.socket.remoteAddress ?? '';
  return loopback.has(peer) && typeof named === 'string' && named.length <= 45 ? named : peer;
}
