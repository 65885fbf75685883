import { matches, postMatches, type PostEntry } from './post-entry.ts';
import { postAt, type StoredPost } from './post-document.ts';
import type { Place } from './post-path.ts';
import type { Pace } from '../platform/pace.ts';
import type { PostFilter, PostPage, PostStore } from './post-store.ts';
import { cursorOf, stepOf, walk, type Step, type Walk, type WalkSource } from './post-walk.ts';

export interface ListSource extends WalkSource {
  /** The post itself; undefined where there is none any more. What the index says of it is corrected on the way. */
  post(place: Place): Promise<StoredPost | undefined>;
}

type Found = Step & { post: StoredPost };

/** A page of posts, newest first; see PostStore.list. `after` goes before `before`. */
export async function listPosts(
  source: ListSource,
  { limit, offset = 0, after, before, filter = {}, pace }: Parameters<PostStore['list']>[0],
): Promise<PostPage> {
  const backwards = after === undefined && before !== undefined;
  const cursor = after ?? before;
  const from = cursor === undefined ? undefined : stepOf(cursor);
  const direction = backwards ? 'newer' : 'older';
  const { found, more } = await take(source, { from, direction }, { limit, offset, filter, pace });
  if (backwards) found.reverse();

  const [first] = found;
  const last = found.at(-1);
  if (first === undefined || last === undefined) return { items: [] };
  const older = backwards ? await isThereMore(source, last, { filter, pace }) : more;
  return {
    items: found.map(({ post, ...place }) => postAt({ month: place.month, slug: place.slug }, post)),
    before: cursorOf(first),
    ...(older && { after: cursorOf(last) }),
  };
}

async function isThereMore(
  source: ListSource,
  from: Step,
  wanted: Pick<Wanted, 'filter' | 'pace'>,
): Promise<boolean> {
  const { found } = await take(source, { from, direction: 'older' }, { ...wanted, limit: 1, offset: 0 });
  return found.length > 0;
}

interface Wanted {
  limit: number;
  offset: number;
  filter: PostFilter;
  pace: Pace | undefined;
}

async function take(source: ListSource, way: Walk, { limit, offset, filter, pace }: Wanted) {
  const found: Found[] = [];
  let skipped = 0;
  if (limit === 0) return { found, more: false };
  for await (const entry of walk(source, way)) {
    const pause = pace?.step();
    if (pause) await pause;
    if (skipped < offset) {
      if (await passes(source, entry, filter)) skipped += 1;
      continue;
    }
    const { at, month, slug } = entry;
    if (matches(entry, filter) === false) continue;
    const post = await source.post(entry);
    // The document has the last word: the index is derived, and may be older.
    if (post === undefined || !postMatches(entry, post, filter)) continue;
    if (found.length === limit) return { found, more: true };
    found.push({ at, month, slug, post });
  }
  return { found, more: false };
}

async function passes(source: ListSource, entry: PostEntry & Place, filter: PostFilter): Promise<boolean> {
  const answer = matches(entry, filter);
  if (answer !== 'unsure') return answer;
  const post = await source.post(entry);
  return post !== undefined && postMatches(entry, post, filter);
}
