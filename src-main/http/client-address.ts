import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { parseDestination, type Address } from '../platform/address.ts';

const loopback = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/**
 * Returns the IP address of a visitor who came through the tunnel; undefined if there is no valid address. The address
 * is in a header from Cloudflare. The header is trusted only on requests from loopback, because the tunnel's requests
 * come from there.
 */
export function visitorAddress(request: FastifyRequest): string | undefined {
  return addressNamed(request)?.toString();
}

/**
 * Returns the network of a visitor who came through the tunnel: an IPv4 address, or the /56 of an IPv6 address. Returns
 * undefined if there is no valid address. Providers assign at least a /56 to each household (RIPE-690). With a limit
 * per /64, one household could act as 256 visitors. The drawback is that at some hosting providers, 256 servers share
 * one limit.
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

/** Returns the name under which rate limits count a client. */
export function addressOfClient(request: FastifyRequest): string {
  // All requests from Porchlight servers share one limit. Strangers can make this server send a request to itself, from
  // the owner's network. Such requests must not use up the limit of the owner's browser.
  if (request.headers['user-agent']?.startsWith('Porchlight/') === true) return 'a Porchlight';
  return visitorOf(request) ?? request.socket.remoteAddress ?? '';
}
