import { PorchlightError } from '../contract/error.ts';

/**
 * Returns a function that runs tasks one after another, in the order of the calls. Each task starts after the previous
 * task has settled.
 */
export function oneAtATime(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task, task);
    last = run.catch(() => undefined);
    return run;
  };
}

/**
 * Returns a function that runs `work` once for many calls. Calls in the same tick share a run. Calls during a run share
 * the next run. Each returned promise settles with its run. A failed run doesn't affect later runs.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function start(): Promise<void> {
    // Only the callers that shared the earlier run get its error.
    await running?.catch(() => undefined);
    running = next;
    next = undefined;
    await work();
  }

  return () => (next ??= start());
}

/** How many files to process at once: enough to keep the disk busy. */
const atOnce = 16;

/**
 * Runs `work` for each item, a limited number at a time. Returns the results in the order of the items. After a failure,
 * what has begun ends before the promise rejects, so that nothing uses files that are cleaned up.
 */
export async function mapAtOnce<A, B>(items: readonly A[], work: (item: A) => Promise<B>): Promise<B[]> {
  const results: B[] = [];
  for (let start = 0; start < items.length; start += atOnce) {
    const running = items.slice(start, start + atOnce).map(work);
    await Promise.allSettled(running);
    results.push(...(await Promise.all(running)));
  }
  return results;
}

/**
 * Delays changes to the data folder, so that a copy of many files shows all of them as they were at one moment. Changes
 * in progress finish first, and later changes wait until the pause ends. During a pause, the files are in the same
 * state as if the process had been killed between two changes. Every store can recover from that state.
 */

let pause: Promise<void> | undefined;
let underWay = 0;
let quiet: (() => void) | undefined;

/** Runs one change to the data folder, after any pause has ended. `work` must not wait for another change. */
export async function changing<T>(work: () => Promise<T>): Promise<T> {
  while (pause !== undefined) await pause;
  underWay += 1;
  try {
    return await work();
  } finally {
    underWay -= 1;
    if (underWay === 0) quiet?.();
  }
}

/** Runs `work` while nothing changes the data folder. `work` must not call `changing`. */
export async function whilePaused<T>(work: () => Promise<T>): Promise<T> {
  while (pause !== undefined) await pause;
  let release: () => void = () => undefined;
  pause = new Promise((resolve) => {
    release = resolve;
  });
  try {
    if (underWay > 0)
      await new Promise<void>((resolve) => {
        quiet = resolve;
      });
    return await work();
  } finally {
    quiet = undefined;
    pause = undefined;
    release();
  }
}

/** A long operation on files that reports its progress and can be cancelled. */
export interface LongTask {
  readonly signal: AbortSignal;
  /** Called often. `done` and `total` are in bytes; `total` is 0 while the size of the work is unknown. */
  readonly progress: (done: number, total: number, words: string) => void;
}

/**
 * Throws if the owner has cancelled the work.
 * @throws PorchlightError `cancelled`
 */
export function goOn({ signal }: Pick<LongTask, 'signal'>): void {
  if (signal.aborted) throw new PorchlightError('cancelled', 'Cancelled. Nothing was changed.', 409);
}

/** Returns a function that calls `work`, and whose promise resolves with its result or rejects with its error. */
export const promised =
  <A extends unknown[], R>(work: (...args: A) => R) =>
  (...args: A): Promise<R> =>
    new Promise((resolve) => {
      resolve(work(...args));
    });
