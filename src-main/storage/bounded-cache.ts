interface Entry<T> {
  opened: Promise<T>;
  users: number;
}

/**
 * Creates a cache that keeps at most `capacity` unused values open. The least recently used values are dropped first,
 * and `close` closes them. A value in use is never dropped, because a document must not be opened twice. A failed
 * opening is retried at the next use.
 */
export function boundedCache<T>(
  capacity: number,
  open: (key: string) => Promise<T>,
  close: (value: T) => Promise<void> = () => Promise.resolve(),
) {
  const entries = new Map<string, Entry<T>>();

  /** Drops unused values until at most `most` values remain. */
  async function dropUnused(most: number): Promise<void> {
    const dropped: Entry<T>[] = [];
    for (const [key, entry] of entries) {
      if (entries.size <= most) break;
      if (entry.users === 0 && entries.delete(key)) dropped.push(entry);
    }
    // A value that can't be closed is no longer used, and its opener reported its write errors.
    await Promise.allSettled(dropped.map(({ opened }) => opened.then(close)));
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
    /** Runs `work` with the value for `key`. The value stays open until `work` is done, and other callers share it. */
    async use<R>(key: string, work: (value: T) => R | Promise<R>): Promise<R> {
      const entry = entries.get(key) ?? { opened: open(key), users: 0 };
      // A Map keeps insertion order, so the last entry is the most recently used.
      entries.delete(key);
      entries.set(key, entry);
      entry.users += 1;
      try {
        return await work(await openedValue(key, entry));
      } finally {
        entry.users -= 1;
        void dropUnused(capacity);
      }
    },
    /** Drops all values that are not in use. Resolves once they are closed. */
    clear: () => dropUnused(0),
  };
}
