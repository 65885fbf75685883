import { PorchlightError } from '../../contract/error.ts';
import { createCauseBudget, turnOf, type Cause, type CauseLimits } from '../../platform/cause.ts';
import type { Clock } from '../../platform/clock.ts';
import { createCostBudget } from '../../platform/cost-budget.ts';
import { createFairTurns, TurnRefused } from '../../platform/fair-turns.ts';
import { RetryLater } from '../errors.ts';
import { createReadingThread } from './reading-thread.ts';
import type { Jobs } from './thread-jobs.ts';

/** Passed instead of a cause for pages that the owner requested. These pages count towards no budget. */
export const theOwner = 'the owner';

/** Threads that read pages, so that no page blocks the server and no single page blocks all others. */
export interface ReadingPool<J extends Jobs> {
  /**
   * Runs a job of the threads' program. The visitors who cause jobs take turns; so do the hosts of pages that no
   * visitor asked for. `bytes`: the size of the page.
   * @throws RetryLater (429) if the visitor or the host has used up its reading time, or if too many pages are waiting;
   * otherwise the errors of ReadingThread.run.
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
  /** The path of the program that the threads run. The program must call serveJobs. */
  readonly file: string;
  /** How long one page may take, in ms. */
  readonly deadlineMs: number;
  /** How much reading time the pages of one visitor, and of one host, may use, in ms. */
  readonly budget: CauseLimits;
  readonly clock: Clock;
  /** The most pages that may wait in memory. Those of one visitor (or of one site) may be an eighth of them. */
  readonly mostWaiting: number;
  /** Called for each page that is refused because a budget is used up. Must not throw. */
  readonly refused?: (() => void) | undefined;
}

/**
 * In ms. Most pages take only a few. A page that takes longer than this is read again by the slow-page thread (the
 * patient lane), where it delays only other slow pages.
 */
const quickMs = 150;
/**
 * In ms. The pages of a visitor (or site) that recently used more reading time than this go straight to the patient
 * lane. The recorded time shrinks by 6 s per minute.
 */
const mostQuick = 1000;
const spending = { burst: 60_000, perMinute: 6_000 };
/**
 * An estimate below the usual speed. A page's size divided by this ranks it, so small pages go first and many large
 * ones delay only one another.
 */
const bytesPerMs = 1000;
const crowdedMs = 10_000;
const tooMany = 'Porchlight is reading too many pages at the moment. Try again in a minute.';
const overBudget = 'Reading these pages takes Porchlight too long. Try again later.';

/**
 * Creates a pool of three threads: two for quick pages and one for slow ("patient"). For both kinds, the visitor (or
 * site) that has used the least time goes first, and small pages go before large ones, so a visitor who sends slow
 * pages waits behind everyone else.
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
  // Two threads: when a slow page ends one of them, replacing it takes as long as reading several pages.
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

/**
 * Takes a thread from a list of idle threads: one that is already running, if there is one. Prefers the most recently
 * used, so that the others stay idle long enough to end.
 */
function takeReadiest<T extends { readonly isReady: boolean }>(threads: T[]): T | undefined {
  const ready = threads.findLastIndex(({ isReady }) => isReady);
  return ready < 0 ? threads.pop() : threads.splice(ready, 1)[0];
}

const partyOf = (cause: Cause | typeof theOwner) => (cause === theOwner ? cause : turnOf(cause));
