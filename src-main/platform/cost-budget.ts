import type { Clock } from './clock.ts';

/**
 * Limits what untrusted work may cost. Each party that causes work (`visitor 203.0.113.9`, `host quill.test`) has a
 * budget of its own, so that only the party that is over its budget waits.
 */
export interface CostBudget {
  /** Returns the ms until all of these parties may cause work again; 0 where they may now. */
  waitMs(parties: readonly string[]): number;
  /** Returns what a party has left; below 0 where it is in debt. */
  balance(party: string): number;
  /** Takes what work has cost, known only once it is done, from each party's budget. A budget may go into debt. */
  charge(parties: readonly string[], cost: number): void;
}

export interface CostBudgetOptions {
  /** The most that a party may spend at once, in the unit of `charge`. */
  readonly burst: number;
  /** How much of it comes back in a minute. */
  readonly perMinute: number;
  readonly clock: Clock;
  /** How far a party may go into debt; what is beyond that is forgiven. Unbounded where absent. */
  readonly mostDebt?: number;
  /** How many parties are remembered. Those that spent longest ago are forgotten first. */
  readonly mostParties?: number;
}

interface Account {
  readonly balance: number;
  readonly at: number;
}

const defaultParties = 4_000;

/** Creates a budget in memory: each party starts with `burst` and earns `perMinute`, never above `burst`. */
export function createCostBudget(options: CostBudgetOptions): CostBudget {
  const { burst, perMinute, clock, mostDebt = Infinity, mostParties = defaultParties } = options;
  const perMs = perMinute / 60_000;
  /** By party, in the order of the last charge. A party that is not here has a full budget. */
  const accounts = new Map<string, Account>();

  function balanceOf(party: string): number {
    const account = accounts.get(party);
    if (account === undefined) return burst;
    // A clock that was set back earns nothing.
    return Math.min(burst, account.balance + Math.max(0, clock() - account.at) * perMs);
  }

  return {
    waitMs(parties) {
      const lowest = Math.min(...parties.map(balanceOf));
      return lowest > 0 ? 0 : Math.ceil((Number.EPSILON - lowest) / perMs) + 1;
    },
    balance: balanceOf,
    charge(parties, cost) {
      for (const party of new Set(parties)) {
        const balance = Math.max(-mostDebt, balanceOf(party) - cost);
        accounts.delete(party);
        accounts.set(party, { balance, at: clock() });
      }
      for (const oldest of accounts.keys()) {
        if (accounts.size <= mostParties && balanceOf(oldest) < burst) break;
        accounts.delete(oldest);
      }
    },
  };
}
