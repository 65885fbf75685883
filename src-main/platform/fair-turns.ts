/** Why a task was refused: its party, or all parties together, have too many tasks waiting. */
export type Crowd = 'party' | 'all';

export interface FairTurnsOptions {
  /** How many tasks run at once. */
  readonly concurrency: number;
  /**
   * How many tasks of one party run at once. If this is below `concurrency`, other parties always get a free slot soon.
   */
  readonly perParty?: number;
  /** How many tasks may wait, in total and per party. */
  readonly mostWaiting: number;
  readonly mostWaitingPerParty: number;
  /**
   * Parties with the lowest rank go first, and parties of equal rank take turns. If absent, all parties have equal
   * rank.
   */
  readonly rank?: (party: string) => number;
}

/** Thrown for a task that was refused, or dropped while it was waiting. */
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

/** Shares a scarce resource among parties, such as visitors and sites, so that no party keeps the others waiting. */
export function createFairTurns(options: FairTurnsOptions) {
  const { concurrency, perParty = concurrency, mostWaiting, mostWaitingPerParty, rank = () => 0 } = options;
  const lines = new Map<string, Waiting[]>();
  const running = new Map<string, number>();
  /** For each party that has waiting or running tasks, the number of its last turn. Turn numbers increase. */
  const lastTurn = new Map<string, number>();
  let turn = 0;
  let busy = 0;
  let waiting = 0;

  /** Returns the party that may run and has the lowest rank; among equals, the one whose last turn is longest ago. */
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
     * Runs `task` when its party's turn comes. Parties take turns, one task each, and a party's own tasks run in the
     * order in which they were added. While this task is its party's next one, `weight` is added to the party's rank.
     * Rejects as the task does, or with TurnRefused if too many tasks are waiting.
     */
    run<T>(party: string, task: () => Promise<T>, weight = 0): Promise<T> {
      const line = lines.get(party) ?? [];
      const crowd = line.length >= mostWaitingPerParty ? 'party' : waiting >= mostWaiting ? 'all' : undefined;
      if (crowd !== undefined) return Promise.reject(new TurnRefused(crowd));
      return new Promise((resolve, reject) => {
        line.push({
          weight,
          start: () => {
            // If the task throws synchronously, the promise rejects as well.
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
    /** How many tasks are waiting for their turn. */
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
