interface Entry<T> {
  opened: Promise<T>;
  users: number;
}

export interface BoundedCache<T> {
  /** Runs `work` with what `key` opens. While it runs, the thing stays open and is opened only once. */
  use<R>(key: string, work: (value: T) => R | Promise<R>): Promise<R>;
}

/**
 * Keeps at most `capacity` unused things open, forgetting the longest unused first. One that is in use is never
 * forgotten, because a document must not be open twice. A failed opening is tried again at the next use.
 */
export function boundedCache<T>(capacity: number, open: (key: string) => Promise<T>): BoundedCache<T> {
  const entries = new Map<string, Entry<T>>();

  function forgetUnused(): void {
    for (const [key, entry] of entries) {
      if (entries.size <= capacity) return;
      if (entry.users === 0) entries.delete(key);
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
      const entry = entries.get(key) ?? { opened: open(key), users: 0 };
      // A Map remembers insertion order: the last one is the one used last.
      entries.delete(key);
      entries.set(key, entry);
      entry.users += 1;
      try {
        return await work(await openedValue(key, entry));
      } finally {
        entry.users -= 1;
        forgetUnused();
      }
    },
  };
}
