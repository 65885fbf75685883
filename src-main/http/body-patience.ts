import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

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
