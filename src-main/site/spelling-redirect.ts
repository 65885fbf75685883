import type { FastifyRequest } from 'fastify';
import { redirectAnswer, type PublicAnswer } from '../http/public-answer.ts';
import { oneSpelling } from '../posts/page-address.ts';

/** Returns the path of a request, percent-encoded, without its query. */
export const requestPath = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';

/** Returns the query of a request with its question mark; an empty string if there is none. */
export function queryOf(request: FastifyRequest): string {
  const at = request.url.indexOf('?');
  return at === -1 ? '' : new URL(request.url.slice(at), 'http://localhost').search;
}

/**
 * Returns the redirect to the one spelling of the requested path: without a trailing slash, or with this site's own name
 * of a feed. The query stays, because it can lead to a page of a list. Returns undefined if the path is spelled right,
 * or if there can be no page at the path. The redirect always leads to `base`, this server's public origin.
 */
export function spellingRedirect(
  request: FastifyRequest,
  base: string,
  isPage: (path: string) => boolean,
): PublicAnswer | undefined {
  const asked = requestPath(request);
  const path = oneSpelling(asked);
  const isOther = path !== asked && !path.startsWith('//') && isPage(path);
  return isOther ? redirectAnswer(base + path + queryOf(request), 301) : undefined;
}
