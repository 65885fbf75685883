import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { parseDestination, type Address } from '../platform/address.ts';

const loopback = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/**
 * Returns the address of a visitor who came through the tunnel, in its one usual spelling, as Cloudflare names it. It is
 * believed only where the request came in from loopback, as the tunnel's do. Undefined where no valid address is named.
 */
export function visitorAddress(request: FastifyRequest): string | undefined {
  return addressNamed(request)?.toString();
}

/**
 * Returns the network of a visitor who came through the tunnel: an IPv4 address, or the /56 of an IPv6 address, because
 * providers give a home at least that (RIPE-690), and whoever lives there may use each address of it. At some hosters
 * 256 servers share a /56, and so one limit; a visitor with 256 limits would be worse. Undefined as for visitorAddress.
 */
export function visitorOf(request: FastifyRequest): string | undefined {
  const address = addressNamed(request);
  if (!(address instanceof ipaddr.IPv6)) return address?.toString();
  const network = [...address.toByteArray().slice(0, 7), ...new Array<number>(9).fill(0)];
  return `${new ipaddr.IPv6(network).toString()}/56`;
}

function addressNamed(request: FastifyRequest): Address | undefined {
  const named = request.headers['cf-connecting-ip'];
  const isBelieved = loopback.has(request.socket.remoteAddress ?? '');
  return isBelieved && typeof named === 'string' ? (parseDestination(named) ?? undefined) : undefined;
}

/** Whose request this is, for rate limits and nothing else. */
export function addressOfClient(request: FastifyRequest): string {
  // A stranger can name an address of this very server for it to fetch. That comes in from the owner's own network:
  // counted there, it would use up what the owner's browser may ask.
  if (request.headers['user-agent']?.startsWith('Porchlight/') === true) return 'a Porchlight';
  return visitorOf(request) ?? request.socket.remoteAddress ?? '';
}
