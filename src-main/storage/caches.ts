/** A map of limited size. New entries replace the least recently used entries. */
interface Recent<T> {
  /** The total size of all entries. */
  readonly total: number;
  /** Returns the value of a key, and counts this call as a use of the entry. */
  get(key: string): T | undefined;
  /** Adds or replaces an entry. `size` is in the same unit as the map's limit. */
  set(key: string, value: T, size: number): void;
  delete(key: string): void;
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
    delete: drop,
  };
}

/**
 * Data that pages display: all data of one kind, or the mentions of one page (see `mentionsOf`). `people`: the people
 * known from mentions. `cited`: Porchlight's copies of the pages that posts respond to.
 */
export type Source = 'posts' | 'media' | 'profile' | 'pictures' | 'people' | 'cited' | `mentions ${string}`;

/** The maximum number of sources that have a version of their own. Beyond that number, all sources count as changed. */
const mostKnown = 10_000;

/**
 * The version numbers of the data that pages display. Code that changes a source calls `changed` before it acknowledges
 * the change. A cache compares the versions of its sources to decide whether its content is out of date.
 */
export interface Versions {
  /** The version of the newest change to any source. */
  readonly newest: number;
  /** Returns the version of a source. The version never decreases. */
  of(source: Source): number;
  changed(source: Source): void;
  /** Records that any source may have changed. */
  allChanged(): void;
}

export function createVersions(most = mostKnown): Versions {
  const known = new Map<Source, number>();
  let newest = 0;
  /** The version of every source that isn't in `known`. */
  let others = 0;

  function allChanged(): void {
    newest += 1;
    others = newest;
    known.clear();
  }

  return {
    get newest() {
      return newest;
    },
    of: (source) => known.get(source) ?? others,
    allChanged,
    changed(source) {
      // Strangers choose the pages that they mention, so the map must not grow without limit.
      if (known.size >= most && !known.has(source)) allChanged();
      newest += 1;
      known.set(source, newest);
    },
  };
}
