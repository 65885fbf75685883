import fastifyStatic from '@fastify/static';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyPluginCallback,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { Type } from 'typebox';
import type { OwnerApi, OwnerEvent } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import { holderOfPort } from '../platform/port-holder.ts';
import { newSecretText, sameText, secretHash } from '../platform/secrets.ts';
import { isValid } from '../storage/schema-check.ts';
import { bearerOf } from './bearer.ts';
import { answerError, answerNotFound } from './error-answers.ts';
import { invalidRequest, invalidToken } from './errors.ts';
import { downloadRoute, uploadRoute, type FileTransfers } from './file-transfers.ts';
import { listenFault, listeningPort } from './listener.ts';
import { addOwnerCalls, ownerBodyLimit } from './owner-socket.ts';
import { noRouteSchemas, refuseDoubtfulHost } from './request-guards.ts';
import { windowPolicy } from './response-headers.ts';

export interface Console {
  /** The URL of the owner's window, without a trailing slash. */
  readonly url: string;
  /** A random key, new at each start. Only pages that the owner opened have it. */
  readonly ownerKey: string;
  /** Returns a link that opens the window. The link works once, within two minutes. */
  newLink(): string;
  close(): Promise<void>;
}

interface ConsoleOptions {
  readonly owner: OwnerApi;
  readonly transfers: FileTransfers;
  readonly port: number;
  /** The folder with the built files of the window. */
  readonly windowDir: string;
  readonly log: FastifyBaseLogger;
}

const heartbeatMs = 15_000;

/**
 * Serves the owner's window as a page on loopback, on a listener that the tunnel never reaches. Other programs and
 * websites can reach loopback too, so every call needs the owner key. To prevent DNS rebinding and requests from other
 * sites, Host and Origin must match this listener, and responses have no CORS headers.
 * @throws PorchlightError port_taken if it cannot listen on the port
 */
export async function openConsole({ port, windowDir, log, ...options }: ConsoleOptions): Promise<Console> {
  const ownerKey = newSecretText();
  const codes = createWindowCodes();
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: ownerBodyLimit,
    forceCloseConnections: true,
    schemaController: noRouteSchemas,
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(answerNotFound);
  app.addHook('onRequest', refuseDoubtfulHost);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({
      'content-security-policy': windowPolicy,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    done(isOurs(request, app) ? undefined : notForYou());
  });
  app.removeContentTypeParser('text/plain');

  await app.register(ownerCalls({ ...options, ownerKey }), { prefix: '/api' });
  await app.register(linkCodes({ codes, ownerKey }));
  await app.register(fastifyStatic, { root: windowDir, cacheControl: false });

  try {
    await app.listen({ host: '127.0.0.1', port });
  } catch (error) {
    await app.close();
    throw new PorchlightError(
      'port_taken',
      `${listenFault(error, port, await holderOfPort(port))} The option --console-port sets the port of the window’s page.`,
      500,
    );
  }
  const url = `http://127.0.0.1:${listeningPort(app)}`;
  return {
    url,
    ownerKey,
    newLink: () => `${url}/#code=${codes.create()}`,
    close: () => app.close(),
  };
}

/** Returns whether the Host header, and the Origin header if there is one, match this listener. */
function isOurs(request: FastifyRequest, app: FastifyInstance): boolean {
  const port = listeningPort(app);
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  const { host, origin } = request.headers;
  if (host === undefined || !hosts.includes(host)) return false;
  return origin === undefined || hosts.some((one) => origin === `http://${one}`);
}

/**
 * Registers the routes for the owner's calls and files. A hook on these routes checks access. Checking the text of each URL
 * instead would be unsafe, because the router also matches `/%61pi/...` and `http://.../api/...`.
 */
function ownerCalls({
  owner,
  transfers,
  ownerKey,
}: Pick<ConsoleOptions, 'owner' | 'transfers'> & { ownerKey: string }): FastifyPluginAsync {
  return async (api) => {
    api.addHook('onRequest', (request, _reply, next) => {
      refuseOtherSites(request);
      next();
    });
    await api.register(downloadRoute(transfers));
    await api.register(async (calls) => {
      calls.addHook('onRequest', (request, _reply, next) => {
        if (!sameText(bearerOf(request) ?? '', ownerKey)) throw invalidToken();
        next();
      });
      addOwnerCalls(calls, owner);
      calls.get('/events', (request, reply) => streamEvents(owner, request, reply));
      await calls.register(uploadRoute(transfers));
    });
  };
}

const LinkCode = closed({ code: Type.String({ minLength: 1, maxLength: 200 }) });

/** Exchanges the code in a link for the owner key. Only the first page that opens the link gets the key. */
function linkCodes({ codes, ownerKey }: { codes: WindowCodes; ownerKey: string }): FastifyPluginCallback {
  return (app, _options, done) => {
    app.post(
      '/link',
      {
        onRequest: (request, _reply, next) => {
          refuseOtherSites(request);
          next();
        },
      },
      ({ body }) => {
        if (!isValid(LinkCode, body)) throw invalidRequest('The request contains no code.');
        if (!codes.redeem(body.code)) throw invalidToken();
        return { ownerKey };
      },
    );
    done();
  };
}

/** Throws an error if a request comes from another site. Other sites may link to the page, but must not make calls. */
function refuseOtherSites({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw notForYou();
}

function notForYou(): PorchlightError {
  return new PorchlightError('forbidden', 'This address is for the owner’s own window only.', 403);
}

/**
 * Streams the owner's events, with their names and data, as server-sent events (HTML, 9.2). A comment line, sent at
 * regular intervals, keeps the connection open.
 */
function streamEvents(owner: OwnerApi, request: FastifyRequest, reply: FastifyReply): void {
  const headers = { ...reply.getHeaders(), 'content-type': 'text/event-stream; charset=utf-8' };
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, headers as Record<string, string>);
  raw.write(': hello\n\n');
  const unsubscribe = owner.subscribe(({ name, data }: OwnerEvent) => {
    raw.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  });
  const heartbeat = setInterval(() => raw.write(': still here\n\n'), heartbeatMs);
  request.raw.socket.once('close', () => {
    unsubscribe();
    clearInterval(heartbeat);
  });
}

type WindowCodes = ReturnType<typeof createWindowCodes>;

/** How long a code is valid, in ms: enough time to copy a link from a terminal to a browser. */
const goodForMs = 120_000;
const mostWaiting = 20;

/** Creates the single-use codes in links that open the owner's window. `now`: returns the time in ms. */
export function createWindowCodes(now: () => number = Date.now) {
  const goodUntil = new Map<string, number>();
  return {
    create(): string {
      const code = newSecretText();
      goodUntil.set(secretHash(code), now() + goodForMs);
      for (const hash of [...goodUntil.keys()].slice(0, -mostWaiting)) goodUntil.delete(hash);
      return code;
    },
    /** Returns whether the code is valid, and makes it invalid. */
    redeem(code: string): boolean {
      const hash = secretHash(code);
      const until = goodUntil.get(hash);
      goodUntil.delete(hash);
      return until !== undefined && now() < until;
    },
  };
}
