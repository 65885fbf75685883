import type { FastifyRequest } from 'fastify';

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
