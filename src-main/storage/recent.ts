/** A map of limited size, in which the least recently used entries make room for new ones. */
export interface Recent<T> {
  /** The sizes of all entries together. */
  readonly total: number;
  /** Returns the value of a key, which counts as a use. */
  get(key: string): T | undefined;
  /** Adds or replaces an entry. `size`: in the unit of the limit. */
  set(key: string, value: T, size: number): void;
}

/** Creates a map of entries up to a total size of `most`. A newest entry that is larger than that stays alone. */
export function createRecent<T>(most: number): Recent<T> {
  // A Map keeps its order, so the first entry is the least recently used.
  const entries = new Map<string, { readonly value: T; readonly size: number }>();
  let total = 0;

  function drop(key: string): void {
    total -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  }

  return {
    get total() {
      return total;
    },
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, size) {
      drop(key);
      entries.set(key, { value, size });
      total += size;
      for (const oldest of entries.keys()) {
        if (total <= most || oldest === key) return;
        drop(oldest);
      }
    },
  };
}
