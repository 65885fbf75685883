import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, isDiskCode, PorchlightError, type StorageCode } from '../contract/error.ts';
import { BearerError, errorBody, RetryLater } from './errors.ts';
import { html } from './html.ts';
import { sendPage, technicalDetails, type Page } from './page.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if people open this route's URL in a browser, so its errors are shown as pages. */
    page?: boolean;
    /** True if this route responds even while the data folder is missing. */
    withoutData?: boolean;
  }
}

/** An error as visitors see it. Its message contains no file name: only the owner may see file names. */
interface Readable {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

const serverError: Readable = {
  status: 500,
  code: 'server_error',
  message: 'Something went wrong on this server. Try again later.',
};
const busy = unavailable(5, 'This server is busy. Try again in a moment.');
const unable = unavailable(60, 'This server can’t do this at the moment. Try again later.');
const unreadable = (retryAfterSeconds: number) =>
  unavailable(retryAfterSeconds, 'This page can’t be read at the moment. Try again later.');

function unavailable(retryAfterSeconds: number, message: string): Readable {
  return { status: 503, code: 'temporarily_unavailable', message, retryAfterSeconds };
}

/** The errors that visitors see when the storage fails. Status 507 means that nothing was saved (RFC 4918, 11.5). */
const storageErrors: Partial<Record<ErrorCode, Readable>> = {
  storage_full: {
    status: 507,
    code: 'insufficient_storage',
    message:
      'This server’s disk is full, so nothing was saved. Try again when the owner has freed some space.',
  },
  storage_unwritable: {
    status: 507,
    code: 'insufficient_storage',
    message: 'This server cannot write to its disk, so nothing was saved. Try again later.',
  },
  storage_gone: {
    status: 507,
    code: 'storage_gone',
    message: 'This server’s data isn’t available at the moment, so nothing was saved. Try again later.',
  },
  storage_busy: busy,
  storage_changed: busy,
  storage_newer: unreadable(3600),
  storage_migration: unreadable(3600),
  storage_unreadable: unreadable(300),
  storage_broken: unreadable(3600),
  storage_damaged: unreadable(300),
  storage_invalid: serverError,
} satisfies Record<StorageCode, Readable>;

/**
 * The response to a GET, HEAD or OPTIONS request while the data folder is missing, or can be neither written nor read.
 * It isn't a 404, because the page may exist.
 */
const unavailableToRead = unavailable(
  300,
  'This server’s data isn’t available at the moment. Try again later.',
);

/** Returns the status and message that a visitor sees for an error. The text of an internal error is never included. */
function readable(error: FastifyError | PorchlightError, method: string): Readable {
  if (error instanceof RetryLater || (error instanceof PorchlightError && error.status < 500)) {
    return { status: error.status, code: error.code, message: error.message };
  }
  if (error instanceof PorchlightError) {
    const isReading = ['GET', 'HEAD', 'OPTIONS'].includes(method);
    if (isDiskCode(error.code) && isReading) return unavailableToRead;
    return storageErrors[error.code] ?? (error.status === 503 ? unable : serverError);
  }
  const status = error.statusCode ?? 500;
  if (status < 400 || status >= 500) return serverError;
  const code = status === 429 ? 'temporarily_unavailable' : 'invalid_request';
  return { status, code, message: error.message };
}

/** Returns the page that tells a visitor what went wrong. `technical`: the same in a word, for developers. */
export const errorPage = (message: string, technical: string): Page => ({
  title: 'That didn’t work',
  isOwners: true,
  body: html`<main>
    <h1>That didn’t work</h1>
    <p>${message}</p>
    ${technicalDetails(html`<p><code>${technical}</code></p>`)}
  </main>`,
});

/** Sends the response for an error that a route or a hook threw. */
export async function answerError(
  error: FastifyError | PorchlightError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { status, code, message, retryAfterSeconds } = readable(error, request.method);
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  if (status >= 500 && !(error instanceof RetryLater)) request.log.error({ err: error }, 'request failed');
  if (error instanceof RetryLater) reply.header('retry-after', error.retryAfterSeconds);
  if (error instanceof BearerError) reply.header('www-authenticate', error.challenge);
  reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
  if (request.routeOptions.config.page === true) {
    await sendPage(reply, status, errorPage(message, `${status} ${code}`));
    return;
  }
  const named = !(error instanceof BearerError) || error.named;
  await reply.code(status).send(named ? errorBody(code, message) : {});
}

/**
 * Responds to a GET or HEAD request for a path without a route. `isVisit`: whether a person is opening the page.
 * Resolves with false if it sent no response. If `isVisit` is true, it always sends one.
 */
export type SendRest = (request: FastifyRequest, reply: FastifyReply, isVisit: boolean) => Promise<boolean>;

const sendPlainNothing = (reply: FastifyReply) =>
  sendPage(reply, 404, {
    title: 'Page not found',
    isOwners: true,
    body: html`<main>
      <h1>Page not found</h1>
      <p>There is no page at this address. The link may be old or mistyped.</p>
      <p><a href="/">Go to the home page</a></p>
    </main>`,
  });

/**
 * Responds with 404 to a request for an unknown URL, and with 405 to an unsupported method. `sendRest`: called first
 * for GET and HEAD requests to paths without a route; absent if all pages of the app have routes.
 */
export async function answerNotFound(
  request: FastifyRequest,
  reply: FastifyReply,
  sendRest?: SendRest,
): Promise<void> {
  const path = request.url.split('?', 1)[0] ?? '/';
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
  const allowed = methods.filter((method) => exists(request.server.findRoute({ method, url: path })));
  if (allowed.length > 0) {
    await reply
      .code(405)
      .header('allow', allowed.join(', '))
      .send(errorBody('invalid_request', `This address does not accept ${request.method} requests.`));
    return;
  }
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  // Browsers list HTML first in Accept, and other programs don't.
  const isVisit = isRead && /^text\/html\b/i.test(request.headers.accept ?? '');
  if (isRead && (await sendRest?.(request, reply, isVisit)) === true) return;
  if (isVisit) await sendPlainNothing(reply);
  else await reply.code(404).send(errorBody('not_found', 'There is nothing at this address.'));
}

/** Returns whether a route was found. Fastify's types omit the null that `findRoute` returns for an unknown route. */
function exists(route: object | null): boolean {
  return route !== null;
}
