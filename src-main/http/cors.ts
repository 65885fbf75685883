import type { FastifyReply, FastifyRequest } from 'fastify';

/** The headers of a response that scripts on other sites may read. */
const open = {
  vary: 'Origin',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Location, Link, WWW-Authenticate',
};
const preflight = {
  'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Accept',
  'access-control-max-age': '86400',
  'content-length': '0',
};

/**
 * An onRequest hook that lets scripts on other sites call everything except the authorization endpoint (BCP 2.6):
 * public data may be read by anyone, and everything else needs a token, which no browser sends on its own. Responds to
 * preflight requests. The headers are constants for the same reason as in security-headers.ts.
 */
export function allowOtherSites(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (isAuthorization(request.url)) {
    reply.header('vary', 'Origin');
    done();
    return;
  }
  reply.headers(open);
  if (request.method === 'OPTIONS') reply.code(204).headers(preflight).send();
  else done();
}

/** Returns whether a URL is that of the authorization endpoint. Ends and decodes the path as the router does. */
function isAuthorization(url: string): boolean {
  const first = url[1];
  if (first !== 'a' && first !== '%') return false; // spares most requests the decoding
  try {
    return /^\/auth(\/|$)/.test(decodeURIComponent(url.split(/[?#]/, 1)[0] ?? ''));
  } catch {
    return true; // cannot be decoded: treated as if it were the endpoint
  }
}
