interface Entry<T> {
  opened: Promise<T>;
  users: number;
}

/**
 * Creates a cache of open values. If it has more than `capacity` values, it drops the unused values that were least
 * recently used, and closes them with `close`. It never drops a value in use, because the next use would then open the
 * same document a second time. If a value can't be opened, the next use of the same key tries again.
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
    // Ignore errors from closing, because the values are no longer used, and earlier write errors were already
    // reported.
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
    /**
     * Runs `work` with the value for `key`. The value stays open until `work` is done. Concurrent calls with the same
     * key share the value.
     */
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
