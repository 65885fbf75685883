interface Entry<T> {
  opened: Promise<T>;
  users: number;
  weight: number;
}

export interface BoundedCache<T> {
  /**
   * Runs `work` with the value for `key`, which stays open until `work` is done. A value that is already open is
   * shared.
   */
  use<R>(key: string, work: (value: T) => R | Promise<R>): Promise<R>;
}

/** Limits the total weight of the open values. `of` returns a value's weight, and is called after each use. */
export interface WeightLimit<T> {
  most: number;
  of: (value: T) => number;
}

/**
 * Creates a cache that keeps at most `capacity` unused values open and limits their total weight. The least recently
 * used values are dropped first. A value in use is never dropped, because a document must not be opened twice; nor is a
 * heavy value that is the only one. A failed opening is retried at the next use.
 */
export function boundedCache<T>(
  capacity: number,
  open: (key: string) => Promise<T>,
  limit?: WeightLimit<T>,
): BoundedCache<T> {
  const entries = new Map<string, Entry<T>>();

  function forgetUnused(): void {
    let weight = 0;
    for (const entry of entries.values()) weight += entry.weight;
    for (const [key, entry] of entries) {
      const isTooHeavy = limit !== undefined && weight > limit.most && entries.size > 1;
      if (entries.size <= capacity && !isTooHeavy) return;
      if (entry.users > 0) continue;
      entries.delete(key);
      weight -= entry.weight;
    }
  }

  async function openedValue(key: string, entry: Entry<T>): Promise<T> {
    try {
      return await entry.opened;
    } catch (error) {
      if (entries.get(key) === entry) entries.delete(key);
      throw error;
    }
  }

  return {
    async use(key, work) {
      const entry = entries.get(key) ?? { opened: open(key), users: 0, weight: 0 };
      // A Map keeps insertion order, so the last entry is the most recently used.
      entries.delete(key);
      entries.set(key, entry);
      entry.users += 1;
      try {
        const value = await openedValue(key, entry);
        try {
          return await work(value);
        } finally {
          if (limit) entry.weight = limit.of(value);
        }
      } finally {
        entry.users -= 1;
        forgetUnused();
      }
    },
  };
}
