import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { parseDestination, type Address } from '../platform/address.ts';

const loopback = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/**
 * Returns the normalized IP address of a visitor who came through the tunnel, from Cloudflare's header. The header is
 * trusted only on requests from loopback, because the tunnel's requests come from there. Returns undefined if there is
 * no valid address.
 */
export function visitorAddress(request: FastifyRequest): string | undefined {
  return addressNamed(request)?.toString();
}

/**
 * Returns the network of a visitor who came through the tunnel: an IPv4 address, or the /56 of an IPv6 address.
 * Providers give a home at least a /56 (RIPE-690), and its residents can use every address in it. At some hosting
 * providers, 256 servers share a /56 and therefore one limit, but a visitor with 256 limits would be worse. Returns
 * undefined in the same cases as visitorAddress.
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
  // A stranger can make this server request one of its own URLs. Such a request comes from the owner's own network. If
  // it counted for that network, it would use up the limit of the owner's browser.
  if (request.headers['user-agent']?.startsWith('Porchlight/') === true) return 'a Porchlight';
  return visitorOf(request) ?? request.socket.remoteAddress ?? '';
}
