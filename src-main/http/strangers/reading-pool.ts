import { PorchlightError } from '../../contract/error.ts';
import { createCauseBudget, turnOf, type Cause, type CauseLimits } from '../../platform/cause.ts';
import type { Clock } from '../../platform/clock.ts';
import { createCostBudget } from '../../platform/cost-budget.ts';
import { createFairTurns, TurnRefused } from '../../platform/fair-turns.ts';
import { RetryLater } from '../errors.ts';
import { createReadingThread } from './reading-thread.ts';
import type { Jobs } from './thread-jobs.ts';

/** The `cause` to pass for pages that the owner requested. Reading these pages uses up no visitor's reading time. */
export const theOwner = 'the owner';

/**
 * The `cause` to pass for work that the owner started but doesn't wait for, such as a scan of a folder. It has no time
 * budget. Each name has its own turns, which come after the owner's.
 */
export type OwnerTask = `${typeof theOwner}: ${string}`;

type ReadingCause = Cause | typeof theOwner | OwnerTask;

/** A pool of threads that read pages, so that a slow page blocks neither the server nor the reading of other pages. */
export interface ReadingPool<J extends Jobs> {
  /**
   * Runs a job in one of the threads. Each visitor who causes jobs gets a fair share of the threads. If the visitor is
   * unknown, the page's site gets that share instead. `bytes`: the size of the page.
   * @throws RetryLater (429) if the visitor or the page's host has used up its reading time, or if too many pages are
   * waiting; otherwise the errors of ReadingThread.run.
   */
  run<K extends keyof J & string>(
    job: K,
    input: Parameters<J[K]>[0],
    cause: ReadingCause,
    bytes: number,
  ): Promise<ReturnType<J[K]>>;
  close(): Promise<void>;
}

export interface ReadingPoolOptions {
  /** The path of the program that the threads run. The program must call serveJobs. */
  readonly file: string;
  /** The maximum time for reading one page, in ms. */
  readonly deadlineMs: number;
  /**
   * How many times as long reading may take while the computer is too busy to give this process half of that time. The
   * default is 1. A larger number is for pools whose refusals are remembered.
   */
  readonly patience?: number;
  /**
   * The limits on reading time, in ms: for all pages that one visitor causes to be read, and for all pages of one host.
   */
  readonly budget: CauseLimits;
  readonly clock: Clock;
  /**
   * How many pages may wait in memory. At most an eighth of them may come from one visitor or, if the visitor is
   * unknown, from one site.
   */
  readonly mostWaiting: number;
  /** Called for each page that is refused because its visitor or host has used up its reading time. Must not throw. */
  readonly refused?: (() => void) | undefined;
}

/**
 * The time limit for a page in a quick thread, in ms. Most pages take only a few ms. A page that takes longer is read
 * again in the slow thread, where it delays only other slow pages.
 */
const quickMs = 150;
/**
 * If a visitor (or site) has recently used more than this many ms of reading time, its pages are read in the slow
 * thread.
 */
const mostQuick = 1000;
const spending = { burst: 60_000, perMinute: 6_000 };
/**
 * The reading speed to assume, in bytes per ms. A queue ranks each waiting page by a sum: the time that reading the
 * page should take, plus the time that the page's visitor (or site) has already used. The page with the lowest sum is
 * next. So small pages are read first, and many large pages delay only one another.
 */
const bytesPerMs = 1000;
const crowdedMs = 10_000;
const tooMany = 'Porchlight is reading too many pages at the moment. Try again in a minute.';
const overBudget = 'Reading these pages takes Porchlight too long. Try again later.';

/**
 * Creates a pool of three threads: two quick ones and a slow one. Each kind has its own queue. Small pages are read
 * first, and so are the pages of visitors (or sites) that have used little time. The pages of a visitor who sends slow
 * pages therefore wait behind all other pages.
 */
export function createReadingPool<J extends Jobs>(options: ReadingPoolOptions): ReadingPool<J> {
  const { file, deadlineMs, clock, mostWaiting, patience = 1 } = options;
  const budget = createCauseBudget({ ...options.budget, clock });
  const spent = createCostBudget({ ...spending, clock });
  const spentBy = (party: string) => (party === theOwner ? -1 : spending.burst - spent.balance(party));
  const lane = (
    threads: number,
    limitMs: number,
    more: { readonly starvedMs?: number; readonly inBackground?: boolean } = {},
  ) => ({
    free: Array.from({ length: threads }, () =>
      createReadingThread<J>({ file, deadlineMs: limitMs, ...more }),
    ),
    turns: createFairTurns({
      concurrency: threads,
      perParty: 1,
      mostWaiting,
      mostWaitingPerParty: Math.ceil(mostWaiting / 8),
      rank: spentBy,
    }),
  });
  // There are two quick threads, because replacing a thread that had to be stopped takes as long as reading several
  // pages.
  const quick = lane(2, Math.min(quickMs, deadlineMs));
  // What the quick threads can't read in time is read by this one, so only this one waits for a busy computer.
  const patient = lane(1, deadlineMs, { starvedMs: patience * deadlineMs, inBackground: true });
  const all = [...quick.free, ...patient.free];

  function admit(cause: ReadingCause): void {
    const waitMs = typeof cause === 'string' ? 0 : budget.waitMs(cause);
    if (waitMs === 0) return;
    options.refused?.();
    throw new RetryLater(overBudget, waitMs);
  }

  async function runIn<K extends keyof J & string>(
    { free, turns }: ReturnType<typeof lane>,
    job: K,
    input: Parameters<J[K]>[0],
    cause: ReadingCause,
    bytes: number,
  ): Promise<ReturnType<J[K]>> {
    const party = partyOf(cause);
    try {
      const turn = async () => {
        admit(cause);
        const thread = takeReadiest(free);
        if (!thread) throw new Error('More pages are read at once than there are threads.');
        try {
          return await thread.run(job, input, (ms) => {
            if (typeof cause !== 'string') budget.charge(cause, ms);
            if (cause !== theOwner) spent.charge([party], ms);
          });
        } finally {
          free.push(thread);
        }
      };
      return await turns.run(party, turn, bytes / bytesPerMs);
    } catch (error) {
      throw error instanceof TurnRefused ? new RetryLater(tooMany, crowdedMs) : error;
    }
  }

  return {
    async run(job, input, cause, bytes) {
      admit(cause);
      if (spentBy(partyOf(cause)) <= mostQuick) {
        try {
          return await runIn(quick, job, input, cause, bytes);
        } catch (error) {
          if (!(error instanceof PorchlightError) || error.code !== 'page_too_slow') throw error;
        }
      }
      return runIn(patient, job, input, cause, bytes);
    },
    async close() {
      for (const { turns } of [quick, patient]) turns.drop();
      await Promise.all(all.map((thread) => thread.close()));
    },
  };
}

/**
 * Takes an idle thread that has already been started, preferably the most recently used one. If there is none, takes
 * any idle thread. As a result, the remaining threads stay idle long enough to end.
 */
function takeReadiest<T extends { readonly isReady: boolean }>(threads: T[]): T | undefined {
  const ready = threads.findLastIndex(({ isReady }) => isReady);
  return ready < 0 ? threads.pop() : threads.splice(ready, 1)[0];
}

const partyOf = (cause: ReadingCause) => (typeof cause === 'string' ? cause : turnOf(cause));
