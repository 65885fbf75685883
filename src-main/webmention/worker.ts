import type { ProcessCounts } from '../contract/webmentions.ts';
import { createCostBudget } from '../platform/cost-budget.ts';
import type { Log } from '../platform/log.ts';
import { siteOfHost } from '../platform/site-name.ts';
import type { Queue } from './queue.ts';
import { rests, type QueueEntry } from './queue-entry.ts';
import type { SourceReader } from './read-source.ts';
import { createHostTurns } from './host-turns.ts';
import { createRun, type Run } from './run.ts';
import { hostOf } from '../mentions/own-sites.ts';
import { applyReading, refusal, type Verdict, type VerificationDeps } from './verification.ts';
import { createVisitorRoom } from './visitor-room.ts';

export interface WorkerDeps extends VerificationDeps {
  readonly queue: Queue;
  readonly reader: Pick<SourceReader, 'read'>;
  /** False while this computer seems not to be connected: then a source that does not answer is not to blame. */
  readonly online: () => boolean;
  readonly log: Log;
}

export interface ProcessOptions {
  /** Resolves after this time with what came of it so far; the run goes on. */
  readonly limitMs?: number;
  /** How often a mention may be tried before its time, where not the owner asks: else anybody could have a site asked without end. */
  readonly earlyTries?: number;
}

/** Works off the queue, in the background and on demand. */
export interface Worker {
  /** Begins: what waits is tried when it is due. */
  start(): void;
  /** Tells that something new waits. */
  wake(): void;
  /**
   * Tries everything that waits once, also what waits for another try, and resolves with what came of it. Shares a run
   * that is under way. A try before its time is not one of the few that a mention has.
   */
  processNow(options?: ProcessOptions): Promise<ProcessCounts>;
  /** Begins nothing more and waits for what is being written. What was being read is tried again at the next start. */
  stop(): Promise<void>;
}

const minute = 60_000;
/**
 * How long the sources of a site, and those that a visitor sent, may take together (ms): twenty that hang until they
 * time out, and one that hangs all the time. Beyond that they wait for one of the late places.
 */
const readingTime = { burst: 200_000, perMinute: 60_000 };
/** Until it is known how long a source took, it counts as one that hangs until it times out (ms). */
const longestReading = 10_000;
/** Before the second try, the third, and so on; then it is given up. */
const pauses = [minute, 10 * minute, 60 * minute, 6 * 60 * minute, 24 * 60 * minute];
/** Before the last try of a page that took all the time that one may have. */
const slowPause = 60 * minute;
/** While this computer is not connected, or can not write. */
const shortPause = 5 * minute;
/** However it came to wait that long, nobody waits for it any more. */
const longestWaitMs = 30 * 86_400_000;
/** Who received a mention this recently is connected, whatever the sources do. */
const recentlyMs = 2 * minute;
/** Timers do not run while a computer sleeps: it is looked again this often. */
const lookAgainMs = minute;

