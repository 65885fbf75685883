import type { FastifyPluginCallback } from 'fastify';
import { bearerOf } from '../../http/bearer.ts';
import { errorBody } from '../../http/errors.ts';
import { formFields, optionalField, requiredField } from '../../http/form.ts';
import type { Import } from '../import/import.ts';

export interface ImportRouteDeps {
  /** Returns whether a string is the owner's management token; compares in constant time. */
  readonly isManagementToken: (text: string) => boolean | Promise<boolean>;
  readonly import: Pick<Import, 'run'>;
}

/**
 * Serves `GET /import?token=&aggregator=`, which imports everything and responds when the import ends (PROTOCOLS 0,
 * 0b).
 */
export function importRoutes(deps: ImportRouteDeps): FastifyPluginCallback {
  return (app, _options, done) => {
    // A HEAD request must not start an import.
    app.get('/import', { config: { waits: true }, exposeHeadRoute: false }, async (request, reply) => {
      const query = formFields(request.query);
      reply.header('cache-control', 'no-store');
      const token = optionalField(query, 'token') ?? bearerOf(request);
      if (token === undefined) return reply.code(401).send(errorBody('unauthorized'));
      if (!(await deps.isManagementToken(token))) return reply.code(403).send(errorBody('forbidden'));
      const aggregator = requiredField(query, 'aggregator');
      const { broken, refused, ...counts } = await deps.import.run({ token: aggregator, full: true });
      if (broken === undefined) return counts;
      const error = refused === true ? 'aggregator_refused' : 'aggregator_failed';
      return reply.code(502).send({ ...errorBody(error, broken), ...counts });
    });
    done();
  };
}
