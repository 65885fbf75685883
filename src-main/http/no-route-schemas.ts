import type { FastifyServerOptions } from 'fastify';

/**
 * A Fastify option that rejects routes with Fastify schemas. Porchlight's routes need no such schemas, because they
 * validate requests with TypeBox. Without this option, Fastify would prepare Ajv and fast-json-stringify, which takes a
 * tenth of the CPU time of each startup.
 */
export const noRouteSchemas: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: () => refuseSchema, buildSerializer: () => refuseSchema },
};

function refuseSchema(): never {
  throw new Error('Check the request in the route with isValid (storage/schema-check.ts).');
}
