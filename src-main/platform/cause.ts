import { hostIsLoopback } from './address.ts';
import type { Clock } from './clock.ts';
import { createCostBudget, type CostBudgetOptions } from './cost-budget.ts';
import { siteOfHost } from './site-name.ts';

/** The origin of work on untrusted content: the visitor who requested the work, and the URL of the content. */
export interface Cause {
  /**
   * The visitor's network (see visitorOf). Absent if no visitor made a request, or if visitors cannot be told apart.
   */
  readonly visitor?: string | undefined;
  /** The URL of the content. */
  readonly address: string;
}

type Limits = Pick<CostBudgetOptions, 'burst' | 'perMinute'>;

export interface CauseLimits {
  readonly visitor: Limits;
  readonly host: Limits;
}

/**
 * Limits the cost of work that strangers cause, for each visitor and for each host. The `host` limits should be several
 * times the `visitor` limits, so that no single visitor can use up the budget of a host that other visitors need.
 */
export function createCauseBudget(options: CauseLimits & { readonly clock: Clock }) {
  const { clock } = options;
  const visitors = createCostBudget({ ...options.visitor, clock });
  const hosts = createCostBudget({ ...options.host, clock });
  return {
    /**
     * Returns how long work must wait, in ms, until its visitor and host are within their budgets; 0 if they already
     * are.
     */
    waitMs: ({ visitor, address }: Cause) =>
      Math.max(hosts.waitMs([hostOf(address)]), visitor === undefined ? 0 : visitors.waitMs([visitor])),
    /** Subtracts the cost of finished work from the visitor's budget and from the host's budget. */
    charge({ visitor, address }: Cause, cost: number): void {
      hosts.charge([hostOf(address)], cost);
      if (visitor !== undefined) visitors.charge([visitor], cost);
    },
  };
}

/**
 * Returns the name of the visitor or site that the work is queued under, so that visitors and sites can take turns.
 * Without a visitor, the work is queued under the site that hosts the content. All hosts of a site share one name.
 */
export function turnOf({ visitor, address }: Cause): string {
  if (visitor !== undefined) return `visitor ${visitor}`;
  return `domain ${siteOfHost(new URL(address).host)}`;
}

/**
 * Returns the host of a URL. Includes the port for loopback hosts only, because each port on this computer belongs to a
 * different program.
 */
function hostOf(address: string): string {
  const { host, hostname } = new URL(address);
  return hostIsLoopback(hostname) ? host : hostname;
}
