import type { FastifyReply, FastifyRequest } from 'fastify';
import { PorchlightError } from '../contract/error.ts';

// A name or an IPv4 address, or an IPv6 address in brackets; then perhaps a port (RFC 9110, 7.2).
const hostForm = /^(?:[a-z0-9._-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Refuses a request that leaves open which host it is for (RFC 9112, 3.2): with two Host headers, with one that is no
 * host, or with a whole address as its target. Node takes the first Host, and the router drops the host of a whole
 * address, so the checks after this one would look at something else than a proxy on the way did. A hook for onRequest.
 */
export function refuseDoubtfulHost(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { rawHeaders, url = '', headers } = request.raw;
  const { host } = headers;
  const isPath = url.startsWith('/') || url === '*';
  if (isPath && countOfHosts(rawHeaders) <= 1 && (host === undefined || hostForm.test(host))) {
    done();
    return;
  }
  throw new PorchlightError('invalid_request', 'The request must name exactly one host.');
}

/** `rawHeaders`: names and values in turn, as they came. */
function countOfHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
