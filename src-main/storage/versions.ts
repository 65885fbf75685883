/** What pages show: everything of one kind, or the mentions of one page (see `mentionsOf`). `people`: who is known. `cited`: our copies of the pages that posts respond to. */
export type Source = 'posts' | 'media' | 'profile' | 'pictures' | 'people' | 'cited' | `mentions ${string}`;

/** The most sources whose versions are known one by one. */
const mostKnown = 10_000;

/**
 * The versions of what pages show. Code that changes a source calls `changed` before the change is acknowledged. Code
 * that keeps something made from a source compares its version.
 */
export interface Versions {
  /** The version of the newest change of all. */
  readonly newest: number;
  /** Returns the version of a source. It is never lower than it was before. */
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
