import { join } from 'node:path';
import { readDocument, replaceByCopy } from '../storage/document.ts';
import { postPlace, type PostPlace, readMonthFolder } from './post-path.ts';
import { postFormat, type StoredPost } from './post-document.ts';
import { monthsIn } from '../storage/file-facts.ts';

/** The maximum number of redirects to follow, because redirects may be circular. No real post has that many. */
const mostMoves = 20;

/**
 * Finds the posts that more people can see in the folder `there` than in the folder `here`. In `here`, they were
 * deleted, turned into drafts, or made private or unlisted. For each post, yields its location in `here`, and the
 * locations of the redirects to it.
 */
export async function* withdrawnPosts(here: string, there: string): AsyncGenerator<readonly PostPlace[]> {
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

/**
 * Copies the posts that withdrawnPosts finds from the folder `here` to the folder `there`, so that restoring `there`
 * does not publish them again. `there` is an unpacked backup, so it has no index to update.
 */
export async function keepPostsWithdrawn(here: string, there: string): Promise<void> {
  for await (const places of withdrawnPosts(here, there)) {
    for (const place of places) await replaceByCopy(fileOf(there, place), fileOf(here, place));
  }
}

const fileOf = (dir: string, { month, slug }: PostPlace) => join(dir, month, `${slug}.json`);

/**
 * Follows redirects from a location to a post. Returns the post, and all locations on the way, including the post's own
 * location. Returns undefined if there is no post.
 */
async function postFrom(
  dir: string,
  start: PostPlace,
): Promise<{ post: StoredPost; places: PostPlace[] } | undefined> {
  const places = [start];
  for (let place: PostPlace | undefined = start; place && places.length <= mostMoves;) {
    const document = await readDocument(fileOf(dir, place), postFormat);
    if (document?.post) return { post: document.post, places };
    place = postPlace(document?.movedTo ?? '');
    if (place) places.push(place);
  }
  return undefined;
}

/**
 * Returns who can read a post once its publication date has passed: 0 for nobody, 1 for everyone who knows its URL, 2
 * for everyone.
 */
function reachOf(post: StoredPost | null): 0 | 1 | 2 {
  if (post === null || post.deletedAt !== null || post.status === 'draft') return 0;
  if (post.visibility === 'private') return 0;
  return post.visibility === 'unlisted' ? 1 : 2;
}
