/** What a party gets when the store is nearly full, and in any store. */
const fewest = 10;
/** The part of the store above which it is nearly full. */
const nearlyFull = 3 / 4;

/**
 * Counts what sites and senders (parties, such as `site mallory.example`) have waiting in a store of `most` places, so
 * that none of them fills it: each may have a tenth. Once three quarters are taken, each may have ten places, so that
 * newcomers find room. `mostOf`: the limit of a party that isn't a tenth. The mailbox at Cloudflare uses this, too.
 */
export function createCrowdLimits<Party extends string>(
  most: number,
  mostOf: (party: Party) => number | undefined = () => undefined,
) {
  const held = new Map<Party, number>();
  let all = 0;

  return {
    /**
     * Returns whose limit would be exceeded by `size` more places for these parties: `all` stands for that of the store.
     * Returns undefined if there is room.
     */
    crowd(parties: readonly Party[], size = 1): Party | 'all' | undefined {
      if (all + size > most) return 'all';
      const limitOf = (party: Party) =>
        all >= most * nearlyFull ? fewest : Math.max(fewest, mostOf(party) ?? most / 10);
      return parties.find((party) => (held.get(party) ?? 0) + size > limitOf(party));
    },
    /** Adds `size` places to those that these parties have together; negative if they left. */
    change(parties: readonly Party[], size: number): void {
      all += size;
      for (const party of parties) {
        const now = (held.get(party) ?? 0) + size;
        if (now > 0) held.set(party, now);
        else held.delete(party);
      }
    },
  };
}
