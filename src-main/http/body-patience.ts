import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * True if the route accepts large files. A body may then take as long as it needs, provided that data keeps
     * arriving.
     */
    upload?: boolean;
  }
}

/** Time limits for receiving a request body, in ms. */
export interface BodyPatience {
  /**
   * On a route without uploads, the limit for the whole body. On an upload route, the limit for the rest of the body
   * after the response was sent.
   */
  readonly bodyMs: number;
  /** The longest pause without any data on an upload route. The actual limit is up to a quarter longer. */
  readonly silenceMs: number;
  /** The limit for any request as a whole; Node checks it every 30 s. */
  readonly totalMs: number;
}

export const usualPatience: BodyPatience = {
  bodyMs: 60_000,
  silenceMs: 60_000,
  totalMs: 6 * 60 * 60 * 1000,
};

/** How often the arrival of data is checked within `silenceMs`. A check only compares two byte counts. */
const looks = 4;

/** Ends requests whose body does not arrive in time. A request without a body costs only two header look-ups. */
export function boundBody({ bodyMs, silenceMs }: BodyPatience): onRequestHookHandler {
  return (request, reply, done) => {
    if (hasBody(request)) {
      if (request.routeOptions.config.upload === true) {
        boundSilence(request, reply, silenceMs);
        // Once the response is sent, nobody needs the rest of the body, and a stranger could keep sending for hours.
        reply.raw.once('finish', () => {
          if (!request.raw.complete) boundWhole(request, reply, bodyMs);
        });
      } else boundWhole(request, reply, bodyMs);
    }
    done();
  };
}

function hasBody({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function boundWhole(request: FastifyRequest, reply: FastifyReply, ms: number): void {
  const timer = setTimeout(() => giveUp(request, reply), ms);
  whenOver(request, () => clearTimeout(timer));
}

/**
 * Calls `end` once the body is complete or no more of it can arrive. Listens to the socket's `close` as well: if the
 * sender hangs up after the response, the request does not emit `close`, and a timer that waits for that event would
 * keep the request in memory.
 */
function whenOver({ raw }: FastifyRequest, end: () => void): void {
  const { socket } = raw;
  const over = (): void => {
    socket.off('close', over);
    raw.off('end', over).off('close', over);
    end();
  };
  socket.once('close', over);
  raw.once('end', over).once('close', over);
}

function boundSilence(request: FastifyRequest, reply: FastifyReply, ms: number): void {
  const { raw } = request;
  let seen = raw.socket.bytesRead;
  let silentLooks = 0;
  const timer = setInterval(() => {
    const { bytesRead } = raw.socket;
    silentLooks = bytesRead === seen ? silentLooks + 1 : 0;
    seen = bytesRead;
    if (silentLooks === looks) giveUp(request, reply);
  }, ms / looks);
  whenOver(request, () => clearInterval(timer));
}

/** Ends an overdue request the way Node does: sends a short response unless one has begun, then closes the connection. */
function giveUp({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) return; // the whole body arrived; the delay is on this server's side
  if (!reply.raw.headersSent) raw.socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
  raw.socket.destroySoon();
}
