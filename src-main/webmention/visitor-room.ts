import type { Clock } from '../platform/clock.ts';
import { createCostBudget } from '../platform/cost-budget.ts';
import { bytesOf } from '../mentions/mention-size.ts';
import type { Mention } from '../mentions/mention.ts';

/**
 * What the mentions that one visitor sends may take on disk, in bytes of JSON: 2 MB at once and 1 MB an hour. Bridges
 * send hundreds of usual mentions (2 to 4 KB each) in one go.
 */
const share = { burst: 2 * 1024 * 1024, perMinute: (1024 * 1024) / 60 };
/** What a mention may take beside its addresses when its visitor has no room left: who said it, and the first words. */
const shortMention = 2 * 1024;

/** Limits what the mentions of one visitor take on disk. Nothing is lost: beyond the limit mentions are kept short. */
export interface VisitorRoom {
  /** Returns the most bytes that a mention of this visitor may take; undefined where the visitor has room left. */
  mostFor(visitor: string, pair: Pick<Mention, 'source' | 'target'>): number | undefined;
  /** Notes that a mention of this visitor was written. */
  wrote(visitor: string, mention: Mention): void;
}

/** Creates the limit, with room for everybody. */
export function createVisitorRoom(clock: Clock): VisitorRoom {
  const budget = createCostBudget({ ...share, clock });
  return {
    mostFor(visitor, { source, target }) {
      if (budget.waitMs([visitor]) === 0) return undefined;
      return shortMention + Buffer.byteLength(source) + Buffer.byteLength(target);
    },
    wrote: (visitor, mention) => budget.charge([visitor], bytesOf(mention)),
  };
}
