import type { FastifyRequest } from 'fastify';

/**
 * The token in a request's Authorization header (RFC 6750, 2.1); undefined where there is none.
 * The scheme's name is compared without case. A token in the query does not count (BCP 4.3.2). Any text counts as a
 * token here: one that can be none is a wrong token, not a missing one.
 */
export function bearerOf(request: FastifyRequest): string | undefined {
  const match = /^bearer +(\S.*)$/i.exec(request.headers.authorization ?? '');
  return match?.[1];
}
