import type { FastifyInstance, FastifyPluginCallback, FastifyRequest } from 'fastify';
import type { Authorize } from '../http/authorize.ts';
import { answerTokenError, bearerOf } from '../http/bearer.ts';
import { formOf } from '../http/form.ts';
import { actionOf } from './action.ts';
import { perform, type ActionDeps, type Placed } from './actions.ts';
import { createFileIntake, type FileIntake, type KeepFile } from './file-intake.ts';
import { isCreateForm, tokenInForm, type Pairs } from './form-pairs.ts';
import { answerQuery, type QueryDeps } from './queries.ts';
import { acceptMicropubBodies, isForm, readRequestBody } from './request-body.ts';
import { invalid } from './safe-json.ts';
import { checkScope } from './scope-check.ts';
import { noStore } from '../http/security-headers.ts';

export interface MicropubRouteDeps extends ActionDeps, QueryDeps {
  readonly authorize: Authorize;
  readonly keepFile: KeepFile;
}

/** Creates the Micropub endpoint. */
export function micropubRoutes(deps: MicropubRouteDeps): FastifyPluginCallback {
  const { authorize, settings } = deps;

  /**
   * Performs the requested action. Returns where the post is if it is new or has moved. Uploaded files are kept only
   * if a post was created for them.
   */
  async function answer(request: FastifyRequest): Promise<Placed | undefined> {
    const intake = createFileIntake(deps.keepFile, mayBringFiles(request));
    try {
      const { claims, action } = await read(request, intake);
      return await perform(deps, action, claims);
    } catch (error) {
      await intake
        .discard()
        .catch((fault: unknown) => request.log.warn({ err: fault }, 'files could not be removed'));
      throw error;
    }
  }

  /**
   * Authorizes a request and reads its body. The body is read first only if it is a form and no token is in the
   * header, because the form itself may contain the token.
   */
  async function read(request: FastifyRequest, intake: FileIntake) {
    const early = isForm(request) && bearerOf(request) === undefined ? undefined : await authorize(request);
    const body = await readRequestBody(request, intake, settings().mediaLimitBytes);
    const token = body.kind === 'form' ? tokenInForm(body.pairs) : undefined;
    const claims = early && token === undefined ? early : await authorize(request, token);
    const action = actionOf(body);
    if (intake.used && action.kind !== 'create') throw onlyNewPosts();
    return { claims, action };
  }

  /**
   * Returns a function that checks that an app may upload files and returns the app's name. It decides by the form
   * fields before the first file: the app must be allowed to create posts, and the form must create one.
   */
  const mayBringFiles = (request: FastifyRequest) => async (before: Pairs) => {
    const { scopes, app } = await authorize(request, tokenInForm(before));
    checkScope(scopes, 'create');
    if (!isCreateForm(before)) throw onlyNewPosts();
    return app;
  };

  async function endpoint(app: FastifyInstance): Promise<void> {
    app.setErrorHandler(answerTokenError);
    await acceptMicropubBodies(app);

    app.post('/micropub', { config: { upload: true } }, async (request, reply) => {
      const placed = await answer(request);
      noStore(reply);
      if (placed === undefined) return reply.code(204).send();
      // 202 says that the post is stored, but not published yet (Micropub 3.3).
      const { url, isPending } = placed;
      return reply
        .code(isPending ? 202 : 201)
        .header('location', url)
        .send({ url });
    });

    app.get('/micropub', async (request, reply) => {
      const bearer = await authorize(request);
      noStore(reply);
      return answerQuery(deps, formOf(request.query), bearer);
    });
  }

  return (app, _options, done) => {
    void app.register(endpoint);
    done();
  };
}

const onlyNewPosts = () => invalid('Only a request that creates a post can contain files.');
