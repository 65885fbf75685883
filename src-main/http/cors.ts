import type { FastifyReply, FastifyRequest } from 'fastify';

/** The headers that let scripts on other sites read a response. */
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
 * Lets scripts on other sites call everything except the authorization endpoint (RFC 9700, 2.6). This is safe, because
 * everything that isn't public needs a token, and browsers never send tokens on their own. Responds to preflight
 * requests. Used as an onRequest hook. The headers are constants, because building them for each request is slow (see
 * security-headers.ts).
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

/** Returns whether a URL leads to the authorization endpoint. Decodes the path as the router does. */
function isAuthorization(url: string): boolean {
  const first = url[1];
  if (first !== 'a' && first !== '%') return false; // most requests need no decoding
  try {
    return /^\/auth(\/|$)/.test(decodeURIComponent(url.split(/[?#]/, 1)[0] ?? ''));
  } catch {
    return true; // when in doubt, refuse other sites
  }
}
