import { PorchlightError } from '../contract/error.ts';
import { RetryLater } from '../http/errors.ts';
import { type Cause, createCauseBudget, turnOf } from '../platform/cause.ts';
import type { Clock } from '../platform/clock.ts';
import { createCostBudget } from '../platform/cost-budget.ts';
import { createFairTurns, TurnRefused } from '../platform/fair-turns.ts';
import type { Kind } from './kinds.ts';
import type { Jobs } from './serve-jobs.ts';
import { JobFailed, type JobOptions, startThread, type Thread } from './thread.ts';

/** The `cause` to pass for work that the owner waits for. It uses up no visitor's time. */
export const theOwner = 'the owner';

/**
 * The `cause` to pass for work that the owner started but doesn't wait for, such as a scan of a folder. It has no time
 * budget. Each name has its own turns, which come after the owner's.
 */
type OwnerTask = `${typeof theOwner}: ${string}`;

type ReadingCause = Cause | typeof theOwner | OwnerTask;

/** Threads that read one kind of content, so that slow content blocks neither the server nor other content. */
export interface Pool<J extends Jobs> {
  /**
   * Runs a job in one of the threads. Each visitor who causes jobs gets a fair share of the threads. If the visitor is
   * unknown, the content's site gets that share instead. `bytes`: the size of the content. `deadlineMs`: another
   * deadline than that of the kind.
   * @throws RetryLater (429) if the visitor or the content's host has used up its budget, or if too many jobs are
   * waiting; PorchlightError `page_too_slow`, `page_too_large` or `page_unreadable` if the content exceeds the limits;
   * `reading_unavailable` if no thread can read it now
   */
  run<K extends keyof J & string>(
    job: K,
    input: Parameters<J[K]>[0],
    cause: ReadingCause,
    bytes?: number,
    options?: Partial<Pick<JobOptions, 'deadlineMs' | 'transfer'>>,
  ): Promise<ReturnType<J[K]>>;
  /** Resolves when no job waits or runs. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface PoolOptions {
  readonly clock: Clock;
  /** Called for each job that is refused because its visitor or host has used up its budget. Must not throw. */
  readonly refused?: (() => void) | undefined;
  /** How long a thread without jobs is kept, in ms. */
  readonly idleMs?: number;
  /** The path of the threads' program. Only tests run another one. */
  readonly file?: string;
}

/** The processor time of a job in a quick thread, in ms. Most pages take only a few ms. */
const quickMs = 150;
/** If a party has recently used more than this many ms, its jobs go to the patient thread directly. */
const mostQuick = 1000;
const spending = { burst: 60_000, perMinute: 6_000 };
/**
 * The reading speed to assume, in bytes per ms. A queue ranks each waiting job by a sum: the time that the job should
 * take, plus the time that its party has already used. The job with the lowest sum is next. So small pages are read
 * first, and many large pages delay only one another.
 */
const bytesPerMs = 1000;
const crowdedMs = 10_000;
const tooMany = 'Porchlight is reading too many pages at the moment. Try again in a minute.';
const overBudget = 'Reading these pages takes Porchlight too long. Try again later.';

/**
 * Creates the threads of a kind: the quick ones, if it has any, and a patient one. Each has a queue of its own. What the
 * quick threads can't read in time is read again in the patient thread, where it delays only other slow content.
 */
export function createPool<J extends Jobs>(kind: Kind, options: PoolOptions): Pool<J> {
  const { clock, idleMs, file } = options;
  const { quickThreads = 0, fatalCost = 0 } = kind;
  const budget = kind.budget && createCauseBudget({ ...kind.budget, clock });
  const spent = createCostBudget({ ...spending, clock });
  const rank = (party: string) => (party === theOwner ? -1 : spending.burst - spent.balance(party));
  // There are two quick threads, because replacing a thread that had to be stopped takes as long as reading several
  // pages.
  const quick = quickThreads > 0 && createLane<J>({ kind, threads: quickThreads, rank, idleMs, file });
  const patient = createLane<J>({ kind, threads: 1, inBackground: true, rank, idleMs, file });
  const lanes = quick ? [quick, patient] : [patient];

  function admit(cause: ReadingCause): void {
    const waitMs = typeof cause === 'string' ? 0 : (budget?.waitMs(cause) ?? 0);
    if (waitMs === 0) return;
    options.refused?.();
    throw new RetryLater(overBudget, waitMs);
  }

  return {
    async run(job, input, cause, bytes = 0, { deadlineMs = kind.deadlineMs, transfer } = {}) {
      const party = typeof cause === 'string' ? cause : turnOf(cause);
      const runIn = async (lane: typeof patient, limitMs: number) => {
        try {
          return await lane.run(job, input, {
            party,
            weight: bytes / bytesPerMs,
            deadlineMs: limitMs,
            transfer,
            admit: () => admit(cause),
            worked(ms, wasFatal = false) {
              if (typeof cause !== 'string') budget?.charge(cause, ms + (wasFatal ? fatalCost : 0));
              if (cause !== theOwner) spent.charge([party], ms);
            },
          });
        } catch (error) {
          throw error instanceof TurnRefused ? new RetryLater(tooMany, crowdedMs) : error;
        }
      };
      admit(cause);
      if (quick && rank(party) <= mostQuick) {
        try {
          return await runIn(quick, Math.min(quickMs, deadlineMs));
        } catch (error) {
          if (!isOutOfTime(error)) throw error;
        }
      }
      return runIn(patient, deadlineMs);
    },
    idle: async () => void (await Promise.all(lanes.map((lane) => lane.idle()))),
    close: async () => void (await Promise.all(lanes.map((lane) => lane.close()))),
  };
}

const isOutOfTime = (error: unknown) =>
  error instanceof Error && error.cause instanceof JobFailed && ['late', 'starved'].includes(error.cause.why);

const usualIdleMs = 10_000;

interface LaneOptions {
  readonly kind: Kind;
  readonly threads: number;
  readonly inBackground?: boolean;
  /** Returns the rank of a party: the lowest goes first. */
  readonly rank: (party: string) => number;
  /** How long a thread without jobs is kept, in ms. */
  readonly idleMs?: number | undefined;
  /** The path of the threads' program. Only tests run another one. */
  readonly file?: string | undefined;
}

interface LaneJob extends JobOptions {
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
function createLane<J extends Jobs>(options: LaneOptions) {
  const { kind, threads, rank, inBackground = false, idleMs = usualIdleMs, file } = options;
  const { mostWaiting, mostWaitingPerParty } = kind;
  const turns = createFairTurns({
    concurrency: threads,
    perParty: 1,
    mostWaiting,
    mostWaitingPerParty,
    rank,
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
