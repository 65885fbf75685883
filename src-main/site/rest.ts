import type { FastifyRequest } from 'fastify';
import { bridgyFed } from '../contract/posts.ts';
import type { SendRest } from '../http/error-answers.ts';
import type { Html } from '../http/html.ts';
import type { SharedAnswer } from '../http/kept-answers.ts';
import { pageAnswer, redirectAnswer, type PublicAnswer } from '../http/page.ts';
import { bridgedPaths } from '../platform/mailbox-protocol.ts';
import { feedAt } from '../posts/rendering/site-list.ts';
import { type Frame, linkHeader } from './frame.ts';
import { type ListAnswers, queryOf, requestPath, type SendAnswer, spellingRedirect } from './list-routes.ts';
import { ownPage, ownPageAt } from './own-pages.ts';
import type { ViewDeps } from './site-views.ts';
import { subscribePath } from './subscribe-page.ts';

interface RestDeps extends Pick<ViewDeps, 'settings' | 'profile' | 'links'> {
  readonly base: () => string;
  readonly isBridged?: () => boolean;
}

interface Answers {
  readonly send: SendAnswer;
  readonly lists: ListAnswers;
  readonly lost: (status: 404, frame: Frame) => SharedAnswer;
  readonly textMarkup: (text: string, frame: Frame) => Promise<Html | undefined>;
}

/** Creates the response to requests for paths without a route (see Site). */
export function restOf(deps: RestDeps, { send, lists, lost, textMarkup }: Answers): SendRest {
  const { settings, profile, base, links } = deps;

  /** Returns whether there may be a page at a path that has no route of its own in this spelling. */
  const isFixed = (path: string) =>
    ['/archive', '/search', subscribePath].includes(path) ||
    feedAt(path) !== undefined ||
    (profile().me !== null && ownPageAt(settings(), path) !== undefined);

  /** Returns the redirect with which Bridgy Fed answers for the site (RFC 7033, RFC 6415); undefined for other requests. */
  function bridgeRedirect(request: FastifyRequest): PublicAnswer | undefined {
    const path = requestPath(request);
    if (!bridgedPaths.includes(path) || deps.isBridged?.() !== true) return undefined;
    return redirectAnswer(new URL(path + queryOf(request), bridgyFed.uid).href, 301);
  }

  // The owner's pages have no route of their own, because it would match GET requests to every path with one segment, even
  // to paths that support only other HTTP methods. The page about feeds has none, because the owner may use its path.
  return async (request, reply, isVisit) => {
    const path = requestPath(request);
    const isOwn = profile().me !== null && ownPageAt(settings(), path) !== undefined;
    const isPage = isOwn || path === subscribePath;
    const redirect = isPage
      ? undefined
      : (bridgeRedirect(request) ?? spellingRedirect(request, base(), isFixed));
    if (redirect) {
      reply.header('link', linkHeader(links()));
      await send(request, reply, undefined, () => Promise.resolve(redirect));
      return true;
    }
    if (!isPage && !isVisit) return false;
    reply.header('link', linkHeader(links()));
    await send(request, reply, isPage ? path : undefined, async (making, frame) => {
      const found = isOwn ? ownPageAt(frame.info, path) : undefined;
      if (found === undefined) return isPage ? lists.subscribe(making, frame) : lost(404, frame);
      const text = await textMarkup(found.text, frame);
      return pageAnswer(ownPage(frame, found, text));
    });
    return true;
  };
}
