import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { OwnerApi } from '../contract/contract.ts';
import { type ErrorCode, PorchlightError } from '../contract/error.ts';
import { sameText } from '../platform/secrets.ts';
import { makeSocketPlace } from '../platform/socket-place.ts';
import { answerError, answerNotFound } from './error-answers.ts';
import { noRouteSchemas } from './request-guards.ts';

/**
 * How to open the owner's window. `link`: its URL for a browser. `file`: a page on disk that redirects to that URL.
 * Both are null if the desktop app has shown the window itself.
 */
export interface OpenedWindow {
  readonly link: string | null;
  /**
   * The path of a page that redirects to the link. It is safe to pass this path on a browser's command line, which
   * other users can see: only the owner can read the page.
   */
  readonly file: string | null;
}

interface OwnerSocketOptions {
  readonly owner: OwnerApi;
  /** The data folder. This process must have locked it. */
  readonly dataDir: string;
  readonly version: string;
  readonly log: FastifyBaseLogger;
  readonly openWindow: () => OpenedWindow;
}

/**
 * Lets the `porchlight` command make the owner's calls, through a socket that browsers can't reach. A socket in the data
 * folder needs no key, because only the owner can open it. One elsewhere needs the key of makeSocketPlace. If the data folder doesn't support
 * sockets, this function logs a warning, and the command finds no server.
 */
export async function openOwnerSocket(options: OwnerSocketOptions): Promise<{ close(): Promise<void> }> {
  try {
    return await listen(options);
  } catch (error) {
    options.log.warn(
      { err: error },
      'The porchlight command cannot connect: its socket could not be opened.',
    );
    return { close: () => Promise.resolve() };
  }
}

async function listen({ owner, dataDir, version, log, openWindow }: OwnerSocketOptions) {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: ownerBodyLimit,
    schemaController: noRouteSchemas,
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(answerNotFound);
  app.removeContentTypeParser('text/plain');
  const place = await makeSocketPlace(dataDir);
  const { key } = place;
  if (key !== undefined)
    app.addHook('onRequest', ({ headers }, _reply, done) => {
      const isOwner = sameText(headers.authorization ?? '', `Bearer ${key}`);
      done(isOwner ? undefined : new PorchlightError('unauthorized', 'This socket needs its key.', 401));
    });
  app.get('/version', () => ({ program: 'porchlight', version }));
  app.post('/window', () => openWindow());
  await app.register(
    (api, _options, done) => {
      addOwnerCalls(api, owner);
      done();
    },
    { prefix: '/api' },
  );
  const { server } = app;
  try {
    await app.ready();
    bindPrivately(() => server.listen(place.path));
    await once(server, 'listening'); // rejects if the server emits `error`
    if (process.platform !== 'win32') await chmod(place.path, 0o600);
  } catch (error) {
    server.close();
    await place.remove();
    throw error;
  }
  return {
    async close() {
      server.close();
      server.closeAllConnections();
      await app.close();
      await place.remove();
    },
  };
}

/** Calls `bind` synchronously under a restrictive umask, so that the socket is private from the start. */
function bindPrivately(bind: () => void): void {
  const before = process.umask(0o077);
  try {
    bind();
  } finally {
    process.umask(before);
  }
}

/**
 * The size limit of a request body: 32 MiB, enough for a base64-encoded file from the owner (see windowUploadBytes).
 */
export const ownerBodyLimit = 32 * 1024 * 1024;

/**
 * Adds the route `POST /<method>` for the calls of the owner's API (contract/contract.ts). The caller must check that
 * requests come from the owner.
 */
export function addOwnerCalls(api: FastifyInstance, owner: OwnerApi): void {
  api.post<{ Params: { method: string } }>('/:method', async (request, reply) => {
    const answer = await owner.call(request.params.method, request.body ?? {});
    return reply.code('error' in answer ? (statuses[answer.error.code] ?? 400) : 200).send(answer);
  });
}

const statuses: Partial<Record<ErrorCode, number>> = {
  unknown_method: 404,
  not_found: 404,
  conflict: 409,
  not_editable: 409,
  slug_taken: 409,
  server_error: 500,
  storage_full: 507,
  storage_unwritable: 507,
  storage_gone: 507,
};
