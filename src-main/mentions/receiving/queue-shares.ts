/** A site or a sender with a limit on its waiting mentions. `site`: the site of the source. `visitor`: the sender. */
export interface QueueParty {
  readonly kind: 'site' | 'visitor';
  readonly name: string;
}

/**
 * All senders that don't come through the tunnel. They count as one sender, because they may share one reverse proxy.
 */
export const nearby: QueueParty = { kind: 'visitor', name: 'nearby' };

/**
 * How much the mentions of one site or sender may take up, as a fraction of the queue's free space. A site that is
 * alone in the queue can fill a tenth of the queue. The fuller the queue, the less space each site gets, which leaves
 * space for new sites.
 */
const partOfFree = 1 / 9;
/**
 * How much space all mentions that don't come through the tunnel may take up together, as a fraction of the queue's
 * free space. With a fraction of 1, they can fill half of the queue, because they also reduce the free space.
 */
const partOfFreeNearby = 1;
/** Each site or sender may always have this many mentions waiting, unless the whole queue is full. */
const fewest = 10;

/**
 * Creates a counter for the waiting mentions of each site and each sender, so that no single site or sender can fill
 * the queue.
 *
 * @param most - The maximum number of waiting mentions.
 */
export function createQueueShares(most: number) {
  const held = new Map<string, number>();
  let all = 0;
  const keyOf = ({ kind, name }: QueueParty) => `${kind} ${name}`;

  function isCrowd(party: QueueParty): boolean {
    const part = party === nearby ? partOfFreeNearby : partOfFree;
    const share = Math.max(fewest, (most - all) * part);
    return (held.get(keyOf(party)) ?? 0) >= share;
  }

  function change(parties: readonly QueueParty[], by: 1 | -1): void {
    all += by;
    for (const party of parties) {
      const now = (held.get(keyOf(party)) ?? 0) + by;
      if (now > 0) held.set(keyOf(party), now);
      else held.delete(keyOf(party));
    }
  }

  return {
    /**
     * Returns which limit another mention would exceed: the limit of the whole queue (`all`), of its site or of its
     * sender. Returns undefined if there is space.
     */
    crowd: (parties: readonly QueueParty[]) => (all >= most ? ('all' as const) : parties.find(isCrowd)?.kind),
    add: (parties: readonly QueueParty[]) => change(parties, 1),
    remove: (parties: readonly QueueParty[]) => change(parties, -1),
  };
}
