import type { ProcessCounts } from '../contract/webmentions.ts';
import { createCostBudget } from '../platform/cost-budget.ts';
import type { Log } from '../platform/log.ts';
import { attemptsLeft, isPastRetrying, pauseAfter } from '../platform/retry-schedule.ts';
import type { Queue } from './queue.ts';
import { rests, type QueueEntry } from './queue-entry.ts';
import type { SourceReader } from './read-source.ts';
import { createHostTurns } from '../platform/host-turns.ts';
import { createRun, type QueueRun } from './run.ts';
import { hostOf, siteOfHost } from '../platform/site-name.ts';
import { applyReading, refusal, type MentionVerdict, type VerificationDeps } from './verification.ts';
import { createVisitorRoom } from './visitor-room.ts';

export interface WorkerDeps extends VerificationDeps {
  readonly queue: Queue;
  readonly reader: Pick<SourceReader, 'read'>;
  /** Returns false while this computer seems to be offline. A source isn't to blame then if it doesn't respond. */
  readonly online: () => boolean;
  readonly log: Log;
}

export interface ProcessOptions {
  /** Milliseconds after which the call resolves with the results so far; the run continues. */
  readonly limitMs?: number;
  /**
   * How often anyone but the owner may have a mention tried before it is due. Without this limit, anyone could have a
   * site contacted endlessly.
   */
  readonly earlyTries?: number;
}

/** Processes the queue, in the background and on demand. */
export interface Worker {
  /** Starts the worker: waiting mentions are tried when they are due. */
  start(): void;
  /** Tells the worker that a new mention is waiting. */
  wake(): void;
  /**
   * Tries every waiting mention once, including those that wait for another attempt; resolves with the results. Joins a
   * run in progress. Unless the page is too slow, an attempt before a mention is due uses up none of its few attempts.
   */
  processNow(options?: ProcessOptions): Promise<ProcessCounts>;
  /**
   * Starts nothing more and waits for unfinished writes. Sources that were being read are tried again after the next
   * start.
   */
  stop(): Promise<void>;
}

const minute = 60_000;
/**
 * How much reading time (ms) the sources of one site, or those sent by one visitor, may take: enough for twenty that
 * hang until they time out, and for one that hangs all the time. Beyond that, the sources wait for one of the few
 * places for debtors (see createHostTurns).
 */
const readingTime = { burst: 200_000, perMinute: 60_000 };
/** Until its reading time is known, a source is charged (in ms) as if it hung until it timed out. */
const longestReading = 10_000;
/** If a mention arrived this recently, this computer is online, even if no source responds. */
const recentlyMs = 2 * minute;
/** Timers stop while the computer sleeps, so the worker checks the queue at this interval. */
const lookAgainMs = minute;

export function createWorker(deps: WorkerDeps): Worker {
  const { queue, reader, log, clock } = deps;
  const writes = new Set<Promise<unknown>>();
  /** The entries being read, by token. */
  const underWay = new Map<string, QueueEntry>();
  const budget = createCostBudget({ ...readingTime, clock });
  const visitorRoom = createVisitorRoom(clock);
  const turns = createHostTurns({ begin, debtor });
  let state: 'idle' | 'started' | 'stopped' = 'idle';
  let run: QueueRun | undefined;
  let timer: NodeJS.Timeout | undefined;

  // This is a function, because `state` can change during each `await`.
  const isStopped = () => state === 'stopped';

  /**
   * Returns who is charged for the time that reading a source takes: its site, and the visitor who sent it, if known. A
   * visitor who sends a site that hangs is to blame too.
   */
  function payers(token: string, site: string): string[] {
    const visitor = queue.visitorOf(token);
    return [...(visitor === undefined ? [] : [`visitor ${visitor}`]), `site ${site}`];
  }

  function debtor(token: string, site: string): string | undefined {
    return payers(token, site).find((payer) => budget.waitMs([payer]) > 0);
  }

  function lineUp(entry: QueueEntry): void {
    // An entry whose mention was sent again is a different object, and is read once more.
    if (underWay.get(entry.token) === entry) return;
    const host = hostOf(new URL(entry.source));
    turns.add(entry.token, host, siteOfHost(host));
  }

  /** Starts as many of the due attempts as the limits allow. */
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

  /** Tries an entry: reads its source and acts on the result. Never rejects. */
  async function attempt(entry: QueueEntry): Promise<void> {
    let verdict: MentionVerdict | undefined;
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
      queue.postpone(entry, { words, pauseMs: pauseAfter('sourceLater', 1), costs: 0 });
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

  function conclude(entry: QueueEntry, verdict: MentionVerdict, wasDue: boolean): void {
    if (verdict.kind !== 'failed') {
      queue.settle(entry, verdict.kind === 'removed' ? 'removed' : 'success');
      return;
    }
    const { words, mayPass, wasSlow } = verdict;
    const failures = entry.tries + 1;
    const isOld = isPastRetrying('source', Date.parse(entry.received), clock());
    const connected = deps.online() || clock() - queue.lastReceived < recentlyMs;
    const left = attemptsLeft('source', failures);
    const pauseMs = pauseAfter(connected ? 'source' : 'sourceLater', failures);
    if (!mayPass || isOld) queue.settle(entry, 'failed', words);
    // Each attempt at a slow page keeps other pages waiting, even if it was made before the mention was due.
    else if (wasSlow && left > 0)
      queue.postpone(entry, { words, pauseMs: pauseAfter('slowSource', 1), costs: left });
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
      // If saving fails, nothing is lost: received mentions are already on disk, and are verified again.
      await queue
        .flush()
        .catch((error: unknown) => log.warn({ err: error }, 'The queue could not be saved.'));
    },
  };
}
