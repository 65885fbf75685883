import type { FastifyRequest } from 'fastify';

/** Tells what the bearer of a request's token may do. `bodyToken`: the one in its form. @throws BearerError */
export type Authorize = (
  request: FastifyRequest,
  bodyToken?: string,
) => Promise<{ readonly scopes: readonly string[]; readonly clientId: string; readonly grantId: string }>;
