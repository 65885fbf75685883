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
