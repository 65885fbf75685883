import { createCauseBudget, turnOf, type Cause } from '../platform/cause.ts';
import type { Clock } from '../platform/clock.ts';
import { createCostBudget } from '../platform/cost-budget.ts';
import { TurnRefused } from '../platform/fair-turns.ts';
import { RetryLater } from '../http/errors.ts';
import type { Kind } from './kinds.ts';
import { createLane } from './lane.ts';
import type { Jobs } from './serve-jobs.ts';
import { JobFailed, type JobOptions } from './thread.ts';

/** The `cause` to pass for work that the owner waits for. It uses up no visitor's time. */
export const theOwner = 'the owner';

/**
 * The `cause` to pass for work that the owner started but doesn't wait for, such as a scan of a folder. It has no time
 * budget. Each name has its own turns, which come after the owner's.
 */
export type OwnerTask = `${typeof theOwner}: ${string}`;

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
            ...{ party, weight: bytes / bytesPerMs, deadlineMs: limitMs, transfer },
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
