import type { FastifyReply, FastifyRequest } from 'fastify';
import { PorchlightError } from '../contract/error.ts';

// A host name or an IPv4 address, or an IPv6 address in brackets, with an optional port (RFC 9110, 7.2).
const hostForm = /^(?:[a-z0-9._-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Refuses a request with an ambiguous host (RFC 9112, 3.2): two Host headers, an invalid Host, or an absolute URL as
 * its target. Otherwise, this server and a proxy in front of it could use different hosts: Node uses the first Host
 * header, and the router ignores the host of an absolute URL. Used as an onRequest hook.
 * @throws PorchlightError invalid_request
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

/** Returns the number of Host headers. `rawHeaders`: alternating names and values, as received. */
function countOfHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
