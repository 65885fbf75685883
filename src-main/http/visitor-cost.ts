import { ReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PorchlightError } from '../contract/error.ts';
import { type CostBudget, createCostBudget, type Pace } from '../platform/cost-budget.ts';
import { createFairTurns, TurnRefused } from '../platform/fair-turns.ts';
import { isOwnRequest } from './ask-self.ts';
import { nameOfClient, visitorOf } from './client-address.ts';
import { RetryLater } from './errors.ts';
import { createWorkMeter, type PieceMark } from './work-meter.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * True if this route mostly waits for an event or another server. Each request to such a route is charged a fixed
     * amount of time.
     */
    waits?: boolean;
  }
  interface FastifyRequest {
    /** The measured work of this request; null before the first hook, and for this server's own requests. */
    work: RequestWork | null;
  }
}

/** How much main-thread time requests may use, in ms per minute, and how long one request may be delayed. */
export interface CostLimits {
  /** The limit for one visitor's network, as reported by the tunnel. */
  readonly visitorMs: number;
  /**
   * The common limit for all requests without a visitor's address. They come from programs on this computer, or from
   * visitors behind the owner's own proxy.
   */
  readonly nearbyMs: number;
  /**
   * The limit for one app, identified by its sign-in. All programs that use the management token together count as one
   * app.
   */
  readonly appMs: number;
  /** How long one request may be delayed in total, in ms. After that, it is refused. */
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
  /**
   * Returns the app to which a request's token belongs; undefined if there is no valid token. Called only if the
   * visitor is over the limit.
   */
  readonly payerOf: (request: FastifyRequest) => Promise<string | undefined>;
  /** Called for each request that is refused. Must not throw. */
  readonly refused: () => void;
}

/** The minimum charge for a request, in ms: the cost of parsing, routing and answering the smallest request. */
const flatMs = 0.5;
const waitingFlatMs = 2;
/**
 * The time, in ms, that each request without a visitor's address may use free of charge. Programs on this computer may
 * make many small requests of this kind.
 */
const nearbyFreeMs = 5;
/** Long work is interrupted after this many ms, so that other requests can run. */
const pieceMs = 8;
/**
 * The maximum charge for one piece of long work, in ms. Any time beyond this was spent waiting for the client to read
 * the response.
 */
const mostPieceMs = 250;
/**
 * The maximum number of requests that may do long work at the same time: for one visitor, for all requests without a
 * visitor's address, and for one app.
 */
const mostLong = { visitor: 4, nearby: 40, app: 20 };
/**
 * The maximum time, in minutes, that a visitor or app over its limit has to wait before its requests are accepted
 * again. The wait may be longer if the visitor or app keeps sending requests.
 */
const mostDebtMinutes = 2;

type Kind = keyof typeof mostLong;

interface Payer {
  readonly kind: Kind;
  readonly name: string;
}

const nearby: Payer = { kind: 'nearby', name: '' };
const paceless: Pace = { step: () => undefined };

/** Returns the object that splits a request's long work into pieces. */
export function paceOf(request: FastifyRequest): Pace {
  return request.work ?? paceless;
}

/**
 * Charges a request to `app` instead of the visitor. The caller must have verified the app's token.
 * @throws RetryLater (429) if the app is over its limit.
 */
export function payAs({ work }: FastifyRequest, app: string): void {
  work?.payAs(app);
}

/** What visitors and apps have used, and how much is left to them. */
class Costs {
  readonly limits: VisitorCostOptions['limits'];
  readonly meter = createWorkMeter();
  // Only one piece of long work runs per event loop iteration, so that small requests run between the pieces.
  readonly turns = createFairTurns({ concurrency: 1, mostWaiting: 1000, mostWaitingPerParty: 100 });
  /** The number of requests with long work, by payer. */
  readonly long = new Map<string, number>();
  readonly #budgets: Record<Kind, CostBudget>;
  readonly #refused: () => void;
  isClosing = false;

  constructor({ limits, refused }: Pick<VisitorCostOptions, 'limits' | 'refused'>) {
    this.limits = limits;
    this.#refused = refused;
    this.#budgets = {
      visitor: budgetOf(limits.visitorMs),
      nearby: budgetOf(limits.nearbyMs),
      app: budgetOf(limits.appMs),
    };
  }

  waitMs({ kind, name }: Payer): number {
    return this.#budgets[kind].waitMs([name]);
  }

  charge({ kind, name }: Payer, ms: number): void {
    this.#budgets[kind].charge([name], ms);
  }

  chargeShort(payer: Payer, ms: number): void {
    const cost = payer.kind === 'nearby' ? ms - nearbyFreeMs : ms;
    if (cost > 0) this.charge(payer, cost);
  }

  refusal(wait: number, status: 429 | 503 = 429): RetryLater {
    this.#refused();
    const seconds = Math.max(1, Math.ceil(wait / 1000));
    return new RetryLater(`Too many requests. Try again in ${seconds} s.`, wait, status);
  }
}

/**
 * Creates a budget. Half of the limit is available immediately, and the other half accrues over a minute. Together, they
 * never exceed the limit in any minute.
 */
const budgetOf = (perMinute: number): CostBudget =>
  createCostBudget({
    burst: perMinute / 2,
    perMinute: perMinute / 2,
    mostDebt: (perMinute / 2) * mostDebtMinutes,
    clock: () => performance.now(),
  });

/** The measured work of a request. It is charged to the app if the request has a valid token, or else to the visitor. */
class RequestWork implements Pace {
  #payer: Payer;
  readonly #costs: Costs;
  readonly #request: FastifyRequest;
  #mark: number | undefined;
  #piece: PieceMark | undefined;
  #longName: string | undefined;
  #paused = 0;
  /** When the current piece of work started, in ms (performance.now). */
  #at = Infinity;