export function createWorker(deps: WorkerDeps): Worker {
  const { queue, reader, log, clock } = deps;
  const writes = new Set<Promise<unknown>>();
  /** What is being read, by token. */
  const underWay = new Map<string, QueueEntry>();
  const budget = createCostBudget({ ...readingTime, clock });
  const visitorRoom = createVisitorRoom(clock);
  const turns = createHostTurns({ begin, debtor });
  let state: 'idle' | 'started' | 'stopped' = 'idle';
  let run: Run | undefined;
  let timer: NodeJS.Timeout | undefined;

  // A function, as it changes while others wait.
  const isStopped = () => state === 'stopped';

  /** Those whose reading time a source takes: whoever sent it is to blame for a site that hangs, too. */
  function payers(token: string, site: string): string[] {
    const visitor = queue.visitorOf(token);
    return [...(visitor === undefined ? [] : [`visitor ${visitor}`]), `site ${site}`];
  }

  function debtor(token: string, site: string): string | undefined {
    return payers(token, site).find((payer) => budget.waitMs([payer]) > 0);
  }

  function lineUp(entry: QueueEntry): void {
    // One that was sent again meanwhile is another object: it has another turn.
    if (underWay.get(entry.token) === entry) return;
    const host = hostOf(new URL(entry.source));
    turns.add(entry.token, host, siteOfHost(host));
  }

  /** Begins what is due, as far as there are places for it. */
  function pump(): void {
    clearTimeout(timer);
    if (isStopped()) return;
    if (state === 'started') for (const entry of queue.takeDue()) lineUp(entry);
    turns.start();
    const next = queue.nextDue();
    if (state !== 'started' || next === Infinity) return;
    timer = setTimeout(pump, Math.min(Math.max(next - clock(), 10), lookAgainMs)).unref();
  }

  function begin(token: string, site: string): Promise<void> | undefined {
    const entry = queue.byToken(token);
    if (isStopped() || entry?.state !== 'waiting') {
      run?.tried(token, undefined);
      return undefined;
    }
    return timed(payers(token, site), attempt(entry));
  }

  async function timed(parties: readonly string[], work: Promise<void>): Promise<void> {
    const from = clock();
    budget.charge(parties, longestReading);
    await work;
    budget.charge(parties, Math.max(0, clock() - from) - longestReading);
  }

  /** Never rejects. */
  async function attempt(entry: QueueEntry): Promise<void> {
    let verdict: Verdict | undefined;
    const wasDue = Date.parse(entry.next) <= clock();
    const visitor = queue.visitorOf(entry.token);
    underWay.set(entry.token, entry);
    try {
      const reading = refusal(deps, entry.source) ?? (await reader.read(entry.source, entry.target));
      if (isStopped()) return;
      verdict = await tracked(applyReading({ ...deps, visitorRoom }, { ...entry, visitor }, reading));
      conclude(entry, verdict, wasDue);
    } catch (error) {
      log.error({ err: error, source: entry.source }, 'A mention could not be kept; it is tried again.');
      const words = 'Something went wrong on this server. It will try again.';
      queue.postpone(entry, { words, pauseMs: shortPause, costs: 0 });
    } finally {
      underWay.delete(entry.token);
      const stillWaits = queue.byToken(entry.token)?.state === 'waiting';
      run?.tried(entry.token, stillWaits ? undefined : verdict);
      pump();
    }
  }

  function tracked<T>(work: Promise<T>): Promise<T> {
    writes.add(work);
    const over = () => void writes.delete(work);
    work.then(over, over);
    return work;
  }

  function conclude(entry: QueueEntry, verdict: Verdict, wasDue: boolean): void {
    if (verdict.kind !== 'failed') {
      queue.settle(entry, verdict.kind === 'removed' ? 'removed' : 'success');
      return;
    }
    const { words, mayPass, wasSlow } = verdict;
    const isOld = Date.parse(entry.received) < clock() - longestWaitMs;
    const connected = deps.online() || clock() - queue.lastReceived < recentlyMs;
    const left = pauses.length - entry.tries;
    const pauseMs = connected ? pauses[entry.tries] : shortPause;
    if (!mayPass || isOld) queue.settle(entry, 'failed', words);
    // Early or not: each try of it keeps the pages of others waiting.
    else if (wasSlow && left > 0) queue.postpone(entry, { words, pauseMs: slowPause, costs: left });
    else if (wasSlow) queue.settle(entry, 'failed', words);
    else if (!wasDue) queue.postpone(entry, { words, costs: 0 });
    else if (pauseMs === undefined) queue.settle(entry, 'failed', words);
    else queue.postpone(entry, { words, pauseMs, costs: connected ? 1 : 0 });
  }

  return {
    start() {
      if (state === 'idle') state = 'started';
      pump();
    },
    wake: pump,
    async processNow({ limitMs, earlyTries = Infinity } = {}) {
      if (run?.isOver !== false) run = createRun();
      const mine = run;
      const wanted = Array.from(queue.waiting()).filter(
        (entry) => Date.parse(entry.next) <= clock() || (entry.early < earlyTries && !rests(entry, clock())),
      );
      mine.want(isStopped() ? [] : wanted.map(({ token }) => token));
      for (const entry of wanted) lineUp(entry);
      pump();
      await mine.over(limitMs);
      await queue.flush();
      return { ...mine.counts(), waiting: queue.size };
    },
    async stop() {
      state = 'stopped';
      clearTimeout(timer);
      await Promise.allSettled(writes);
      run?.end();
      // Nothing is lost where that fails: what was received is on disk, and is verified again.
      await queue
        .flush()
        .catch((error: unknown) => log.warn({ err: error }, 'The queue could not be saved.'));
    },
  };
}
