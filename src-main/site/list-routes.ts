import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { redirectAnswer, type PublicAnswer } from '../http/public-answer.ts';
import type { Making, SharedAnswer } from '../http/kept-answers.ts';
import { paceOf } from '../http/visitor-cost.ts';
import type { Frame } from './frame.ts';
import type { ListAnswers } from './list-answers.ts';
import { requestedCursor } from './listing.ts';
import { queryOf, requestPath, spellingRedirect } from './spelling-redirect.ts';
import {
  feedAt,
  feedFormats,
  feedOf,
  homeList,
  listAt,
  type SiteFeed,
  type SiteList,
} from '../posts/rendering/site-list.ts';

/**
 * Sends a response that shows posts. `key`: the cache key; without a key, the response is not cached. A key must be a
 * URL to which the site links. Strangers can request any number of other URLs, which would fill the cache.
 */
export type SendAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  key: string | undefined,
  make: (making: Making, frame: Frame) => Promise<PublicAnswer | SharedAnswer>,
) => Promise<FastifyReply>;

interface ListRequest {
  Querystring: Record<'after' | 'q', unknown>;
}

/** Adds the routes for the pages and feeds that list posts. */
export function addListRoutes(
  app: FastifyInstance,
  { send, answers, base }: { send: SendAnswer; answers: ListAnswers; base: () => string },
): void {
  const page = { config: { page: true } };

  const sendNothing = (request: FastifyRequest, reply: FastifyReply) =>
    send(request, reply, undefined, (_making, frame) => Promise.resolve(answers.nothing(frame)));

  function sendFeed(request: FastifyRequest<ListRequest>, reply: FastifyReply, feed: SiteFeed) {
    const after = requestedCursor(request.query.after);
    return send(request, reply, after === undefined ? feed.path : undefined, (making, frame) =>
      answers.feed(feed, after, making, frame),
    );
  }

  /** Sends the list page or the feed at the request's path, or redirects to the one spelling of the path. */
  function sendAt(request: FastifyRequest<ListRequest>, reply: FastifyReply): Promise<FastifyReply> {
    const path = requestPath(request);
    const redirect = spellingRedirect(request, base(), (one) => isTidied(path, one));
    if (redirect) return send(request, reply, undefined, () => Promise.resolve(redirect));
    const feed = feedAt(path);
    if (feed) return sendFeed(request, reply, feed);
    const list = listAt(path);
    return list ? sendList(request, reply, list, answers, send) : sendNothing(request, reply);
  }

  app.get<ListRequest>('/', page, (request, reply) => sendList(request, reply, homeList, answers, send));
  app.get<ListRequest>('/categories/*', page, sendAt);
  app.get<ListRequest>('/kinds/*', page, sendAt);
  for (const feed of feedFormats.map((format) => feedOf(homeList, format)))
    app.get<ListRequest>(feed.path, (request, reply) => sendFeed(request, reply, feed));

  app.get('/archive', page, (request, reply) =>
    send(request, reply, '/archive', (making, frame) => answers.archive(making, frame)),
  );
  app.get('/categories', page, (request, reply) =>
    send(request, reply, '/categories', (making, frame) => answers.categories(making, frame)),
  );
  app.get<ListRequest>('/search', page, (request, reply) => {
    const { q, after } = request.query;
    return send(request, reply, undefined, (making, frame) =>
      answers.search({ q, after: requestedCursor(after) }, paceOf(request), making, frame),
    );
  });
}

/**
 * Returns whether `path` is the right spelling of `asked`, a list or feed with a trailing slash, or with another name of
 * a feed. A path with other escapes needs no redirect.
 */
function isTidied(asked: string, path: string): boolean {
  if (feedAt(path) !== undefined) return feedAt(asked) === undefined;
  return asked.endsWith('/') && (path === '/categories' || listAt(path) !== undefined);
}

/**
 * Sends the requested page of a list. If the URL only lacks the trailing slash of the list's path, redirects to that
 * path.
 */
export function sendList(
  request: FastifyRequest<ListRequest>,
  reply: FastifyReply,
  list: SiteList,
  answers: ListAnswers,
  send: SendAnswer,
): Promise<FastifyReply> {
  if (`${requestPath(request)}/` === list.path)
    return send(request, reply, undefined, () =>
      Promise.resolve(redirectAnswer(list.path + queryOf(request), 301)),
    );
  const after = requestedCursor(request.query.after);
  return send(request, reply, after === undefined ? list.path : undefined, (making, frame) =>
    answers.page(list, after, making, frame),
  );
}
