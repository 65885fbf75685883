import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import { PorchlightError } from '../contract/error.ts';
import { errorPage } from './error-answers.ts';
import { markupOf, policyOf } from './page.ts';
import { noStoreHeaders, securityHeaders } from './response-headers.ts';

// A host name or an IPv4 address, or an IPv6 address in brackets, with an optional port (RFC 9110, 7.2).
const hostForm = /^(?:[a-z0-9._-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Refuses a request with an ambiguous host (RFC 9112, 3.2): two Host headers, an invalid Host, or an absolute URL as
 * its target. Otherwise, this server and a proxy in front of it could use different hosts: Node uses the first Host
 * header, and the router ignores the host of an absolute URL. Used as an onRequest hook.
 * @throws PorchlightError invalid_request
 */
export function refuseDoubtfulHost(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { rawHeaders, url = '', headers } = request.raw;
  const { host } = headers;
  const isPath = url.startsWith('/') || url === '*';
  if (isPath && countOfHosts(rawHeaders) <= 1 && (host === undefined || hostForm.test(host))) {
    done();
    return;
  }
  throw new PorchlightError('invalid_request', 'The request must name exactly one host.');
}

/** Returns the number of Host headers. `rawHeaders`: alternating names and values, as received. */
function countOfHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** How long a client may go on sending after the response, in ms. A connection that closes earlier loses the response. */
const lingerMs = 2_000;

const problems: Readonly<Record<string, { readonly status: string; readonly message: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'The address or the search is too long. Shorten it, and try again.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message: 'The request took too long to arrive. Try again.',
  },
};
/** Only a program sends what isn't HTTP, so the response is JSON, as for all errors that programs get. */
const unreadable = {
  status: '400 Bad Request',
  type: 'application/json; charset=utf-8',
  text: JSON.stringify({
    error: 'invalid_request',
    error_description: 'This server can’t read the request.',
  }),
};

/**
 * Responds to a request that Node.js can't parse: with an error page if its address and headers exceed 16 KB or take too
 * long. Such a request reaches no route and no hook. Closes the connection.
 */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  // The response to an earlier request may be incomplete, and must not be continued with another one.
  const { _httpMessage: current } = socket as { readonly _httpMessage?: { readonly headersSent: boolean } };
  if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent === true) {
    socket.destroy();
    return;
  }
  const problem = problems[error.code ?? ''];
  const page = problem && errorPage(problem.message, problem.status);
  const { status } = problem ?? unreadable;
  const body = Buffer.from(page ? markupOf(page) : unreadable.text);
  const headers = {
    ...securityHeaders,
    ...noStoreHeaders,
    ...(page && { 'content-security-policy': policyOf(page) }),
    'content-type': page ? 'text/html; charset=utf-8' : unreadable.type,
    'content-length': body.length,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`);
  socket.end(body);
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * True if the route accepts large files. On such a route, a body may take up to `totalMs`, as long as data keeps
     * arriving.
     */
    upload?: boolean;
  }
}

/** Time limits for receiving a request body, in ms. Except for `totalMs`, the actual limits may be up to 1 s longer. */
export interface BodyPatience {
  /** The time limit for a body. On an upload route, the limit applies only after the response has been sent. */
  readonly bodyMs: number;
  /** The maximum time without new data on an upload route. */
  readonly silenceMs: number;
  /** The time limit for receiving an entire request, on every route. Node checks this limit every 30 s. */
  readonly totalMs: number;
}

export const usualPatience: BodyPatience = {
  bodyMs: 60_000,
  silenceMs: 60_000,
  totalMs: 6 * 60 * 60 * 1000,
};

/** The maximum time between two checks of the bodies that are still arriving, in ms. */
const longestPauseMs = 500;

/** A body that is still arriving. Times are in ms (performance.now) and are set at the first check. */
interface Arriving {
  readonly reply: FastifyReply;
  /**
   * When the time limit `bodyMs` starts: at the first check or, on an upload route, at the first check after the
   * response was sent.
   */
  since: number | undefined;
  /**
   * The number of bytes that the connection had received at the last check that found new data. `seenAt`: the time of
   * that check.
   */
  seen: number;
  seenAt: number;
}

/**
 * Ends requests whose body does not arrive in time. One timer checks all of them, because timers and listeners for each
 * request would cost more than reading a small body.
 */
export function boundBodies(app: FastifyInstance, { bodyMs, silenceMs }: BodyPatience): void {
  const arriving = new Map<FastifyRequest, Arriving>();
  let timer: NodeJS.Timeout | undefined;

  app.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request)) {
      arriving.set(request, { reply, since: undefined, seen: -1, seenAt: 0 });
      timer ??= setInterval(check, Math.min(longestPauseMs, bodyMs / 4, silenceMs / 4)).unref();
    }
    done();
  });
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.raw.complete) arriving.delete(request);
    done();
  });

  app.addHook('onClose', (_app, done) => {
    clearInterval(timer);
    done();
  });

  function check(): void {
    const now = performance.now();
    for (const [request, body] of arriving) {
      const { raw } = request;
      if (raw.complete || raw.socket.destroyed) arriving.delete(request);
      else if (isOverdue(request, body, now)) {
        arriving.delete(request);
        giveUp(request, body.reply);
      }
    }
    if (arriving.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function isOverdue({ raw, routeOptions }: FastifyRequest, body: Arriving, now: number): boolean {
    const isUpload = routeOptions.config.upload === true;
    // On an upload route, the time limit starts after the response. Nobody needs the rest of the body then, but a
    // stranger could keep sending it for hours.
    if (!isUpload || body.reply.raw.writableFinished) body.since ??= now;
    if (body.since !== undefined && now - body.since >= bodyMs) return true;
    const { bytesRead } = raw.socket;
    if (bytesRead !== body.seen) [body.seen, body.seenAt] = [bytesRead, now];
    return isUpload && now - body.seenAt >= silenceMs;
  }
}

function hasBody({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Ends an overdue request as Node would: sends a short response, unless a response has already started, and closes the
 * connection.
 */
function giveUp({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (!reply.raw.headersSent) raw.socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
  raw.socket.destroySoon();
}

/**
 * A Fastify option that rejects routes with Fastify schemas. Porchlight's routes need no such schemas, because they
 * validate requests with TypeBox. Without this option, Fastify would prepare Ajv and fast-json-stringify, which takes a
 * tenth of the CPU time of each startup.
 */
export const noRouteSchemas: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: () => refuseSchema, buildSerializer: () => refuseSchema },
};

function refuseSchema(): never {
  throw new Error('Check the request in the route with isValid (storage/schema-check.ts).');
}
