import type { Log } from './log.ts';

/** Takes what nobody waits for: a failure is logged, and the end of the service waits for what is under way. */
export interface Background {
  (work: Promise<unknown>): void;
  /** Resolves when nothing is under way any more. Never rejects. */
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
      // What is under way may bring more of its kind.
      while (underWay.size > 0) await Promise.all(underWay);
    },
  });
}
