import type { FastifyRequest } from 'fastify';

/** What the bearer of an access token may do. */
export interface Bearer {
  readonly scopes: readonly string[];
  readonly grantId: string;
  /** Names the app, the same in all of its sign-ins: what it created or uploaded is recorded under this name. */
  readonly app: string;
}

/** Tells what the bearer of a request's token may do. `bodyToken`: the one in its form. @throws BearerError */
export type Authorize = (request: FastifyRequest, bodyToken?: string) => Promise<Bearer>;
