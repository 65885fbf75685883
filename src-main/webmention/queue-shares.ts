/** A party whose mentions fill the queue: the site of their source, or the visitor who sent them. */
export interface QueueParty {
  readonly kind: 'site' | 'visitor';
  readonly name: string;
}

/** The party for mentions that don't come through the tunnel. Many senders may share one reverse proxy. */
export const nearby: QueueParty = { kind: 'visitor', name: 'nearby' };

/**
 * The part of the remaining free space that one party's mentions may take up. A party that fills the queue alone gets a
 * tenth of it. The more parties fill the queue, the less each of them may have, so that there is room for newcomers.
 */
const partOfFree = 1 / 9;
/**
 * The part of the remaining free space for all mentions that don't come through the tunnel: at most half of the queue.
 */
const partOfFreeNearby = 1;
/** Each party may always have this many mentions of usual length waiting, unless the whole queue is full. */
const fewest = 10;

/**
 * Creates a counter of how much each party (a site or a visitor) has waiting, so that no party fills the queue alone.
 *
 * @param most - How much may wait, in the unit of `size`.
 * @param usual - The size of a usual mention.
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
     * Returns who has too much waiting for another mention to be added: everyone together (`all`), a site or a visitor;
     * undefined if there is room.
     */
    crowd: (parties: readonly QueueParty[]) => (all >= most ? ('all' as const) : parties.find(isCrowd)?.kind),
    add: (parties: readonly QueueParty[], size: number) => change(parties, size),
    remove: (parties: readonly QueueParty[], size: number) => change(parties, -size),
  };
}
