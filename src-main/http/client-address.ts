import type { FastifyRequest } from 'fastify';
import { networkOf, parseDestination } from '../platform/address.ts';

const loopback = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/**
 * Returns the IP address of a visitor who came through the tunnel; undefined if there is no valid address. The address
 * is in a header from Cloudflare. The header is trusted only on requests from loopback, because the tunnel's requests
 * come from there.
 */
export function visitorAddress(request: FastifyRequest): string | undefined {
  return parseDestination(addressNamed(request))?.toString();
}

/**
 * Returns the network of a visitor who came through the tunnel (see `networkOf`); undefined if there is no valid
 * address.
 */
export function visitorOf(request: FastifyRequest): string | undefined {
  return networkOf(addressNamed(request));
}

function addressNamed(request: FastifyRequest): string {
  const named = request.headers['cf-connecting-ip'];
  return typeof named === 'string' && loopback.has(request.socket.remoteAddress ?? '') ? named : '';
}

/** Returns the name under which rate limits count a client. */
export function addressOfClient(request: FastifyRequest): string {
  // All requests from Porchlight servers share one limit. Strangers can make this server send a request to itself, from
  // the owner's network. Such requests must not use up the limit of the owner's browser.
  if (request.headers['user-agent']?.startsWith('Porchlight/') === true) return 'a Porchlight';
  return visitorOf(request) ?? request.socket.remoteAddress ?? '';
}
