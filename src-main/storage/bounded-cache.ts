interface Entry<T> {
  opened: Promise<T>;
  users: number;
  weight: number;
}

export interface BoundedCache<T> {
  /** Runs `work` with what `key` opens. While it runs, the thing stays open and is opened only once. */
  use<R>(key: string, work: (value: T) => R | Promise<R>): Promise<R>;
}

/** How much the things that stay open may weigh together, in whatever unit `of` answers. It is asked after each use. */
export interface WeightLimit<T> {
  most: number;
  of: (value: T) => number;
}

/**
 * Keeps at most `capacity` unused things open, and of a limited weight, forgetting the longest unused first. One that
 * is in use is never forgotten, because a document must not be open twice; nor is a heavy one that is alone. A failed
 * opening is tried again at the next use.
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
      // A Map remembers insertion order: the last one is the one used last.
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
