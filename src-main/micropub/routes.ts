import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { answerTokenError, bearerOf } from '../http/bearer.ts';
import { formOf } from '../http/form.ts';
import { actionOf, tokenInForm } from './action.ts';
import { perform, type ActionDeps } from './actions.ts';
import { answerQuery, type QueryDeps } from './queries.ts';
import { acceptMicropubBodies, isForm, readBody } from './request-body.ts';

/** Tells what the bearer of a request's token may do. `bodyToken`: the one in its form. @throws BearerError */
export type Authorize = (
  request: FastifyRequest,
  bodyToken?: string,
) => Promise<{ readonly scopes: readonly string[]; readonly clientId: string }>;

export interface MicropubRouteDeps extends ActionDeps, QueryDeps {
  readonly authorize: Authorize;
}

/** The Micropub endpoint. */
export function micropubRoutes(deps: MicropubRouteDeps): FastifyPluginCallback {
  const { authorize } = deps;

  /** What is asked, by somebody who may ask: a body is only looked into for a token where it can hold one. */
  async function read(request: FastifyRequest) {
    const claims = isForm(request) && bearerOf(request) === undefined ? undefined : await authorize(request);
    const body = await readBody(request);
    const token = body.kind === 'form' ? tokenInForm(body.pairs) : undefined;
    const { scopes } = claims && token === undefined ? claims : await authorize(request, token);
    return { scopes, action: actionOf(body) };
  }

  async function endpoint(app: FastifyInstance): Promise<void> {
    app.setErrorHandler(answerTokenError);
    await acceptMicropubBodies(app);

    app.post('/micropub', async (request, reply) => {
      const { scopes, action } = await read(request);
      const location = await perform(deps, action, scopes);
      noStore(reply);
      if (location === undefined) return reply.code(204).send();
      return reply.code(201).header('location', location).send({ url: location });
    });

    app.get('/micropub', async (request, reply) => {
      const { scopes } = await authorize(request);
      noStore(reply);
      return answerQuery(deps, formOf(request.query), scopes);
    });
  }

  return (app, _options, done) => {
    void app.register(endpoint);
    done();
  };
}

function noStore(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
}
