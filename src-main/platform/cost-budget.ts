import type { Clock } from './clock.ts';

export type CostBudget = ReturnType<typeof createCostBudget>;

export interface CostBudgetOptions {
  /** The most that a party may spend at once, in the unit of `charge`. */
  readonly burst: number;
  /** How much of the budget a party regains per minute. */
  readonly perMinute: number;
  readonly clock: Clock;
  /** How far a party may go into debt; any debt beyond that is forgiven. Unbounded if absent. */
  readonly mostDebt?: number;
  /** How many parties are remembered. Those that spent longest ago are forgotten first. */
  readonly mostParties?: number;
}

interface Account {
  readonly balance: number;
  readonly at: number;
}

const defaultParties = 4_000;

/**
 * Limits the cost of untrusted work. Each party that causes work (such as `visitor 203.0.113.9` or `host quill.test`)
 * has its own budget, so only parties that are over budget have to wait. A party starts with `burst` and regains
 * `perMinute`, never above `burst`.
 */
export function createCostBudget(options: CostBudgetOptions) {
  const { burst, perMinute, clock, mostDebt = Infinity, mostParties = defaultParties } = options;
  const perMs = perMinute / 60_000;
  /** Accounts by party, in the order of the last charge. A party without an account has a full budget. */
  const accounts = new Map<string, Account>();

  /** Returns how much of its budget a party has left; below 0 if it is in debt. */
  function balanceOf(party: string): number {
    const account = accounts.get(party);
    if (account === undefined) return burst;
    // While the clock is behind the last charge, because it was set back, nothing is regained.
    return Math.min(burst, account.balance + Math.max(0, clock() - account.at) * perMs);
  }

  return {
    /** Returns the ms until all of these parties may cause work again; 0 if they may now. */
    waitMs(parties: readonly string[]): number {
      const lowest = Math.min(...parties.map(balanceOf));
      return lowest > 0 ? 0 : Math.ceil((Number.EPSILON - lowest) / perMs) + 1;
    },
    balance: balanceOf,
    /**
     * Subtracts the cost of finished work from each party's budget. The cost is known only afterwards, so a budget may
     * go into debt.
     */
    charge(parties: readonly string[], cost: number): void {
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
