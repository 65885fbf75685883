import type { FastifyRequest } from 'fastify';

/** What the bearer of an access token may do. */
export interface Bearer {
  readonly scopes: readonly string[];
  readonly grantId: string;
  /** The app's name, the same in all of its sign-ins. Posts and files record it as their creator. */
  readonly app: string;
}

/**
 * Returns what the bearer of a request's token may do. `bodyToken`: the token in the request's form.
 * @throws BearerError
 */
export type Authorize = (request: FastifyRequest, bodyToken?: string) => Promise<Bearer>;
