import type { Log } from './log.ts';

export type Background = ReturnType<typeof inBackground>;

/**
 * Returns a function that accepts work that no caller awaits: a promise, and the message (`words`) to log with the
 * error if the promise rejects.
 */
export function inBackground(log: Pick<Log, 'warn'>) {
  const underWay = new Set<Promise<unknown>>();
  const tell = (work: Promise<unknown>, words = 'in the background'): void => {
    const done: Promise<unknown> = work
      .catch((error: unknown) => log.warn({ err: error }, words))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };
  return Object.assign(tell, {
    /** Resolves when no background work is running. Never rejects. */
    async finished(): Promise<void> {
      // Repeat, because running work may start more background work.
      while (underWay.size > 0) await Promise.all(underWay);
    },
  });
}
