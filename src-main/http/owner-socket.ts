import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import Fastify, { LogController, type FastifyBaseLogger } from 'fastify';
import type { OwnerApi } from '../contract/contract.ts';
import { makeSocketPlace } from '../platform/socket-place.ts';
import { answerError, answerNotFound } from './errors.ts';
import { addOwnerCalls, ownerBodyLimit } from './owner-calls.ts';

/** How the window was opened: through a link for a browser (also in a file), or by showing it (both null). */
export interface OpenedWindow {
  readonly link: string | null;
  /** The path of a page that leads to the link and that only the owner can read. For a browser's command line. */
  readonly file: string | null;
}

export interface OwnerSocketOptions {
  readonly owner: OwnerApi;
  /** A data folder whose lock this process holds. */
  readonly dataDir: string;
  readonly version: string;
  readonly log: FastifyBaseLogger;
  readonly openWindow: () => OpenedWindow;
}

/**
 * Serves the contract's calls to the `porchlight` command, on a socket that only the owner can open. No other user may
 * write to the socket and no browser can reach it, so it requires no key. If the folder does not support sockets, the
 * server still runs: this logs a warning, and the command finds no server.
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
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(answerNotFound);
  app.removeContentTypeParser('text/plain');
  app.get('/version', () => ({ program: 'porchlight', version }));
  app.post('/window', () => openWindow());
  await app.register(
    (api, _options, done) => {
      addOwnerCalls(api, owner);
      done();
    },
    { prefix: '/api' },
  );
  await app.ready();
  const place = await makeSocketPlace(dataDir);
  const { server } = app;
  try {
    bindPrivately(() => server.listen(place.path));
    await once(server, 'listening'); // rejects with the error of the server's `error` event
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

/**
 * Binds synchronously, so the umask restricts the socket from the moment it exists. This umask keeps folders usable for
 * the owner.
 */
function bindPrivately(bind: () => void): void {
  const before = process.umask(0o077);
  try {
    bind();
  } finally {
    process.umask(before);
  }
}
