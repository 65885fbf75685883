import type { FastifyRequest } from 'fastify';

/** The permissions that an access token gives to the program that sends it (the bearer). */
export interface Bearer {
  readonly scopes: readonly string[];
  readonly grantId: string;
  /** A name that identifies the app across all its sign-ins. Posts and files record this name as their creator. */
  readonly app: string;
}

/**
 * Returns the permissions that a request's token gives. `bodyToken`: the token in the request's form.
 * @throws BearerError
 */
export type Authorize = (request: FastifyRequest, bodyToken?: string) => Promise<Bearer>;
