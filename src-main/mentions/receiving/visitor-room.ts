import type { Clock } from '../../platform/clock.ts';
import { createCostBudget } from '../../platform/cost-budget.ts';
import { mentionBytes } from '../mention-size.ts';
import type { Mention } from '../mention.ts';

/**
 * The disk space that the mentions from one sender may use, in bytes of JSON: 2 MB at first, plus 1 MB per hour. This
 * is enough for bridges, which send hundreds of ordinary mentions (2 to 4 KB each) in a short time.
 */
const share = { burst: 2 * 1024 * 1024, perMinute: (1024 * 1024) / 60 };
/**
 * The maximum size, in bytes, of a mention from a sender that has used up its disk space, not counting source and
 * target. This is enough for the author and the start of the text.
 */
const shortMention = 2 * 1024;

export type VisitorRoom = ReturnType<typeof createVisitorRoom>;

/** Limits the disk space for the mentions from each sender. Mentions beyond the limit are shortened, but never lost. */
export function createVisitorRoom(clock: Clock) {
  const budget = createCostBudget({ ...share, clock });
  return {
    /**
     * Returns the maximum size in bytes of a mention from this sender; undefined (no maximum) while the sender has disk
     * space left.
     */
    mostFor(visitor: string, { source, target }: Pick<Mention, 'source' | 'target'>): number | undefined {
      if (budget.waitMs([visitor]) === 0) return undefined;
      return shortMention + Buffer.byteLength(source) + Buffer.byteLength(target);
    },
    /** Records that a mention from this sender was stored. */
    wrote: (visitor: string, mention: Mention) => budget.charge([visitor], mentionBytes(mention)),
  };
}
