import { hostIsLoopback } from './address.ts';
import type { Clock } from './clock.ts';
import { createCostBudget, type CostBudgetOptions } from './cost-budget.ts';
import { siteOfHost } from './site-name.ts';

/** Who causes work with content from elsewhere: a visitor, and the server that hosts the content. */
export interface Cause {
  /**
   * The network of the visitor who made the request (visitorOf). Absent if no visitor made one, or if visitors cannot
   * be told apart.
   */
  readonly visitor?: string | undefined;
  /** The URL that the content comes from. */
  readonly address: string;
}

type Limits = Pick<CostBudgetOptions, 'burst' | 'perMinute'>;

export interface CauseLimits {
  readonly visitor: Limits;
  readonly host: Limits;
}

/**
 * Limits the cost of work that strangers cause, for each visitor and for each host. The `host` limits should be several
 * times the `visitor` limits, so that no single visitor can use up the budget of a host that others need.
 */
export function createCauseBudget(options: CauseLimits & { readonly clock: Clock }) {
  const { clock } = options;
  const visitors = createCostBudget({ ...options.visitor, clock });
  const hosts = createCostBudget({ ...options.host, clock });
  return {
    /** Returns the ms until this cause may spend again; 0 if it may spend now. */
    waitMs: ({ visitor, address }: Cause) =>
      Math.max(hosts.waitMs([hostOf(address)]), visitor === undefined ? 0 : visitors.waitMs([visitor])),
    /** Subtracts the cost of finished work from the visitor's budget and from the host's. */
    charge({ visitor, address }: Cause, cost: number): void {
      hosts.charge([hostOf(address)], cost);
      if (visitor !== undefined) visitors.charge([visitor], cost);
    },
  };
}

/**
 * Returns whose turn this work takes in a fair queue: the visitor's, or without a visitor, the content's site. All host
 * names of a site share its turns.
 */
export function turnOf({ visitor, address }: Cause): string {
  if (visitor !== undefined) return `visitor ${visitor}`;
  return `domain ${siteOfHost(new URL(address).host)}`;
}

/**
 * Returns the host of a URL. Includes the port on loopback only, because each port of this computer is a different
 * program.
 */
function hostOf(address: string): string {
  const { host, hostname } = new URL(address);
  return hostIsLoopback(hostname) ? host : hostname;
}
