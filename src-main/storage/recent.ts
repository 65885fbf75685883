/** A map of limited size. New entries replace the least recently used entries. */
export interface Recent<T> {
  /** The total size of all entries. */
  readonly total: number;
  /** Returns the value of a key, and counts this call as a use of the entry. */
  get(key: string): T | undefined;
  /** Adds or replaces an entry. `size` is in the same unit as the map's limit. */
  set(key: string, value: T, size: number): void;
}

/**
 * Creates a map of entries up to a total size of `most`. If the newest entry alone is larger than `most`, the map
 * keeps only that entry.
 */
export function createRecent<T>(most: number): Recent<T> {
  // A Map keeps insertion order, so the first entry is the least recently used.
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
