import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

const loopback = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
const longestAddress = 45;

/**
 * The address of a visitor who came through the tunnel, as Cloudflare names it: believed only where the request came in
 * from loopback, as the tunnel's do. Undefined for who did not come through the tunnel.
 */
export function visitorAddress(request: FastifyRequest): string | undefined {
  const named = request.headers['cf-connecting-ip'];
  const believed = loopback.has(request.socket.remoteAddress ?? '');
  return believed && typeof named === 'string' && named.length <= longestAddress ? named : undefined;
}

/**
 * The network of a visitor who came through the tunnel. Of an IPv6 address the first half: the rest is its owner's to
 * choose, so each visitor would have any number of them. Undefined for who did not come through the tunnel.
 */
export function visitorOf(request: FastifyRequest): string | undefined {
  const named = visitorAddress(request);
  if (named === undefined || !ipaddr.IPv6.isValid(named)) return named;
  const address = ipaddr.IPv6.parse(named);
  return address.isIPv4MappedAddress()
    ? address.toIPv4Address().toString()
    : address.parts.slice(0, 4).join(':');
}

/** Whose request this is, for rate limits and nothing else. */
export function addressOfClient(request: FastifyRequest): string {
  // A stranger can name an address of this very server for it to fetch. That comes in from the owner's own network:
  // counted there, it would use up what the owner's browser may ask.
  if (request.headers['user-agent']?.startsWith('Porchlight/') === true) return 'a Porchlight';
  return visitorOf(request) ?? request.socket.remoteAddress ?? '';
}
