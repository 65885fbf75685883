import type { Clock } from '../platform/clock.ts';
import { createCostBudget } from '../platform/cost-budget.ts';
import { bytesOf } from '../mentions/mention-size.ts';
import type { Mention } from '../mentions/mention.ts';

/**
 * How much disk space the mentions from one visitor may take, in bytes of JSON: 2 MB at once and 1 MB more per hour.
 * Bridges send hundreds of ordinary mentions (2 to 4 KB each) in one go.
 */
const share = { burst: 2 * 1024 * 1024, perMinute: (1024 * 1024) / 60 };
/**
 * Bytes for a mention, besides its source and target, if its visitor has no room left: enough for the author and the
 * first words.
 */
const shortMention = 2 * 1024;

export type VisitorRoom = ReturnType<typeof createVisitorRoom>;

/**
 * Creates the limit of disk space for the mentions from one visitor. At first, every visitor has room. No mention is
 * lost: beyond the limit, mentions are shortened.
 */
export function createVisitorRoom(clock: Clock) {
  const budget = createCostBudget({ ...share, clock });
  return {
    /** Returns the most bytes that a mention from this visitor may take; undefined if the visitor has room left. */
    mostFor(visitor: string, { source, target }: Pick<Mention, 'source' | 'target'>): number | undefined {
      if (budget.waitMs([visitor]) === 0) return undefined;
      return shortMention + Buffer.byteLength(source) + Buffer.byteLength(target);
    },
    /** Records that a mention from this visitor was written. */
    wrote: (visitor: string, mention: Mention) => budget.charge([visitor], bytesOf(mention)),
  };
}
