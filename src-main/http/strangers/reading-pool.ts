import { createCauseBudget, turnOf, type Cause, type CauseLimits } from '../../platform/cause.ts';
import type { Clock } from '../../platform/clock.ts';
import { createFairTurns, TurnRefused } from '../../platform/fair-turns.ts';
import { RetryLater } from '../errors.ts';
import { createReadingThread, type ReadingThread } from './reading-thread.ts';
import type { Jobs } from './thread-jobs.ts';

/** The party of pages that the owner asked for: these have no budget. */
export const theOwner = 'the owner';

/** Threads on which pages are read, so that no page holds up the server, and none holds up all the others. */
export interface ReadingPool<J extends Jobs> {
  /**
   * Has a job of the threads' program done when it is the turn of whoever causes it.
   * @throws RetryLater (429) where the visitor or the host has spent its reading time, or where too many pages wait;
   * PorchlightError as ReadingThread.run does.
   */
  run<K extends keyof J & string>(
    job: K,
    input: Parameters<J[K]>[0],
    cause: Cause | typeof theOwner,
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
}

const threads = 2;
const crowdedMs = 10_000;
const tooMany = 'Porchlight is reading too many pages at the moment. Try again in a minute.';
const overBudget = 'Reading these pages takes Porchlight too long. Try again later.';

/** Creates a pool of two threads. One party is read on one of them at a time, so the other is soon free for others. */
export function createReadingPool<J extends Jobs>(options: ReadingPoolOptions): ReadingPool<J> {
  const { file, deadlineMs, clock } = options;
  const free: ReadingThread<J>[] = Array.from({ length: threads }, () =>
    createReadingThread<J>({ file, deadlineMs }),
  );
  const all = [...free];
  const turns = createFairTurns({
    concurrency: threads,
    perParty: 1,
    mostWaiting: 200,
    mostWaitingPerParty: 30,
  });
  const budget = createCauseBudget({ ...options.budget, clock });

  function admit(cause: Cause | typeof theOwner): void {
    const waitMs = cause === theOwner ? 0 : budget.waitMs(cause);
    if (waitMs > 0) throw new RetryLater(overBudget, waitMs);
  }

  async function runNow<K extends keyof J & string>(
    job: K,
    input: Parameters<J[K]>[0],
    cause: Cause | typeof theOwner,
  ): Promise<ReturnType<J[K]>> {
    admit(cause);
    // The one that was used last: it is most likely to run already.
    const thread = free.pop();
    if (!thread) throw new Error('More pages are read at once than there are threads.');
    try {
      return await thread.run(job, input, (ms) => {
        if (cause !== theOwner) budget.charge(cause, ms);
      });
    } finally {
      free.push(thread);
    }
  }

  return {
    async run(job, input, cause) {
      admit(cause);
      try {
        return await turns.run(cause === theOwner ? cause : turnOf(cause), () => runNow(job, input, cause));
      } catch (error) {
        throw error instanceof TurnRefused ? new RetryLater(tooMany, crowdedMs) : error;
      }
    },
    async close() {
      turns.drop();
      await Promise.all(all.map((thread) => thread.close()));
    },
  };
}
