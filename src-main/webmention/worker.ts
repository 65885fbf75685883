import type { ProcessCounts } from '../contract/webmentions.ts';
import { createCostBudget } from '../platform/cost-budget.ts';
import type { Log } from '../platform/log.ts';
import { attemptsLeft, pauseAfter } from '../platform/retry-schedule.ts';
import type { Queue } from './queue.ts';
import { rests, type QueueEntry } from './queue-entry.ts';
import type { SourceReader, SourceResult } from './read-source.ts';
import { createHostTurns } from '../storage/work/turns.ts';
import { createRun, type QueueRun } from './run.ts';
import { hostOf, siteOfHost } from '../platform/site-name.ts';
import {
  applyReading,
  refusal,
  type MentionVerdict,
  type SentPair,
  type VerificationDeps,
} from './verification.ts';
import { createVisitorRoom } from './visitor-room.ts';

export interface WorkerDeps extends VerificationDeps {
  readonly queue: Queue;
  readonly reader: Pick<SourceReader, 'read'>;
  /** Returns false while this computer seems to be offline. Failed attempts during that time don't count. */
  readonly online: () => boolean;
  readonly log: Log;
}

export interface ProcessOptions {
  /** `processNow` resolves after this time, in ms, with the results so far. The run continues in the background. */
  readonly limitMs?: number;
  /**
   * How many times each mention may be tried before it is due; unlimited if absent. Only the owner's requests are
   * unlimited, because strangers could otherwise make this server contact a site endlessly.
   */
  readonly earlyTries?: number;
}

/** Processes the queue, in the background and on demand. */
export interface Worker {
  /** Starts the worker. From then on, it tries waiting mentions when they are due. */
  start(): void;
  /** Tells the worker that a new mention is waiting. */
  wake(): void;
  /**
   * Tries every waiting mention once, even if it isn't due. Skips mentions that have reached `earlyTries`, and mentions
   * that were sent again shortly after a check. Resolves with the results. Joins a run in progress. An attempt before
   * the mention is due doesn't count as a failed attempt, unless reading the source takes too long.
   */
  processNow(options?: ProcessOptions): Promise<ProcessCounts>;
  /**
   * Starts no more attempts, and waits for unfinished writes. Sources that are still being read are tried again after
   * the next start.
   */
  stop(): Promise<void>;
}

const minute = 60_000;
/**
 * How much reading time (ms) the sources of one site or of one sender may use: enough for twenty sources that hang
 * until they time out, and then for one source at a time. All sites and senders that have used up their time share a
 * few requests (see createHostTurns).
 */
const readingTime = { burst: 200_000, perMinute: 60_000 };
/** The reading time (ms) to charge in advance for a source that is still being read: the time until the timeout. */
const longestReading = 10_000;
/** If a mention arrived within this time (ms), this computer counts as online, even if no source responds. */
const recentlyMs = 2 * minute;
/** Timers stop while the computer sleeps, so the worker checks the queue at this interval, in ms. */
const lookAgainMs = minute;
/** The maximum number of other sources to read again after one mention. They are on the same host. */
const mostDoubtful = 3;

