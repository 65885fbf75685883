import type { Post } from '../../contract/posts.ts';
import { isOpen } from '../../posts/visibility.ts';
import { publishedAt } from '../../posts/published.ts';
import type { Source, Versions } from '../../storage/versions.ts';
import { pagesOf, type CopiedPosts } from './comparison.ts';

interface NewsDeps {
  readonly posts: CopiedPosts;
  readonly versions: Pick<Versions, 'of'>;
  readonly now: () => number;
}

/**
 * The kinds of data whose changes don't show which pages are affected: pictures, the profile, people and cited pages.
 */
const sources: readonly Source[] = ['media', 'profile', 'pictures', 'people', 'cited'];
const dayMs = 86_400_000;
/** The pause before the next routine comparison, as a multiple of the last comparison's duration. */
const share = 2;

/**
 * Creates the functions that detect changes that no other module reports, such as a scheduled post that becomes public,
 * and that decide when to compare all pages.
 */
export function createNews({ posts, versions, now }: NewsDeps) {
  let isDue = true;
  let isUnfinished = false;
  let shown: number[] = [];
  /** When the last comparison ended, and the earliest time for the next routine comparison (performance.now). */
  let [comparedAt, restsUntil] = [-Infinity, -Infinity];
  let seenAt = now();
  /**
   * `version`: the version of the posts that was current when `next` was calculated. `next`: the time at which the next
   * scheduled post becomes public, in ms.
   */
  let version = -1;
  let next = Infinity;

  const shownNow = () => sources.map((source) => versions.of(source));
  const isOther = () => shownNow().some((version, index) => version !== shown[index]);

  /** Calls `opened` for each scheduled post that has become public. */
  async function openPosts(opened: (post: Post) => void): Promise<void> {
    const at = now();
    const isChanged = version !== versions.of('posts');
    if (at < seenAt) isDue = true; // the clock was set back, so posts may have stopped being public
    // A scheduled post may have become public while this computer was asleep.
    if (at >= next || isChanged)
      for await (const page of pagesOf(posts, {
        status: 'published',
        publishedAfter: seenAt,
        publishedBy: at,
      }))
        page.forEach(opened);
    if (at >= next || at < seenAt || isChanged) {
      version = versions.of('posts');
      next = Infinity;
      for await (const page of pagesOf(posts, { status: 'published', publishedAfter: at }))
        for (const post of page) if (isOpen(post)) next = Math.min(next, publishedAt(post));
    }
    seenAt = at;
  }

  return {
    /** Requests a complete comparison at the next opportunity. */
    everything: () => void (isDue = true),
    /** Returns whether a comparison was requested, or a source has changed since the last comparison began. */
    isDue: () => isDue || isOther(),

    /**
     * Returns `changed` or `routine` if all pages should be compared now, and otherwise undefined. `changed`: pages may
     * have changed. `routine`: most pages have probably not changed.
     */
    async look(opened: (post: Post) => void): Promise<'changed' | 'routine' | undefined> {
      await openPosts(opened);
      const found = shownNow();
      const time = performance.now();
      const isWanted = time - comparedAt >= dayMs || (isOther() && time >= restsUntil);
      if (!isDue && !isWanted) return undefined;
      const wanted = isDue ? 'changed' : 'routine';
      isDue = false;
      isUnfinished = true;
      shown = found;
      return wanted;
    },

    /** Records the end of a comparison. `took`: its duration, in ms. */
    compared(took: number): void {
      isUnfinished = false;
      comparedAt = performance.now();
      restsUntil = comparedAt + share * took;
    },

    /** Records that a comparison failed, so that the next one starts from the beginning. */
    failed: () => void (isDue ||= isUnfinished),
  };
}
