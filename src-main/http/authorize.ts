import type { FastifyRequest } from 'fastify';

/** What an access token permits the program that sends it (the bearer) to do. */
export interface Bearer {
  readonly scopes: readonly string[];
  readonly grantId: string;
  /** The app's name, the same for all of its sign-ins. Posts and files record it as their creator. */
  readonly app: string;
}

/**
 * Returns what a request's token permits. `bodyToken`: the token in the request's form.
 * @throws BearerError
 */
export type Authorize = (request: FastifyRequest, bodyToken?: string) => Promise<Bearer>;
