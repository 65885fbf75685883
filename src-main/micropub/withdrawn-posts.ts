import { join } from 'node:path';
import { readDocument, replaceByCopy } from '../storage/unopened.ts';
import { monthsIn, readMonthFolder } from './month-folder.ts';
import { postFormat, type StoredPost } from './post-document.ts';
import { placeOf, type Place } from './post-path.ts';

/** Moves that are followed: more than anybody makes, so that redirects in a circle end. */
const mostMoves = 20;

/**
 * Finds the posts in the folder `there` that more people could read than in the folder `here`, where they were deleted,
 * or made private or unlisted. Answers the places `here` that say so: the post, and redirects that lead to it.
 */
export async function* withdrawnPosts(here: string, there: string): AsyncGenerator<readonly Place[]> {
  for (const month of await monthsIn(there)) {
    for (const slug of (await readMonthFolder(join(there, month))).documents) {
      const document = await readDocument(fileOf(there, { month, slug }), postFormat);
      const reach = reachOf(document?.post ?? null);
      if (reach === 0) continue;
      const found = await postFrom(here, { month, slug });
      if (found && reachOf(found.post) < reach) yield found.places;
    }
  }
}

/** Has the posts in `there` that were withdrawn `here` stay so. A backup contains no index, so none disagrees. */
export async function keepPostsWithdrawn(here: string, there: string): Promise<void> {
  for await (const places of withdrawnPosts(here, there)) {
    for (const place of places) await replaceByCopy(fileOf(there, place), fileOf(here, place));
  }
}

const fileOf = (dir: string, { month, slug }: Place) => join(dir, month, `${slug}.json`);

/** The post at a place, or where it moved; undefined where there never was one. */
async function postFrom(
  dir: string,
  start: Place,
): Promise<{ post: StoredPost; places: Place[] } | undefined> {
  const places = [start];
  for (let place: Place | undefined = start; place && places.length <= mostMoves;) {
    const document = await readDocument(fileOf(dir, place), postFormat);
    if (document?.post) return { post: document.post, places };
    place = placeOf(document?.movedTo ?? '');
    if (place) places.push(place);
  }
  return undefined;
}

/** How many may read a post, now or once its date has come: 0 nobody, 1 who knows its address, 2 everybody. */
function reachOf(post: StoredPost | null): 0 | 1 | 2 {
  if (post === null || post.deletedAt !== null || post.status === 'draft') return 0;
  if (post.visibility === 'private') return 0;
  return post.visibility === 'unlisted' ? 1 : 2;
}
