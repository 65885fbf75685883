import type { Common } from '../../http/common.ts';
import type { FastifyInstance, FastifyPluginCallback, FastifyRequest } from 'fastify';
import { answerTokenError, type Authorize, type Bearer, bearerOf } from '../../http/bearer.ts';
import { formFields, type Fields } from '../../http/form.ts';
import type { Making } from '../../http/kept-answers.ts';
import type { PublicAnswer } from '../../http/page.ts';
import { actionOf } from './action.ts';
import { type ActionDeps, perform } from './actions.ts';
import { answerQuery, type QueryDeps, sameUntil } from './queries.ts';
import {
  acceptMicropubBodies,
  createFileIntake,
  type FileIntake,
  isCreateForm,
  isForm,
  type KeepFile,
  type Pairs,
  readRequestBody,
  tokenInForm,
} from './request-body.ts';
import { invalidRequest } from '../../http/errors.ts';
import { checkScope } from './scope-check.ts';
import { noStore, noStoreHeaders } from '../../http/response-headers.ts';

interface MicropubRouteDeps extends ActionDeps, QueryDeps, Pick<Common, 'kept'> {
  /** Returns the maximum size of an uploaded file, in bytes. */
  readonly mostBytes: () => number;
  readonly authorize: Authorize;
  readonly keepFile: KeepFile;
}

/** Returns the routes of the Micropub endpoint: POST for actions and GET for queries. */
export function micropubRoutes(deps: MicropubRouteDeps): FastifyPluginCallback {
  const { authorize } = deps;

  /** Performs the requested action. If the action fails, deletes the uploaded files. */
  async function answer(request: FastifyRequest) {
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
   * Authorizes a request, and then reads its body. If a form arrives without a token in the header, reads the form
   * first, because the token may be in the form.
   */
  async function read(request: FastifyRequest, intake: FileIntake) {
    const early = isForm(request) && bearerOf(request) === undefined ? undefined : await authorize(request);
    const body = await readRequestBody(request, intake, deps.mostBytes());
    const token = body.kind === 'form' ? tokenInForm(body.pairs) : undefined;
    const claims = early && token === undefined ? early : await authorize(request, token);
    const action = actionOf(body);
    if (intake.used && action.kind !== 'create') throw onlyNewPosts();
    return { claims, action };
  }

  /**
   * Returns a function that checks that an app may upload files with a new post, and returns the app's name. That
   * function checks only the form fields before the first file, which must show that the form creates a post.
   */
  const mayBringFiles = (request: FastifyRequest) => async (before: Pairs) => {
    const { scopes, app } = await authorize(request, tokenInForm(before));
    checkScope(scopes, 'create');
    if (!isCreateForm(before)) throw onlyNewPosts();
    return app;
  };

  /**
   * Returns the cache key of the response to a query. Returns undefined for a query about one post, because the post
   * may come from a file that somebody can change at any time.
   */
  function keyOf(url: string, query: Fields, { scopes, app }: Bearer): string | undefined {
    return query['url'] === undefined ? JSON.stringify([deps.base(), url, app, scopes]) : undefined;
  }

  async function queryAnswer(making: Making, query: Fields, bearer: Bearer): Promise<PublicAnswer> {
    making.shows('posts', 'profile');
    const next = await sameUntil(deps, bearer, making.now);
    if (next !== undefined) making.until(next);
    return {
      type: 'application/json; charset=utf-8',
      headers: noStoreHeaders,
      text: JSON.stringify(await answerQuery(deps, query, bearer, making.now)),
    };
  }

  async function endpoint(app: FastifyInstance): Promise<void> {
    app.setErrorHandler(answerTokenError);
    await acceptMicropubBodies(app);

    app.post('/micropub', { config: { upload: true } }, async (request, reply) => {
      const placed = await answer(request);
      noStore(reply);
      if (placed === undefined) return reply.code(204).send();
      // 202 means that the post is stored, but not published yet (Micropub 3.3).
      const { url, isPending } = placed;
      return reply
        .code(isPending ? 202 : 201)
        .header('location', url)
        .send({ url });
    });

    app.get('/micropub', async (request, reply) => {
      const bearer = await authorize(request);
      const query = formFields(request.query);
      return deps.kept.send(request, reply, keyOf(request.url, query, bearer), (making) =>
        queryAnswer(making, query, bearer),
      );
    });
  }

  return (app, _options, done) => {
    void app.register(endpoint);
    done();
  };
}

const onlyNewPosts = () => invalidRequest('Only a request that creates a post can contain files.');
