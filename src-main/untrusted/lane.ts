import { PorchlightError } from '../contract/error.ts';
import { createFairTurns } from '../platform/fair-turns.ts';
import type { Kind } from './kinds.ts';
import type { Jobs } from './serve-jobs.ts';
import { startThread, JobFailed, type JobOptions, type Thread } from './thread.ts';

const usualIdleMs = 10_000;

export interface LaneOptions {
  readonly kind: Kind;
  readonly threads: number;
  readonly inBackground?: boolean;
  /** Returns the rank of a party: the lowest goes first. */
  readonly rank?: (party: string) => number;
  /** How long a thread without jobs is kept, in ms. */
  readonly idleMs?: number | undefined;
  /** The path of the threads' program. Only tests run another one. */
  readonly file?: string | undefined;
}

export interface LaneJob extends JobOptions {
  /** The visitor, site or task of the owner that waits for its turn. */
  readonly party: string;
  /** How long the job will probably take, in ms. */
  readonly weight: number;
  /** Called when it is the turn of `party`. Throws to refuse the job. */
  readonly admit: () => void;
  /** Called when the job has ended, with its processor time in ms, and whether its thread had to be replaced. */
  readonly worked: (ms: number, wasFatal?: boolean) => void;
}

/**
 * Creates a lane: threads of one kind with a queue, in which the parties take turns. A thread starts with the first job
 * and ends when idle. A thread that misses its deadline or crashes is replaced at once, so that the next job doesn't
 * have to wait for a new one.
 */
export function createLane<J extends Jobs>(options: LaneOptions) {
  const { kind, threads, rank, inBackground = false, idleMs = usualIdleMs, file } = options;
  const { mostWaiting, mostWaitingPerParty } = kind;
  const turns = createFairTurns({
    ...{ concurrency: threads, perParty: 1, mostWaiting, mostWaitingPerParty },
    ...(rank && { rank }),
  });
  const requests = new Set<Promise<unknown>>();
  const slots = Array.from({ length: threads }, createSlot);
  const closed = new AbortController();

  /** Creates a place for a thread. */
  function createSlot() {
    let thread: Thread | undefined;
    let idle: NodeJS.Timeout | undefined;

    const start = (): Thread => (thread = startThread({ kind, inBackground, file }));
    const endWhenIdle = (): void => {
      if (!closed.signal.aborted) idle = setTimeout(() => void end(), idleMs).unref();
    };

    async function end(): Promise<void> {
      clearTimeout(idle);
      const ended = thread;
      thread = undefined;
      await ended?.end();
    }

    async function run(job: string, input: unknown, { worked, ...limits }: LaneJob): Promise<unknown> {
      clearTimeout(idle);
      const running = thread?.isOver() === false ? thread : start();
      let usedMs: number | undefined;
      try {
        await running.ready();
        const answer = await running.run(job, input, { ...limits, worked: (ms) => (usedMs = ms) });
        worked(usedMs ?? 0);
        return answer;
      } catch (error) {
        if (!(error instanceof JobFailed)) {
          worked(usedMs ?? 0);
          throw error;
        }
        const isClosed = closed.signal.aborted;
        const isOver = running.isOver();
        if (usedMs !== undefined && !isClosed) worked(usedMs, isOver && error.why !== 'starved');
        if (isOver) await end();
        // If the thread never started, the next job tries again.
        if (isOver && usedMs !== undefined && !closed.signal.aborted) start();
        throw isClosed ? unavailable() : reasonOf(error);
      } finally {
        endWhenIdle();
      }
    }

    return { run, end, isReady: () => thread?.isReady() === true };
  }

  async function runNow(job: string, input: unknown, options: LaneJob): Promise<unknown> {
    if (closed.signal.aborted) throw unavailable();
    options.admit();
    const slot = takeReadiest(slots);
    if (!slot) throw new Error('More jobs run at once than there are threads.');
    try {
      return await slot.run(job, input, options);
    } finally {
      slots.push(slot);
    }
  }

  const all = [...slots];
  return {
    /**
     * Runs a job in one of the threads.
     * @throws PorchlightError `page_too_slow` after the deadline, `page_too_large` if memory ran out, `page_unreadable`
     * if the job failed or crashed, `reading_unavailable` if no thread can run it now; TurnRefused if too many wait
     */
    async run<K extends keyof J & string>(
      job: K,
      input: Parameters<J[K]>[0],
      options: LaneJob,
    ): Promise<ReturnType<J[K]>> {
      const request = turns.run(options.party, () => runNow(job, input, options), options.weight);
      requests.add(request);
      try {
        return (await request) as ReturnType<J[K]>;
      } finally {
        requests.delete(request);
      }
    },
    /** Resolves when no job waits or runs. */
    async idle(): Promise<void> {
      while (requests.size > 0) await Promise.allSettled(requests);
    },
    /** Refuses all waiting and later jobs, and ends the threads. */
    async close(): Promise<void> {
      closed.abort();
      turns.drop();
      await Promise.all(all.map((slot) => slot.end()));
    },
  };
}

/**
 * Takes an idle thread that has already been started, preferably the most recently used one. If there is none, takes
 * any idle thread. As a result, the remaining threads stay idle long enough to end.
 */
function takeReadiest<T extends { isReady(): boolean }>(slots: T[]): T | undefined {
  const ready = slots.findLastIndex((slot) => slot.isReady());
  return ready < 0 ? slots.pop() : slots.splice(ready, 1)[0];
}

function reasonOf(error: JobFailed): PorchlightError {
  const cause = { cause: error };
  switch (error.why) {
    case 'late':
      return new PorchlightError('page_too_slow', 'This page takes too long to read.', 400, cause);
    case 'out-of-memory':
      return new PorchlightError('page_too_large', 'This page is too large to read.', 400, cause);
    case 'failed':
    case 'crashed':
      return new PorchlightError('page_unreadable', 'Porchlight cannot read this page.', 400, cause);
    case 'not-started':
    case 'starved':
      return unavailable(error);
  }
}

const unavailable = (cause?: unknown) =>
  new PorchlightError(
    'reading_unavailable',
    'Porchlight cannot read pages at the moment. Try again later.',
    503,
    {
      cause,
    },
  );
