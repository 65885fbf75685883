import type { ProcessCounts } from '../contract/webmentions.ts';
import type { Log } from '../platform/log.ts';
import type { Queue } from './queue.ts';
import type { QueueEntry } from './queue-entry.ts';
import type { SourceReader } from './read-source.ts';
import { createRun, type Run } from './run.ts';
import { hostOf } from './target-check.ts';
import { applyReading, refusal, type Verdict, type VerificationDeps } from './verification.ts';

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

/** Reading is mostly waiting; with fewer, one stranger's slow pages would take up all of it. */
const concurrency = 12;
const minute = 60_000;
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
  const busyHosts = new Set<string>();
  const sites = new WeakMap<QueueEntry, string>();
  const writes = new Set<Promise<unknown>>();
  let state: 'idle' | 'started' | 'stopped' = 'idle';
  let run: Run | undefined;
  let timer: NodeJS.Timeout | undefined;

  // A function, as it changes while others wait.
  const isStopped = () => state === 'stopped';

  /** The host of a source. Remembered: thousands may wait, and all are looked through for each that is begun. */
  function siteOf(entry: QueueEntry): string {
    const known = sites.get(entry) ?? hostOf(new URL(entry.source));
    sites.set(entry, known);
    return known;
  }

  /** Begins as many as may be under way at once, one for each site of sources. */
  function pump(): void {
    clearTimeout(timer);
    if (isStopped()) return;
    const chosen: { entry: QueueEntry; host: string }[] = [];
    const now = clock();
    let soonest = Infinity;
    for (const entry of queue.waiting()) {
      if (busyHosts.size >= concurrency) break;
      const host = siteOf(entry);
      if (busyHosts.has(host)) continue;
      const dueIn = Date.parse(entry.next) - now;
      if (run?.wants(entry.token) === true || (state === 'started' && dueIn <= 0)) {
        busyHosts.add(host);
        chosen.push({ entry, host });
      } else soonest = Math.min(soonest, dueIn);
    }
    for (const { entry, host } of chosen) void attempt(entry, host);
    if (state === 'started' && soonest !== Infinity)
      timer = setTimeout(pump, Math.min(Math.max(soonest, 10), lookAgainMs)).unref();
  }

  /** Never rejects. */
  async function attempt(entry: QueueEntry, host: string): Promise<void> {
    let verdict: Verdict | undefined;
    const wasDue = Date.parse(entry.next) <= clock();
    try {
      const reading = refusal(deps, entry.source) ?? (await reader.read(entry.source, entry.target));
      if (isStopped()) return;
      verdict = await tracked(applyReading(deps, entry, reading));
      conclude(entry, verdict, wasDue);
    } catch (error) {
      log.error({ err: error, source: entry.source }, 'A mention could not be kept; it is tried again.');
      const words = 'Something went wrong on this server; it is tried again.';
      queue.postpone(entry, { words, pauseMs: shortPause, costs: 0 });
    } finally {
      busyHosts.delete(host);
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
        ({ next, early }) => early < earlyTries || Date.parse(next) <= clock(),
      );
      mine.want(isStopped() ? [] : wanted.map(({ token }) => token));
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
