import { PorchlightError } from '../../contract/error.ts';
import { createCauseBudget, turnOf, type Cause, type CauseLimits } from '../../platform/cause.ts';
import type { Clock } from '../../platform/clock.ts';
import { createCostBudget } from '../../platform/cost-budget.ts';
import { createFairTurns, TurnRefused } from '../../platform/fair-turns.ts';
import { RetryLater } from '../errors.ts';
import { createReadingThread } from './reading-thread.ts';
import type { Jobs } from './thread-jobs.ts';

/** The party of pages that the owner asked for: these have no budget. */
export const theOwner = 'the owner';

/** Threads on which pages are read, so that no page holds up the server, and none holds up all the others. */
export interface ReadingPool<J extends Jobs> {
  /**
   * Has a job of the threads' program done when it is the turn of whoever causes it. `bytes`: how large the page is.
   * @throws RetryLater (429) where the visitor or the host has spent its reading time, or where too many pages wait;
   * PorchlightError as ReadingThread.run does.
   */
  run<K extends keyof J & string>(
    job: K,
    input: Parameters<J[K]>[0],
    cause: Cause | typeof theOwner,
    bytes: number,
  ): Promise<ReturnType<J[K]>>;
  close(): Promise<void>;
}

export interface ReadingPoolOptions {
  /** The program, which calls serveJobs. */
  readonly file: string;
  /** How long one page may take. */
  readonly deadlineMs: number;
  /** How long the pages of one visitor, and of one host, may take, in ms. */
  readonly budget: CauseLimits;
  readonly clock: Clock;
  /** How many pages may wait in memory; of one party, an eighth of that. */
  readonly mostWaiting: number;
  /** Told of each page that was refused because a budget is spent. It must not throw. */
  readonly refused?: (() => void) | undefined;
}

/**
 * Most pages take some ms. One that takes longer is read again in the patient lane, so that it holds up only others
 * that take long.
 */
const quickMs = 150;
/** A party that spent more than this lately (ms) goes to the patient lane at once. Of what it spent, 6 s are forgotten each minute. */
const mostQuick = 1000;
const spending = { burst: 60_000, perMinute: 6_000 };
/** Most pages are read faster than this. Small pages go first, so that many large ones hold up only one another. */
const bytesPerMs = 1000;
const crowdedMs = 10_000;
const tooMany = 'Porchlight is reading too many pages at the moment. Try again in a minute.';
const overBudget = 'Reading these pages takes Porchlight too long. Try again later.';

/**
 * Creates a pool of three threads, two quick ones and a patient one. In both lanes, the party that spent least goes
 * first, and a small page before a large one: whoever sends pages that take long waits behind everybody who does not.
 */
export function createReadingPool<J extends Jobs>(options: ReadingPoolOptions): ReadingPool<J> {
  const { file, deadlineMs, clock, mostWaiting } = options;
  const budget = createCauseBudget({ ...options.budget, clock });
  const spent = createCostBudget({ ...spending, clock });
  const spentBy = (party: string) => (party === theOwner ? -1 : spending.burst - spent.balance(party));
  const lane = (threads: number, limitMs: number, inBackground = false) => ({
    free: Array.from({ length: threads }, () =>
      createReadingThread<J>({ file, deadlineMs: limitMs, inBackground }),
    ),
    turns: createFairTurns({
      concurrency: threads,
      perParty: 1,
      mostWaiting,
      mostWaitingPerParty: Math.ceil(mostWaiting / 8),
      rank: spentBy,
    }),
  });
  // Two, since one that was ended takes as long to start again as some pages take to read.
  const quick = lane(2, Math.min(quickMs, deadlineMs));
  const patient = lane(1, deadlineMs, true);
  const all = [...quick.free, ...patient.free];

  function admit(cause: Cause | typeof theOwner): void {
    const waitMs = cause === theOwner ? 0 : budget.waitMs(cause);
    if (waitMs === 0) return;
    options.refused?.();
    throw new RetryLater(overBudget, waitMs);
  }

  async function runIn<K extends keyof J & string>(
    { free, turns }: ReturnType<typeof lane>,
    job: K,
    input: Parameters<J[K]>[0],
    cause: Cause | typeof theOwner,
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
            if (cause === theOwner) return;
            budget.charge(cause, ms);
            spent.charge([party], ms);
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

/** Takes a thread that is ready, if there is one; of those, the one that was used last, so that others can end. */
function takeReadiest<T extends { readonly isReady: boolean }>(threads: T[]): T | undefined {
  const ready = threads.findLastIndex(({ isReady }) => isReady);
  return ready < 0 ? threads.pop() : threads.splice(ready, 1)[0];
}

const partyOf = (cause: Cause | typeof theOwner) => (cause === theOwner ? cause : turnOf(cause));
