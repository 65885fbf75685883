/**
 * Why a task was refused. `party`: too many tasks of the same visitor, site or app are waiting. `all`: too many tasks
 * are waiting in total.
 */
export type Crowd = 'party' | 'all';

export interface FairTurnsOptions {
  readonly concurrency: number;
  /**
   * The maximum number of tasks of one visitor, site or app that run at once. If this number is below `concurrency`, no
   * single visitor, site or app can block all others.
   */
  readonly perParty?: number;
  /** The maximum number of waiting tasks: in total, and for each visitor, site or app. */
  readonly mostWaiting: number;
  readonly mostWaitingPerParty: number;
  /**
   * Returns the rank of a visitor, site or app. The lowest rank goes first. Visitors, sites and apps of equal rank take
   * turns. If this function is absent, all ranks are equal.
   */
  readonly rank?: (party: string) => number;
}

/** Thrown for a task that was refused, or that was dropped while it was waiting. */
export class TurnRefused extends Error {
  readonly crowd: Crowd;

  constructor(crowd: Crowd) {
    super(crowd === 'party' ? 'This party has too many tasks waiting.' : 'Too many tasks are waiting.');
    this.crowd = crowd;
  }
}

interface Waiting {
  readonly weight: number;
  readonly start: () => void;
  readonly refuse: () => void;
}

/**
 * Shares a scarce resource fairly. Visitors, sites and apps (the parties) take turns, so that none of them blocks the
 * others.
 */
export function createFairTurns(options: FairTurnsOptions) {
  const { concurrency, perParty = concurrency, mostWaiting, mostWaitingPerParty, rank = () => 0 } = options;
  const lines = new Map<string, Waiting[]>();
  const running = new Map<string, number>();
  /**
   * The position of each party's last turn in the sequence of all turns: a lower number means an earlier turn. Contains
   * only parties (visitors, sites and apps) with waiting or running tasks.
   */
  const lastTurn = new Map<string, number>();
  let turn = 0;
  let busy = 0;
  let waiting = 0;

  /**
   * Returns the visitor, site or app (the party) whose task runs next: the one with the lowest rank among those that
   * have fewer running tasks than `perParty`. Of several with the same rank, returns the one whose last turn was
   * earliest.
   */
  function nextParty(): string | undefined {
    let next: { party: string; rank: number; turn: number } | undefined;
    for (const [party, [first]] of lines) {
      if ((running.get(party) ?? 0) >= perParty) continue;
      const one = { party, rank: rank(party) + (first?.weight ?? 0), turn: lastTurn.get(party) ?? 0 };
      if (!next || one.rank < next.rank || (one.rank === next.rank && one.turn < next.turn)) next = one;
    }
    return next?.party;
  }

  function startNext(): void {
    for (let party = nextParty(); party !== undefined && busy < concurrency; party = nextParty()) {
      const line = lines.get(party) ?? [];
      const next = line.shift();
      if (line.length === 0) lines.delete(party);
      lastTurn.set(party, ++turn);
      running.set(party, (running.get(party) ?? 0) + 1);
      waiting -= 1;
      busy += 1;
      next?.start();
    }
  }

  function finished(party: string): void {
    busy -= 1;
    const left = (running.get(party) ?? 1) - 1;
    if (left > 0) running.set(party, left);
    else running.delete(party);
    if (left === 0 && !lines.has(party)) lastTurn.delete(party);
    startNext();
  }

  return {
    /**
     * Runs `task` when it is the turn of `party`, a visitor, site or app. Each turn runs one task, and a party's own
     * tasks run in the order in which they were added. While this task is the party's next task, `weight` is added to
     * the party's rank. Rejects with the task's error, or with TurnRefused if too many tasks are waiting.
     */
    run<T>(party: string, task: () => Promise<T>, weight = 0): Promise<T> {
      const line = lines.get(party) ?? [];
      const crowd = line.length >= mostWaitingPerParty ? 'party' : waiting >= mostWaiting ? 'all' : undefined;
      if (crowd !== undefined) return Promise.reject(new TurnRefused(crowd));
      return new Promise((resolve, reject) => {
        line.push({
          weight,
          start: () => {
            // Call the task inside the promise chain, so that a synchronous error also rejects the promise.
            void Promise.resolve()
              .then(task)
              .then(resolve, reject)
              .finally(() => finished(party));
          },
          refuse: () => reject(new TurnRefused('all')),
        });
        lines.set(party, line);
        waiting += 1;
        startNext();
      });
    },
    get waiting() {
      return waiting;
    },
    /** Rejects all waiting tasks with TurnRefused. Running tasks continue. */
    drop(): void {
      const dropped = [...lines.values()].flat();
      lines.clear();
      waiting = 0;
      for (const party of lastTurn.keys()) if (!running.has(party)) lastTurn.delete(party);
      for (const { refuse } of dropped) refuse();
    },
  };
}
