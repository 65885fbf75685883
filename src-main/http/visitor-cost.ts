import { ReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PorchlightError } from '../contract/error.ts';
import { createCostBudget, type CostBudget } from '../platform/cost-budget.ts';
import { createFairTurns, TurnRefused } from '../platform/fair-turns.ts';
import type { Pace } from '../platform/pace.ts';
import { addressOfClient, visitorOf } from './client-address.ts';
import { RetryLater } from './errors.ts';
import { createWorkMeter, type PieceMark } from './work-meter.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: this route mostly waits, for an event or another server. It costs a flat amount. */
    waits?: boolean;
  }
}

/** What parties may use of the main thread, in ms of each minute. */
export interface CostLimits {
  /** A visitor's network, as the tunnel names it. */
  readonly visitorMs: number;
  /** All requests that name no visitor, together: programs on this computer, or all visitors behind an own proxy. */
  readonly nearbyMs: number;
  /** An app by its sign-in, and the owner's programs by the management token. */
  readonly appMs: number;
  /** How long one request may be slowed down in total before it is refused. */
  readonly mostPauseMs: number;
}

export const usualCostLimits: CostLimits = {
  visitorMs: 2000,
  nearbyMs: 20_000,
  appMs: 20_000,
  mostPauseMs: 60_000,
};

export interface VisitorCostOptions {
  readonly limits: CostLimits;
  /** The app behind a request's token, or undefined where no token counts. Asked only where the visitor is over the limit. */
  readonly payerOf: (request: FastifyRequest) => Promise<string | undefined>;
  /** Told of each request that was refused. It must not throw. */
  readonly refused: () => void;
}

/** Parsing, routing and answering the smallest request, in ms: what every request costs at least. */
const flatMs = 0.5;
const waitingFlatMs = 2;
/** Programs on this computer pay for what costs more than this: many small requests are theirs to make. */
const nearbyFreeMs = 5;
/** Long work goes on in pieces of this many ms. */
const pieceMs = 8;
/** A piece that took longer waited for its reader, while others used the main thread. */
const mostPieceMs = 250;
/** Requests of one party that are long work at the same time. */
const mostLong = { visitor: 4, nearby: 40, app: 20 };
/** A party that stops is answered again after this many minutes at the latest. */
const mostDebtMinutes = 2;

type Kind = keyof typeof mostLong;

interface Payer {
  readonly kind: Kind;
  readonly name: string;
}

/** The work of one request: paid by the app whose token counts, else by the visitor. */
interface Work extends Pace {
  payer: Payer;
  begin(): void;
  /** Ends the work, or where its answer is a stream, all of it but that. */
  end(): void;
  /** Begins the work that goes on in a stream. */
  beginStream(): void;
  /** Ends long work that went on in the stream. */
  close(): void;
}

const works = new WeakMap<FastifyRequest, Work>();
const paceless: Pace = { step: () => undefined };

/** The pace of a request's long work. */
export function paceOf(request: FastifyRequest): Pace {
  return works.get(request) ?? paceless;
}

/** Makes an app, known by a token that counts, pay for a request instead of the visitor. */
export function payAs(request: FastifyRequest, app: string): void {
  const work = works.get(request);
  if (work) work.payer = { kind: 'app', name: app };
}

/**
 * Charges each request to its visitor, or its app, and refuses those whose party is over its limit: 429.
 * `malformed` charges a request that the framework refuses before any hook runs.
 */
