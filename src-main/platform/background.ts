import type { Log } from './log.ts';

/**
 * Takes work whose result nobody waits for. Failures are logged, and the service waits for unfinished work before it
 * stops.
 */
export interface Background {
  (work: Promise<unknown>): void;
  /** Resolves when no work is running any more. Never rejects. */
  finished(): Promise<void>;
}

export function inBackground(log: Log): Background {
  const underWay = new Set<Promise<unknown>>();
  const tell = (work: Promise<unknown>): void => {
    const done: Promise<unknown> = work
      .catch((error: unknown) => log.warn({ err: error }, 'in the background'))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };
  return Object.assign(tell, {
    async finished() {
      // Running work may start more background work.
      while (underWay.size > 0) await Promise.all(underWay);
    },
  });
}
