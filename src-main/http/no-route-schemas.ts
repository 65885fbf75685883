import type { FastifyServerOptions } from 'fastify';

/**
 * Refuses routes with Fastify schemas: our routes check what they receive with TypeBox. Without this option, Fastify
 * loads and prepares Ajv and fast-json-stringify at each start, which takes a tenth of its processor time.
 */
export const noRouteSchemas: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: () => refuseSchema, buildSerializer: () => refuseSchema },
};

function refuseSchema(): never {
  throw new Error('Check the request in the route with isValid (storage/schema-check.ts).');
}