export function limitCost(
  app: FastifyInstance,
  { limits, payerOf, refused }: VisitorCostOptions,
): { malformed(request: FastifyRequest): void } {
  const meter = createWorkMeter();
  const clock = () => performance.now();
  // Half at once and half over the minute: no minute holds more than the limit.
  const budgetOf = (perMinute: number): CostBudget =>
    createCostBudget({
      burst: perMinute / 2,
      perMinute: perMinute / 2,
      mostDebt: (perMinute / 2) * mostDebtMinutes,
      clock,
    });
  const budgets: Record<Kind, CostBudget> = {
    visitor: budgetOf(limits.visitorMs),
    nearby: budgetOf(limits.nearbyMs),
    app: budgetOf(limits.appMs),
  };
  // One piece of long work in each turn of the event loop, whoever wants it: small requests go in between.
  const turns = createFairTurns({ concurrency: 1, mostWaiting: 1000, mostWaitingPerParty: 100 });
  const long = new Map<string, number>();
  let closing = false;

  const waitMs = ({ kind, name }: Payer) => budgets[kind].waitMs([name]);
  const charge = ({ kind, name }: Payer, ms: number) => budgets[kind].charge([name], ms);
  function chargeShort(payer: Payer, ms: number): void {
    const cost = payer.kind === 'nearby' ? ms - nearbyFreeMs : ms;
    if (cost > 0) charge(payer, cost);
  }

  function refusal(wait: number, status: 429 | 503 = 429): RetryLater {
    refused();
    const seconds = Math.max(1, Math.ceil(wait / 1000));
    return new RetryLater(`Too many requests. Try again in ${seconds} s.`, wait, status);
  }

  function workOf(request: FastifyRequest, payer: Payer): Work {
    let mark: number | undefined;
    let piece: PieceMark | undefined;
    let longName: string | undefined;
    let paused = 0;
    /** When the current piece began. */
    let at = Infinity;

    function enterLong(): void {
      const { kind, name } = work.payer;
      const key = `${kind} ${name}`;
      const count = long.get(key) ?? 0;
      if (count >= mostLong[kind]) throw refusal(waitMs(work.payer));
      long.set(key, count + 1);
      longName = key;
    }

    async function pause(): Promise<void> {
      settle();
      if (longName === undefined) enterLong();
      for (let wait = waitMs(work.payer); wait > 0; wait = waitMs(work.payer)) {
        if (paused >= limits.mostPauseMs) throw refusal(wait);
        const ms = Math.min(wait, 500);
        await delay(ms, undefined, { ref: false });
        paused += ms;
        if (closing) throw refusal(wait, 503);
        if (request.socket.destroyed)
          throw new PorchlightError('gone', 'The visitor closed the connection.', 499);
      }
      try {
        await turns.run(`${work.payer.kind} ${work.payer.name}`, () => nextTurn());
      } catch (error) {
        throw error instanceof TurnRefused ? refusal(1000, 503) : error;
      }
      piece = meter.beginPiece();
      at = performance.now();
    }

    /** Charges what was spent so far. */
    function settle(): void {
      if (mark !== undefined) chargeShort(work.payer, Math.max(flatMs, meter.endShared(mark)));
      mark = undefined;
      if (piece !== undefined) charge(work.payer, Math.min(mostPieceMs, meter.endPiece(piece)));
      piece = undefined;
    }

    const work: Work = {
      payer,
      begin() {
        const { waits, upload } = request.routeOptions.config;
        if (waits === true || upload === true) return;
        mark = meter.beginShared();
        at = performance.now();
      },
      step: () => (performance.now() - at < pieceMs ? undefined : pause()),
      end() {
        if (mark === undefined && piece === undefined)
          chargeShort(work.payer, request.routeOptions.config.waits === true ? waitingFlatMs : flatMs);
        else settle();
      },
      beginStream() {
        piece = meter.beginPiece();
        at = performance.now();
      },
      close() {
        settle();
        if (longName === undefined) return;
        const left = (long.get(longName) ?? 1) - 1;
        if (left > 0) long.set(longName, left);
        else long.delete(longName);
        longName = undefined;
      },
    };
    return work;
  }

  async function admit(request: FastifyRequest, work: Work): Promise<void> {
    const wait = waitMs(work.payer);
    const name = await payerOf(request).catch(() => undefined);
    if (name !== undefined) work.payer = { kind: 'app', name };
    const left = name === undefined ? wait : waitMs(work.payer);
    if (left > 0) throw refusal(left);
  }

  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const work = workOf(request, payerAt(request));
    works.set(request, work);
    if (waitMs(work.payer) === 0) done();
    else admit(request, work).then(() => done(), done);
  });
  app.addHook('preHandler', (request, _reply, done) => {
    works.get(request)?.begin();
    done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    const work = works.get(request);
    if (!work) {
      done(null, payload);
      return;
    }
    work.end();
    if (!(payload instanceof Readable) || payload instanceof ReadStream) {
      work.close();
      done(null, payload);
      return;
    }
    work.beginStream();
    const paced = Readable.from(inPieces(payload, work), { objectMode: payload.readableObjectMode });
    paced.once('close', () => {
      work.close();
      payload.destroy();
    });
    done(null, paced);
  });
  return { malformed: (request) => chargeShort(payerAt(request), flatMs) };
}

function payerAt(request: FastifyRequest): Payer {
  return visitorOf(request) === undefined
    ? { kind: 'nearby', name: '' }
    : { kind: 'visitor', name: addressOfClient(request) };
}

/** A list that is written while it is sent goes on in pieces; a reader who stops reading stops it too. */
async function* inPieces(source: Readable, pace: Pace): AsyncGenerator {
  for await (const chunk of source) {
    const pause = pace.step();
    if (pause) await pause;
    yield chunk;
  }
}
