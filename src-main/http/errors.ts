import { type ErrorCode, PorchlightError } from '../contract/error.ts';

/** The error for a problem with a request's token. Its response has a WWW-Authenticate header (RFC 6750, 3). */
export class BearerError extends PorchlightError {
  override readonly name = 'BearerError';
  readonly challenge: string;
  /** False if the response must not name the error, for example after a request without credentials (IndieAuth 8.1). */
  readonly named: boolean;

  constructor(code: ErrorCode, message: string, status: number, challenge: string, named = true) {
    super(code, message, status);
    this.challenge = challenge;
    this.named = named;
  }
}

/**
 * The error for a request beyond a limit: status 429 or 503 with Retry-After. The client may try again after `waitMs`.
 */
export class RetryLater extends PorchlightError {
  override readonly name = 'RetryLater';
  readonly retryAfterSeconds: number;

  constructor(message: string, waitMs: number, status: 429 | 503 = 429, options?: ErrorOptions) {
    super('temporarily_unavailable', message, status, options);
    this.retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  }
}

/** Returns the error for a URL without a page or file. */
export const nothingHere = () => new PorchlightError('not_found', 'There is nothing at this address.', 404);

/** Returns the error for an invalid request. `message`: a description of the problem, for the sender. */
export const invalidRequest = (message: string) => new PorchlightError('invalid_request', message);

/** Returns a 401 for a request without a token (D-4). */
export function noToken({ named = true } = {}): BearerError {
  return new BearerError('unauthorized', 'This request needs an access token.', 401, 'Bearer', named);
}

/** Returns a 401 for an unknown, expired or revoked token (RFC 6750, 3.1). */
export function invalidToken(): BearerError {
  return new BearerError(
    'invalid_token',
    'The access token is unknown, expired or revoked.',
    401,
    'Bearer error="invalid_token"',
  );
}

/** Returns a 403 for a token without the scope that the request needs (D-1). */
export function insufficientScope(scope: string): BearerError {
  const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
  return new BearerError('insufficient_scope', `The access token lacks the scope ${scope}.`, 403, challenge);
}

/** Returns the JSON body of an error response (RFC 6749, 5.2). */
export function errorBody(code: ErrorCode, message?: string) {
  return { error: code, ...(message !== undefined && { error_description: errorDescription(message) }) };
}

/** Replaces every character that RFC 6749 (4.1.2.1, 5.2) does not allow in an error_description. */
function errorDescription(text: string): string {
  return text.replace(/[“”"’]/g, "'").replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?');
}
