import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { parseDestination, type Address } from '../platform/address.ts';

const loopback = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/**
 * Returns the normalized IP address of a visitor who came through the tunnel. The address comes from a header that
 * Cloudflare adds. The header is trusted only on requests from loopback, because the tunnel sends its requests from
 * there. Returns undefined if there is no valid address.
 */
export function visitorAddress(request: FastifyRequest): string | undefined {
  return addressNamed(request)?.toString();
}

/**
 * Returns the network of a visitor who came through the tunnel: an IPv4 address, or the /56 of an IPv6 address.
 * Internet providers assign each household at least a /56 (RIPE-690). With a limit per /64, a single household could
 * use 256 limits. The drawback is that at some hosting providers, 256 servers share a /56 and therefore one limit.
 * Returns undefined when visitorAddress returns undefined.
 */
export function visitorOf(request: FastifyRequest): string | undefined {
  const address = addressNamed(request);
  if (!(address instanceof ipaddr.IPv6)) return address?.toString();
  const network = [...address.toByteArray().slice(0, 7), ...new Array<number>(9).fill(0)];
  return `${new ipaddr.IPv6(network).toString()}/56`;
}

function addressNamed(request: FastifyRequest): Address | undefined {
  const named = request.headers['cf-connecting-ip'];
  if (typeof named !== 'string' || !loopback.has(request.socket.remoteAddress ?? '')) return undefined;
  return parseDestination(named) ?? undefined;
}

/** Returns an identifier of the client that sent a request, for rate limits only. */
export function addressOfClient(request: FastifyRequest): string {
  // Requests from all Porchlight servers count toward one shared limit. A stranger can make this server send a request
  // to itself. Such a request comes from the owner's network. If it counted for that network, it would use up the limit
  // of the owner's browser.
  if (request.headers['user-agent']?.startsWith('Porchlight/') === true) return 'a Porchlight';
  return visitorOf(request) ?? request.socket.remoteAddress ?? '';
}
