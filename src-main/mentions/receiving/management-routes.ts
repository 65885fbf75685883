import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyPluginCallback, FastifyRequest } from 'fastify';
import { PorchlightError } from '../../contract/error.ts';
import type { ProcessCounts } from '../../contract/webmentions.ts';
import { bearerOf } from '../../http/bearer.ts';
import { visitorOf } from '../../http/client-address.ts';
import { noToken } from '../../http/errors.ts';
import { payAs } from '../../http/visitor-cost.ts';
import { formFields, optionalField, requiredField, type Fields } from '../../http/form.ts';
import { recordOf, type Mention } from '../mention.ts';
import type { MentionStore } from '../mention-store.ts';
import type { MayTell } from '../shown-mentions.ts';
import { exportJf2 } from '../reading-api/export.ts';
import { createPublicListing, wholeListing } from './records.ts';
import type { ProcessOptions } from './worker.ts';

export interface ManagementRouteDeps {
  readonly store: MentionStore;
  readonly mayTell: MayTell;
  /** Returns whether a string is the owner's management token; compares in constant time. */
  readonly isManagementToken: (text: string) => boolean;
  /** Processes the queue immediately; resolves with the results. */
  readonly processNow: (options: Required<ProcessOptions>) => Promise<ProcessCounts>;
  readonly deleted: (mention: Mention) => void;
}

/**
 * The limits that apply when anyone but the owner processes the queue. `limitMs` is shorter than Cloudflare's timeout
 * of 100 seconds.
 */
const forAnybody = { limitMs: 60_000, earlyTries: 3 };

/**
 * The rate limit for requests to process the queue. Anyone can send such a request. Requests during a run join that
 * run, so they cause no additional work.
 */
const processLimit = {
  waits: true,
  rateLimit: {
    max: (request: FastifyRequest) => (visitorOf(request) === undefined ? 600 : 6),
    timeWindow: 60_000,
  },
};

const json = 'application/json; charset=utf-8';

/** Serves the endpoints that programs use to read and manage mentions (the project's own API). */
export function managementRoutes(deps: ManagementRouteDeps): FastifyPluginCallback {
  const { store } = deps;
  const publicListing = createPublicListing(store, deps.mayTell);

  /**
   * Checks the management token of a request.
   * @throws PorchlightError unauthorized (401), forbidden (403)
   */
  function authorize(request: FastifyRequest, fields: Fields): void {
    const token = optionalField(fields, 'token') ?? bearerOf(request);
    if (token === undefined) throw noToken();
    if (!deps.isManagementToken(token))
      throw new PorchlightError('forbidden', 'This is not the management token.', 403);
    payAs(request, 'owner');
  }

  async function forceDelete(source: string, target: string): Promise<Mention> {
    const found = await store.find(source, target);
    if (!found || found.status === 'deleted')
      throw new PorchlightError('not_found', 'This webmention does not exist.', 404);
    const mention = await store.setStatus(found.id, 'deleted', 'owner');
    deps.deleted(mention);
    return mention;
  }

  function endpoints(app: FastifyInstance, _options: object, done: () => void): void {
    app.addHook('onRequest', (_request, reply, next) => {
      reply.header('cache-control', 'no-store');
      next();
    });

    app.delete('/webmention', async (request, reply) => {
      const fields = { ...formFields(request.body), ...formFields(request.query) };
      authorize(request, fields);
      const source = requiredField(fields, 'source');
      const deleted = await forceDelete(source, requiredField(fields, 'target'));
      // 202 means that the mention is gone, but that this is not on disk yet.
      return reply.code(store.isSaved(deleted.id) ? 200 : 202).send(recordOf(deleted));
    });

    app.get('/process', { config: processLimit, exposeHeadRoute: false }, () => deps.processNow(forAnybody));

    app.get('/webmentions', async (request, reply) => {
      const fields = formFields(request.query);
      const url = optionalField(fields, 'url');
      if (url !== undefined) return reply.type(json).send(await publicListing(url));
      if (optionalField(fields, 'token') === undefined && bearerOf(request) === undefined)
        throw new PorchlightError('invalid_request', 'The request needs the parameter url or a token.');
      authorize(request, fields);
      return reply.type(json).send(wholeListing(store));
    });

    app.get('/webmentions/export.jf2', async (request, reply) => {
      authorize(request, formFields(request.query));
      reply.header('content-disposition', 'attachment; filename="webmentions.jf2"');
      return reply.type(json).send(Readable.from(exportJf2(store)));
    });
    done();
  }

  return (app, _options, done) => {
    void app.register(endpoints);
    done();
  };
}
