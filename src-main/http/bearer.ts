import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { PorchlightError } from '../contract/error.ts';
import { sameText } from '../platform/secret-text.ts';
import { answerError, BearerError } from './errors.ts';

/**
 * The token in a request's Authorization header (RFC 6750, 2.1); undefined where there is none.
 * The scheme's name is compared without case. A token in the query does not count (BCP 4.3.2). Any text counts as a
 * token here: one that can be none is a wrong token, not a missing one.
 */
export function bearerOf(request: FastifyRequest): string | undefined {
  const match = /^bearer +(\S.*)$/i.exec(request.headers.authorization ?? '');
  return match?.[1];
}

/**
 * The token of a request that may carry it in its form as well (RFC 6750, 2.2); undefined where there is none.
 * Some clients send it both ways: the same token twice is one token (D-2). An empty field is no token.
 * @throws TokenConflict where the two differ.
 */
export function tokenOf(request: FastifyRequest, bodyToken?: string): string | undefined {
  const inHeader = bearerOf(request);
  const inBody = bodyToken === '' ? undefined : bodyToken;
  if (inHeader !== undefined && inBody !== undefined && !sameText(inHeader, inBody))
    throw new TokenConflict();
  return inHeader ?? inBody;
}

/** Two different tokens in one request: 400 with a challenge and no body (RFC 6750, 3.1; D-3). */
class TokenConflict extends BearerError {
  constructor() {
    const words = 'The request contains two different access tokens.';
    super('invalid_request', words, 400, 'Bearer error="invalid_request"', false);
  }
}

/** The error handler of routes that take a token in the form: as everywhere, but a conflict's answer is empty. */
export async function answerTokenError(
  error: FastifyError | PorchlightError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (!(error instanceof TokenConflict)) return answerError(error, request, reply);
  await reply
    .code(error.status)
    .header('www-authenticate', error.challenge)
    .header('cache-control', 'no-store')
    .send();
}
