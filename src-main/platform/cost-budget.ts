import type { Clock } from './clock.ts';

export type CostBudget = ReturnType<typeof createCostBudget>;

export interface CostBudgetOptions {
  /** The maximum that a visitor, host or app can spend at once, in the unit of `charge`. */
  readonly burst: number;
  /** How much a visitor, host or app regains per minute, in the unit of `charge`. */
  readonly perMinute: number;
  readonly clock: Clock;
  /** The maximum debt of a visitor, host or app. Debt above this limit is forgiven. If absent, debt is unlimited. */
  readonly mostDebt?: number;
  /**
   * The maximum number of visitors, hosts and apps whose budgets are kept in memory. The budget that was charged
   * longest ago is discarded first.
   */
  readonly mostParties?: number;
}

interface Account {
  readonly balance: number;
  readonly at: number;
}

const defaultParties = 4_000;

/**
 * Limits the cost of untrusted work. Each visitor, host or app that causes work (a party, such as
 * `visitor 203.0.113.9`) has its own budget, so only parties that are over budget have to wait. A party starts with
 * `burst` and regains `perMinute`, but never has more than `burst`.
 */
export function createCostBudget(options: CostBudgetOptions) {
  const { burst, perMinute, clock, mostDebt = Infinity, mostParties = defaultParties } = options;
  const perMs = perMinute / 60_000;
  /**
   * The accounts of visitors, hosts and apps, in the order of their last charge. A visitor, host or app without an
   * account has its full budget.
   */
  const accounts = new Map<string, Account>();

  /** Returns how much of its budget a visitor, host or app has left; below 0 if it is in debt. */
  function balanceOf(party: string, now: number): number {
    const account = accounts.get(party);
    if (account === undefined) return burst;
    // If the clock was set back to before the last charge, nothing is regained until the clock passes that time.
    return Math.min(burst, account.balance + Math.max(0, now - account.at) * perMs);
  }

  return {
    /**
     * Returns how long to wait, in ms, until all of these visitors, hosts and apps are within their budgets; 0 if they
     * already are.
     */
    waitMs(parties: readonly string[]): number {
      const now = clock();
      const lowest = Math.min(...parties.map((party) => balanceOf(party, now)));
      return lowest > 0 ? 0 : Math.ceil((Number.EPSILON - lowest) / perMs) + 1;
    },
    balance: (party: string): number => balanceOf(party, clock()),
    /**
     * Subtracts the cost of finished work from the budgets of these visitors, hosts and apps. The cost is unknown until
     * the work has finished, so a budget can go into debt.
     */
    charge(parties: readonly string[], cost: number): void {
      const now = clock();
      for (const party of new Set(parties)) {
        const balance = Math.max(-mostDebt, balanceOf(party, now) - cost);
        accounts.delete(party);
        accounts.set(party, { balance, at: now });
      }
      for (const oldest of accounts.keys()) {
        if (accounts.size <= mostParties && balanceOf(oldest, now) < burst) break;
        accounts.delete(oldest);
      }
    },
  };
}

/**
 * Divides long work into small steps, so that the main thread can do other work between them. The implementation in
 * http/visitor-cost.ts charges each step to the visitor.
 */
export interface Pace {
  /**
   * Called between steps. Returns undefined if the work can continue at once, or a promise that resolves when it can
   * continue.
   */
  step(): Promise<void> | undefined;
}
