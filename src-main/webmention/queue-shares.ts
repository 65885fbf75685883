/**
 * A site or a sender with a limit on its waiting mentions. `site`: the site of the mentions' source. `visitor`: the
 * sender of the mentions.
 */
export interface QueueParty {
  readonly kind: 'site' | 'visitor';
  readonly name: string;
}

/**
 * Represents the senders of all mentions that don't come through the tunnel. They count as one sender, because many
 * senders may share one reverse proxy.
 */
export const nearby: QueueParty = { kind: 'visitor', name: 'nearby' };

/**
 * The maximum size of the mentions of one site or sender, as a fraction of the queue's free space. A site's own
 * mentions reduce the free space: with a fraction of 1/9, a site alone in the queue can fill a tenth of it, which is a
 * ninth of the other nine tenths. The more sites have waiting mentions, the less space each of them gets, so space
 * remains for new sites.
 */
const partOfFree = 1 / 9;
/**
 * The maximum size of all mentions that don't come through the tunnel, as a fraction of the queue's free space. With a
 * fraction of 1, they can together fill at most half of the queue, because the other half must remain free.
 */
const partOfFreeNearby = 1;
/**
 * The number of average-length mentions that each site or sender may always have waiting, unless the whole queue is
 * full.
 */
const fewest = 10;

/**
 * Creates a counter for the waiting mentions of each site and each sender, so that none of them fills the queue alone.
 *
 * @param most - The capacity of the queue, in the unit of `size`.
 * @param usual - The size of an average mention.
 */
export function createQueueShares(most: number, usual: number) {
  const held = new Map<string, number>();
  let all = 0;
  const keyOf = ({ kind, name }: QueueParty) => `${kind} ${name}`;

  function isCrowd(party: QueueParty): boolean {
    const part = party === nearby ? partOfFreeNearby : partOfFree;
    const share = Math.max(fewest * usual, (most - all) * part);
    return (held.get(keyOf(party)) ?? 0) >= share;
  }

  function change(parties: readonly QueueParty[], by: number): void {
    all += by;
    for (const party of parties) {
      const now = (held.get(keyOf(party)) ?? 0) + by;
      if (now > 0) held.set(keyOf(party), now);
      else held.delete(keyOf(party));
    }
  }

  return {
    /**
     * Returns which limit prevents the addition of another mention: the limit of the whole queue (`all`), of a site or
     * of a sender. Returns undefined if there is space.
     */
    crowd: (parties: readonly QueueParty[]) => (all >= most ? ('all' as const) : parties.find(isCrowd)?.kind),
    add: (parties: readonly QueueParty[], size: number) => change(parties, size),
    remove: (parties: readonly QueueParty[], size: number) => change(parties, -size),
  };
}
