/** Who fills the queue: the site of the source, or the visitor who sent the mention. */
export interface QueueParty {
  readonly kind: 'site' | 'visitor';
  readonly name: string;
}

/** Counts who has how much waiting, so that nobody fills the queue alone. */
export interface QueueShares {
  /** Says who has too much waiting for one more to come in: everybody together, a site or a visitor. */
  crowd(parties: readonly QueueParty[]): 'all' | QueueParty['kind'] | undefined;
  add(parties: readonly QueueParty[], size: number): void;
  remove(parties: readonly QueueParty[], size: number): void;
}

/** What did not come through the tunnel may be many senders behind one reverse proxy. */
export const nearby: QueueParty = { kind: 'visitor', name: 'nearby' };

/**
 * A party may have as much waiting as this part of what is still free: alone it gets a tenth of the queue. The more
 * parties fill it, the less each of them may have, so that there is room for a newcomer.
 */
const partOfFree = 1 / 9;
/** All who do not come through the tunnel: half of the queue. */
const partOfFreeNearby = 1;
/** As many of usual length may wait of each party, as long as there is room at all. */
const fewest = 10;

/**
 * Creates the count.
 *
 * @param most - How much may wait, in the unit of `size`.
 * @param usual - The size of a usual mention.
 */
export function createQueueShares(most: number, usual: number): QueueShares {
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
    crowd: (parties) => (all >= most ? 'all' : parties.find(isCrowd)?.kind),
    add: (parties, size) => change(parties, size),
    remove: (parties, size) => change(parties, -size),
  };
}
