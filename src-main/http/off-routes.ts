import type { FastifyPluginCallback, FastifyRequest } from 'fastify';
import { offStatus } from '../platform/mailbox-protocol.ts';
import { errorBody } from './errors.ts';
import { html } from './html.ts';
import { lookOf, sendPage, type Page } from './page.ts';

/** How long programs should wait before they try again, in seconds. */
const retryAfterSeconds = 300;
/** How often a sign-in page checks whether the server is on again, in seconds. */
const checkSeconds = 10;
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Reloads a sign-in page when the server is on again, and not earlier, because each reload makes a screen reader start
 * over.
 */
const checkScript = `setInterval(async () => {
  const answer = await fetch(location.pathname + '/state?now', { cache: 'no-store' }).catch(() => null);
  if (answer !== null && answer.status < 500) location.reload();
}, ${checkSeconds * 1000});`;

/**
 * Responds to every request with 503 while the owner has turned the server off: with a page for people, and with JSON
 * for programs. Does not read bodies. The status is not a 4xx, because a 4xx would make apps discard their tokens.
 */
export const offRoutes: FastifyPluginCallback = (app, _options, done) => {
  app.route({
    method: methods,
    url: '/*',
    async onRequest(request, reply) {
      reply.header('retry-after', retryAfterSeconds).header('cache-control', 'no-store');
      if (isPerson(request)) return sendPage(reply, offStatus, offPage(request, (await lookOf(reply))?.name));
      await reply
        .code(offStatus)
        .send(errorBody('temporarily_unavailable', 'The owner has turned this server off. Try again later.'));
    },
    handler: () => undefined,
  });
  done();
};

/** Returns the page that says that the site is off. `name`: the name of the site; undefined if it is unknown. */
function offPage({ method, url }: FastifyRequest, name: string | undefined): Page {
  const isWaiting = method === 'GET' && /^\/auth\/requests\/[\w-]+$/.test(url);
  return {
    title: `${name === undefined ? 'This' : `${name}’s`} site is off right now`,
    isOwners: true,
    ...(isWaiting && {
      head: html`<noscript><meta http-equiv="refresh" content="${checkSeconds}" /></noscript>`,
      script: checkScript,
    }),
    body: html`<main>
      <h1>${name === undefined ? 'This' : html`<bdi>${name}</bdi>’s`} site is off right now</h1>
      ${
        isWaiting
          ? html`<p role="status">Your sign-in continues when the site is back. Keep this page open.</p>`
          : html`<p>Its owner has turned it off. Try again later.</p>`
      }
    </main>`,
  };
}

/** Returns whether a browser sent the request. Browsers list HTML first in Accept, both for pages and for forms. */
function isPerson({ headers }: FastifyRequest): boolean {
  return /^text\/html\b/i.test(headers.accept ?? '');
}
