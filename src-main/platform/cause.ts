import { hostIsLoopback } from './address.ts';
import type { Clock } from './clock.ts';
import { createCostBudget, type CostBudgetOptions } from './cost-budget.ts';
import { siteOfHost } from './site-name.ts';

/** Who causes work with content from elsewhere. */
export interface Cause {
  /** The network of the visitor who asked (visitorOf); absent where nobody did, or nobody can be told from another. */
  readonly visitor?: string | undefined;
  /** The address on the web that the content comes from. */
  readonly address: string;
}

/** Limits what the work of strangers may cost, for each visitor and for each host. */
export interface CauseBudget {
  /** Returns the ms until this cause may cost something again; 0 where it may now. */
  waitMs(cause: Cause): number;
  /** Takes what work has cost from the visitor's budget and the host's. */
  charge(cause: Cause, cost: number): void;
}

type Limits = Pick<CostBudgetOptions, 'burst' | 'perMinute'>;

export interface CauseLimits {
  readonly visitor: Limits;
  readonly host: Limits;
}

/**
 * Creates a budget in memory, in the unit of `charge`. `host` should be several times `visitor`, so that no single
 * visitor can use up the budget of a host that others need.
 */
export function createCauseBudget(options: CauseLimits & { readonly clock: Clock }): CauseBudget {
  const { clock } = options;
  const visitors = createCostBudget({ ...options.visitor, clock });
  const hosts = createCostBudget({ ...options.host, clock });
  return {
    waitMs: ({ visitor, address }) =>
      Math.max(hosts.waitMs([hostOf(address)]), visitor === undefined ? 0 : visitors.waitMs([visitor])),
    charge({ visitor, address }, cost) {
      hosts.charge([hostOf(address)], cost);
      if (visitor !== undefined) visitors.charge([visitor], cost);
    },
  };
}

/** Returns the party whose turn this work is: the visitor's, else that of the domain, whatever names it has. */
export function turnOf({ visitor, address }: Cause): string {
  if (visitor !== undefined) return `visitor ${visitor}`;
  return `domain ${siteOfHost(new URL(address).host)}`;
}

/** Returns the host of an address; with its port on loopback only, where each port is a program of its own. */
function hostOf(address: string): string {
  const { host, hostname } = new URL(address);
  return hostIsLoopback(hostname) ? host : hostname;
}
