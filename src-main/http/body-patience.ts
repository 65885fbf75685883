import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: large files come in here, so that a body may take as long as data keeps coming. */
    upload?: boolean;
  }
}

/** Milliseconds. */
export interface BodyPatience {
  /** For the whole body, on a route that takes no uploads; on one that does, for what is left after the answer. */
  readonly bodyMs: number;
  /** Without any byte, on a route that takes uploads; up to a quarter more. */
  readonly silenceMs: number;
  /** For any request; checked every 30 s. */
  readonly totalMs: number;
}

export const usualPatience: BodyPatience = {
  bodyMs: 60_000,
  silenceMs: 60_000,
  totalMs: 6 * 60 * 60 * 1000,
};

/** Looks per silence: a look is cheap, and costs nothing where data has come. */
const looks = 4;

/** Ends requests whose body does not arrive. Those without a body cost two looks at their headers. */
export function boundBody({ bodyMs, silenceMs }: BodyPatience): onRequestHookHandler {
  return (request, reply, done) => {
    if (hasBody(request)) {
      if (request.routeOptions.config.upload === true) {
        boundSilence(request, reply, silenceMs);
        // Nobody wants the rest any more: a stranger's could go on for hours.
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
 * Calls `end` once the body is complete or nothing more can come. A request whose sender hangs up after the response
 * emits no `close` of its own, so a timer that waits for it keeps the request in memory.
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

/** As Node's own time-out does it: a short answer where none has begun, and the connection ends. */
function giveUp({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) return; // it is all here; what takes long is ours
  if (!reply.raw.headersSent) raw.socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
  raw.socket.destroySoon();
}
