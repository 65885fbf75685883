import type { FastifyRequest } from 'fastify';
import { networkOf, parseDestination } from '../platform/address.ts';
import { createRecent } from '../storage/caches.ts';

/** The length of the longest spelling of an IPv6 address, with an IPv4 address at its end. */
const longestIpv6 = 45;
/** The estimated size of a remembered network, in bytes. */
const bytesOfOne = 256;
/**
 * The networks of the visitors who were seen last, by the text of the header; null for text that isn't an address.
 * Parsing an IPv6 address takes longer than answering a request from memory.
 */
const networks = createRecent<string | null>(1_000_000);

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
  const named = addressNamed(request);
  if (named === '' || named.length > longestIpv6) return networkOf(named);
  let network = networks.get(named);
  if (network === undefined) {
    network = networkOf(named) ?? null;
    networks.set(named, network, bytesOfOne);
  }
  return network ?? undefined;
}

function addressNamed(request: FastifyRequest): string {
  const named = request.headers['cf-connecting-ip'];
  return typeof named === 'string' && loopback.has(request.socket.remoteAddress ?? '') ? named : '';
}

/** Returns the name under which rate limits count a client. */
export function addressOfClient(request: FastifyRequest): string {
  return nameOfClient(request, visitorOf(request));
}

/** Returns the name under which rate limits count a client. `visitor`: what `visitorOf` returned. */
export function nameOfClient(request: FastifyRequest, visitor: string | undefined): string {
  // All requests from Porchlight servers share one limit. Strangers can make this server send a request to itself, from
  // the owner's network. Such requests must not use up the limit of the owner's browser.
  if (request.headers['user-agent']?.startsWith('Porchlight/') === true) return 'a Porchlight';
  return visitor ?? request.socket.remoteAddress ?? '';
}

/**
 * Returns route options with a limit of requests per minute. `nearby`: the limit for requests that don't come through
 * the tunnel, which may all have the same address.
 */
export function perMinute({ visitor, nearby }: { visitor: number; nearby: number }) {
  const max = (request: FastifyRequest) => (visitorOf(request) === undefined ? nearby : visitor);
  return { waits: true, rateLimit: { max, timeWindow: 60_000 } };
}
