import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { PorchlightError } from '../contract/error.ts';
import { sameText } from '../platform/secrets.ts';
import { answerError } from './error-answers.ts';
import { BearerError } from './errors.ts';

/**
 * Returns the token in a request's Authorization header (RFC 6750, 2.1); undefined if there is none. The scheme name is
 * case-insensitive. Ignores a token in the query (RFC 9700, 4.3.2). Any string counts as a token, so that a malformed
 * one is reported as invalid, not as missing.
 */
export function bearerOf(request: FastifyRequest): string | undefined {
  const match = /^bearer +(\S.*)$/i.exec(request.headers.authorization ?? '');
  return match?.[1];
}

/**
 * Returns the token in a request's header or form (RFC 6750, 2.2); undefined if there is none. Some clients send their
 * token in both, so two equal tokens count as one (D-2). An empty field counts as no token.
 * @throws TokenConflict if the two tokens differ.
 */
export function tokenOf(request: FastifyRequest, bodyToken?: string): string | undefined {
  const inHeader = bearerOf(request);
  const inBody = bodyToken === '' ? undefined : bodyToken;
  if (inHeader !== undefined && inBody !== undefined && !sameText(inHeader, inBody))
    throw new TokenConflict();
  return inHeader ?? inBody;
}

/**
 * The error for two different tokens in one request: status 400 with a WWW-Authenticate header and no body (RFC 6750,
 * 3.1; D-3).
 */
class TokenConflict extends BearerError {
  constructor() {
    const words = 'The request contains two different access tokens.';
    super('invalid_request', words, 400, 'Bearer error="invalid_request"', false);
  }
}

/**
 * Handles the errors of routes that accept a token in the form. Unlike answerError, sends no body for a TokenConflict.
 */
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

/** Returns the name of a token that the owner issued by hand, which is an app of its own (see Bearer). */
export const appOfToken = (grantId: string): string => `token ${grantId}`;

/** The permissions of a program that sends an access token (the bearer). */
export interface Bearer {
  readonly scopes: readonly string[];
  readonly grantId: string;
  /** A name that identifies the app across all its sign-ins. Posts and files record it as their creator. */
  readonly app: string;
}

/**
 * Returns the permissions of a request's token. `bodyToken`: the token in the request's form.
 * @throws BearerError
 */
export type Authorize = (request: FastifyRequest, bodyToken?: string) => Promise<Bearer>;