export function createWorker(deps: WorkerDeps): Worker {
  const { queue, reader, log, clock } = deps;
  const writes = new Set<Promise<unknown>>();
  /** The entries whose sources are being read, keyed by token. */
  const underWay = new Map<string, QueueEntry>();
  /**
   * The number of failed attempts for each entry while offline, keyed by token. This number can't be derived from the
   * age of the mention, because the mention may have waited in the mailbox, or this computer may have slept.
   */
  const offline = new Map<string, number>();
  const budget = createCostBudget({ ...readingTime, clock });
  const visitorRoom = createVisitorRoom(clock);
  const turns = createHostTurns({ begin, debtor });
  let state: 'idle' | 'started' | 'stopped' = 'idle';
  let run: QueueRun | undefined;
  let timer: NodeJS.Timeout | undefined;

  // This is a function, because `state` can change during each `await`.
  const isStopped = () => state === 'stopped';

  /**
   * Returns the names to which a source's reading time is charged: its site and, if known, the sender of the mention,
   * who may have chosen a site that hangs.
   */
  function payers(token: string, site: string): string[] {
    const visitor = queue.visitorOf(token);
    return [...(visitor === undefined ? [] : [`visitor ${visitor}`]), `site ${site}`];
  }

  function debtor(token: string, site: string): string | undefined {
    return payers(token, site).find((payer) => budget.waitMs([payer]) > 0);
  }

  function lineUp(entry: QueueEntry): void {
    // If the mention was sent again while its source was being read, the queue has a new entry object, and the source
    // must be read once more.
    if (underWay.get(entry.token) === entry) return;
    const host = hostOf(new URL(entry.source));
    turns.add(entry.token, host, siteOfHost(host));
  }

  /** Starts as many of the due attempts as the limits allow, and schedules the next check. */
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

  /** Tries an entry: reads its source and applies the result. Never rejects. */
  async function attempt(entry: QueueEntry): Promise<void> {
    let verdict: MentionVerdict | undefined;
    const wasDue = Date.parse(entry.next) <= clock();
    const visitor = queue.visitorOf(entry.token);
    underWay.set(entry.token, entry);
    try {
      const reading = refusal(deps, entry.source) ?? (await reader.read(entry.source, entry.target));
      if (isStopped()) return;
      verdict = await apply({ ...entry, visitor }, reading);
      conclude(entry, verdict, wasDue);
    } catch (error) {
      log.error({ err: error, source: entry.source }, 'A mention could not be kept; it is tried again.');
      const words = 'Something went wrong on this server. It will try again.';
      queue.postpone(entry, { words, pauseMs: pauseAfter('sourceLater', 1), costs: 0 });
    } finally {
      underWay.delete(entry.token);
      const stillWaits = queue.byToken(entry.token)?.state === 'waiting';
      if (!stillWaits) offline.delete(entry.token);
      run?.tried(entry.token, stillWaits ? undefined : verdict);
      pump();
    }
  }

  /** Applies a reading. Then reads the sources again that this makes doubtful, at most a few. */
  async function apply(pair: SentPair, reading: SourceResult): Promise<MentionVerdict> {
    const { verdict, doubtful } = await tracked(applyReading({ ...deps, visitorRoom }, pair, reading));
    const again = [...doubtful];
    for (let turn = 0; turn < mostDoubtful; turn += 1) {
      const next = again.shift();
      if (next === undefined || isStopped()) break;
      const { visitor } = pair;
      const { source, target } = next;
      const read = await reader.read(source, target);
      const applied = await tracked(
        applyReading({ ...deps, visitorRoom }, { source, target, visitor }, read),
      );
      again.push(...applied.doubtful);
    }
    return verdict;
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
    const connected = deps.online() || clock() - queue.lastReceived < recentlyMs;
    const left = attemptsLeft('source', failures);
    if (!mayPass) queue.settle(entry, 'failed', words);
    // Each attempt to read a slow page delays other pages, so even an attempt before the mention was due counts.
    else if (wasSlow && left > 0)
      queue.postpone(entry, { words, pauseMs: pauseAfter('slowSource', 1), costs: left });
    else if (wasSlow) queue.settle(entry, 'failed', words);
    else if (!wasDue) queue.postpone(entry, { words, costs: 0 });
    else {
      const pauseMs = connected ? pauseAfter('source', failures) : pauseOffline(entry);
      if (pauseMs === undefined) queue.settle(entry, 'failed', words);
      else queue.postpone(entry, { words, pauseMs, costs: connected ? 1 : 0 });
    }
  }

  /**
   * Counts a failed attempt while offline. Returns the pause before the next attempt; undefined if there won't be
   * another.
   */
  function pauseOffline({ token }: QueueEntry): number | undefined {
    const failures = (offline.get(token) ?? 0) + 1;
    offline.set(token, failures);
    return pauseAfter('sourceLater', failures);
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
      // If saving fails, nothing is lost: the mentions are on disk, and will be verified again.
      await queue
        .flush()
        .catch((error: unknown) => log.warn({ err: error }, 'The queue could not be saved.'));
    },
  };
}
