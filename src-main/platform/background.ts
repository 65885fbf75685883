import type { Log } from './log.ts';

export type Background = ReturnType<typeof inBackground>;

/**
 * Returns a function to call with each promise that no caller awaits. If the promise rejects, the function logs the
 * error, with `words` as the message.
 */
export function inBackground(log: Pick<Log, 'warn'>) {
  const underWay = new Set<Promise<unknown>>();
  const run = (work: Promise<unknown>, words = 'in the background'): void => {
    const done: Promise<unknown> = work
      .catch((error: unknown) => log.warn({ err: error }, words))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };
  return Object.assign(run, {
    /** Resolves when no background work is running. Never rejects. */
    async finished(): Promise<void> {
      // Repeat, because running work may start more background work.
      while (underWay.size > 0) await Promise.all(underWay);
    },
  });
}
