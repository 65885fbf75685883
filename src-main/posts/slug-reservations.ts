import { PorchlightError } from '../contract/error.ts';
import type { PostIndex } from './post-index.ts';
import { numberedSlug, postPath, type PostPlace } from './post-path.ts';

/** A month, and the slug that a post should have in it. `isExact`: if true, no number is added to the slug. */
export interface WishedPlace {
  readonly month: string;
  readonly wish: string;
  readonly isExact?: boolean | undefined;
}

/** Assigns slugs to new posts, even if several are created at the same time. `rows`: the index of the taken slugs. */
export function createSlugReservations(rows: Pick<PostIndex, 'has'>) {
  /** The paths that are being assigned to new posts right now. */
  const reserved = new Set<string>();
  /**
   * The last reserved slug and its number. Many posts from an app may begin with the same words, so the next search
   * starts from this number.
   */
  let latest = { month: '', base: '', turn: 0 };

  return {
    /**
     * Reserves a slug that no post has or had: `base`, or else `base-2`, `base-3`, and so on.
     * @throws PorchlightError `slug_taken` (409) if `isExact` is set and the slug is taken
     */
    reserve({ month, wish: base, isExact = false }: WishedPlace): PostPlace {
      const placeOf = (turn: number) => ({ month, slug: numberedSlug(base, turn) });
      const isFree = (place: PostPlace) => !reserved.has(postPath(place)) && !rows.has(place);
      if (isExact && !isFree(placeOf(1)))
        throw new PorchlightError(
          'slug_taken',
          `Another post of that month has or had the address “${base}”. Choose another one.`,
          409,
        );
      // Doubles the number until the slug is free, then searches below it. This needs few queries, even for thousands
      // of posts.
      const isLatest = latest.month === month && latest.base === base && !isFree(placeOf(latest.turn));
      let low = isLatest ? latest.turn : 0;
      let high = low + 1;
      while (!isFree(placeOf(high))) [low, high] = [high, high * 2];
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (isFree(placeOf(middle))) high = middle;
        else low = middle;
      }
      latest = { month, base, turn: high };
      const place = placeOf(high);
      reserved.add(postPath(place));
      return place;
    },

    /** Ends a reservation. An unused slug becomes free again. */
    release: (place: PostPlace) => void reserved.delete(postPath(place)),
    isReserved: (path: string) => reserved.has(path),
  };
}