  constructor(costs: Costs, request: FastifyRequest) {
    this.#costs = costs;
    this.#request = request;
    this.#payer = payerAt(request);
  }

  begin(): void {
    const { waits, upload } = this.#request.routeOptions.config;
    // While a form with files arrives, its request mostly waits for the client.
    if (waits === true || (upload === true && !this.#request.raw.complete)) return;
    this.#mark = this.#costs.meter.beginShared();
    this.#at = performance.now();
  }

  /** Returns how long the visitor or app that pays has to wait, in ms; 0 if it is within its limit. */
  waitMs(): number {
    return this.#costs.waitMs(this.#payer);
  }

  payAs(app: string): void {
    // A form with files shows its token before each file, and must not be refused between two of them.
    if (this.#payer.kind === 'app' && this.#payer.name === app) return;
    this.#payer = { kind: 'app', name: app };
    const wait = this.waitMs();
    if (wait > 0) throw this.#costs.refusal(wait);
  }

  step(): Promise<void> | undefined {
    return performance.now() - this.#at < pieceMs ? undefined : this.#pause();
  }

  /**
   * Charges the time that building the response has taken, or a fixed amount if it wasn't measured, such as on routes
   * that mostly wait.
   */
  end(): void {
    if (this.#mark === undefined && this.#piece === undefined)
      this.#costs.chargeShort(
        this.#payer,
        this.#request.routeOptions.config.waits === true ? waitingFlatMs : flatMs,
      );
    else this.#settle();
  }

  /** Starts measuring how long streaming the response takes. */
  beginStream(): void {
    this.#piece = this.#costs.meter.beginPiece();
    this.#at = performance.now();
  }

  /** Charges the time that isn't charged yet, such as the time for streaming. */
  close(): void {
    this.#settle();
    if (this.#longName === undefined) return;
    const left = (this.#costs.long.get(this.#longName) ?? 1) - 1;
    if (left > 0) this.#costs.long.set(this.#longName, left);
    else this.#costs.long.delete(this.#longName);
    this.#longName = undefined;
  }

  #enterLong(): void {
    const { kind, name } = this.#payer;
    const key = `${kind} ${name}`;
    const count = this.#costs.long.get(key) ?? 0;
    if (count >= mostLong[kind]) throw this.#costs.refusal(this.waitMs());
    this.#costs.long.set(key, count + 1);
    this.#longName = key;
  }

  async #pause(): Promise<void> {
    this.#settle();
    if (this.#longName === undefined) this.#enterLong();
    for (let wait = this.waitMs(); wait > 0; wait = this.waitMs()) {
      if (this.#paused >= this.#costs.limits.mostPauseMs) throw this.#costs.refusal(wait);
      const ms = Math.min(wait, 500);
      await delay(ms, undefined, { ref: false });
      this.#paused += ms;
      if (this.#costs.isClosing) throw this.#costs.refusal(wait, 503);
      if (this.#request.socket.destroyed)
        throw new PorchlightError('visitor_gone', 'The visitor closed the connection.', 499);
    }
    try {
      await this.#costs.turns.run(`${this.#payer.kind} ${this.#payer.name}`, () => nextTurn());
    } catch (error) {
      throw error instanceof TurnRefused ? this.#costs.refusal(1000, 503) : error;
    }
    this.beginStream();
  }

  /** Charges the time that the work has used so far. */
  #settle(): void {
    if (this.#mark !== undefined)
      this.#costs.chargeShort(this.#payer, Math.max(flatMs, this.#costs.meter.endShared(this.#mark)));
    this.#mark = undefined;
    if (this.#piece !== undefined)
      this.#costs.charge(this.#payer, Math.min(mostPieceMs, this.#costs.meter.endPiece(this.#piece)));
    this.#piece = undefined;
  }
}

/**
 * Charges each request to its visitor or app. Refuses requests with 429 while that visitor or app is over its limit.
 * The returned function `malformed` charges a request that the framework refuses before any hook runs.
 */
export function limitCost(
  app: FastifyInstance,
  { limits, payerOf, refused }: VisitorCostOptions,
): { malformed(request: FastifyRequest): void } {
  const costs = new Costs({ limits, refused });

  async function admit(request: FastifyRequest, work: RequestWork): Promise<void> {
    const wait = work.waitMs();
    const name = await payerOf(request).catch(() => undefined);
    if (name === undefined) throw costs.refusal(wait);
    work.payAs(name);
  }

  app.addHook('preClose', (done) => {
    costs.isClosing = true;
    done();
  });
  app.decorateRequest('work', null);
  app.addHook('onRequest', (request, _reply, done) => {
    if (isOwnRequest(request)) {
      done();
      return;
    }
    const work = new RequestWork(costs, request);
    request.work = work;
    if (work.waitMs() === 0) done();
    else admit(request, work).then(() => done(), done);
  });
  app.addHook('preHandler', ({ work }, _reply, done) => {
    work?.begin();
    done();
  });
  app.addHook('onSend', ({ work }, _reply, payload, done) => {
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
  return { malformed: (request) => costs.chargeShort(payerAt(request), flatMs) };
}

function payerAt(request: FastifyRequest): Payer {
  const visitor = visitorOf(request);
  return visitor === undefined ? nearby : { kind: 'visitor', name: nameOfClient(request, visitor) };
}

/**
 * Yields the chunks of a response while it is generated, and pauses between chunks when `pace` requires it. If the
 * client stops reading, no more chunks are generated.
 */
async function* inPieces(source: Readable, pace: Pace): AsyncGenerator {
  for await (const chunk of source) {
    const pause = pace.step();
    if (pause) await pause;
    yield chunk;
  }
}
