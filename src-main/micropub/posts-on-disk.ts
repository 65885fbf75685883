import { PorchlightError } from '../contract/error.ts';
import type { Post } from '../contract/posts.ts';
import { publishedOf } from '../contract/published.ts';
import { oneAtATime } from '../platform/one-at-a-time.ts';
import { boundedCache } from '../storage/bounded-cache.ts';
import { createPostFiles, type PostFilesOptions } from './post-files.ts';
import { changedPost, contentOf, newPost, postAt, type StoredPost } from './post-document.ts';
import { pathOf, placeOf, type Place } from './post-path.ts';
import type { PostStore } from './post-store.ts';
import { cleanSlug, slugOf } from './slug.ts';

/** A post that moved and moved again is followed this far. */
const longestWay = 20;

/**
 * The posts in `dir`, one document each, and what `index` says of them. Open it once in a process.
 *
 * Its methods throw PorchlightError: `invalid_request` where there is no such post (or it is deleted and is to be
 * changed), `storage_full`, `storage_unwritable`, and what opening a document throws.
 */
export function createPostStore(options: PostFilesOptions): PostStore {
  const files = createPostFiles(options);
  // What is decided about a post must hold until it is saved, and a move changes two documents.
  const turns = boundedCache(0, () => Promise.resolve(oneAtATime()));

  async function whereIs(path: string): Promise<Place | undefined> {
    let place = placeOf(path);
    for (let hop = 0; place !== undefined && hop < longestWay; hop += 1) {
      const { post, movedTo } = await files.read(place);
      if (post !== null) return place;
      place = movedTo === null ? undefined : placeOf(movedTo);
    }
    return undefined;
  }

  async function inTurn<R>(path: string, work: (place: Place, post: StoredPost) => Promise<R>): Promise<R> {
    const place = await whereIs(path);
    if (place === undefined) throw notFound();
    const result = await turns.use(pathOf(place), (turn) =>
      turn(async () => {
        const { post } = await files.read(place);
        return post === null ? undefined : { done: await work(place, post) };
      }),
    );
    // It moved while this waited for its turn.
    return result === undefined ? inTurn(path, work) : result.done;
  }

  return {
    async create(content, { slug = '', now, createdBy }) {
      const post = newPost(content, now, createdBy);
      const { month, time } = publishedOf(post.properties, now);
      return postAt(await files.add(month, cleanSlug(slug) || slugOf(post.properties, time), post), post);
    },

    async get(path) {
      const place = placeOf(path);
      if (place === undefined) return undefined;
      const { post } = await files.read(place);
      return post === null ? undefined : postAt(place, post);
    },

    async movedTo(path) {
      const from = placeOf(path);
      const to = await whereIs(path);
      return from === undefined || to === undefined || pathOf(from) === pathOf(to) ? undefined : pathOf(to);
    },

    change: (path, edit, { slug = '', now }) =>
      inTurn(path, async (from, post): Promise<Post> => {
        if (post.deletedAt !== null) throw isDeleted();
        const next = changedPost(post, edit(contentOf(post)), now);
        const wish = wishedSlug(slug, from);
        const month = monthAfter(from, post, next);
        if (wish === from.slug && month === from.month) await files.replace(from, next);
        else return postAt(await files.move(from, { month, wish }, next), next);
        return postAt(from, next);
      }),

    setDeleted: (path, deleted, now) =>
      inTurn(path, async (place, post) => {
        if ((post.deletedAt !== null) === deleted) return postAt(place, post);
        const moment = new Date(now).toISOString();
        const next = { ...post, deletedAt: deleted ? moment : null, updatedAt: moment };
        await files.replace(place, next);
        return postAt(place, next);
      }),

    list: async (page) => (await files.index()).page(page),
    categories: async (reader) => (await files.index()).categories(reader),
    close: () => files.close(),
  };
}

/** A post stays where its readers know it; a draft, which has none, is filed under the month it is published in. */
function monthAfter(from: Place, before: StoredPost, after: StoredPost): string {
  if (before.status !== 'draft' || after.status !== 'published') return from.month;
  return publishedOf(after.properties, Date.parse(after.updatedAt)).month;
}

/** The slug that a change asks for; a client that repeats the wish of its create does not move the post. */
function wishedSlug(wish: string, { slug }: Place): string {
  const clean = cleanSlug(wish);
  return clean === '' || slug.replace(/-\d+$/, '') === clean ? slug : clean;
}

const notFound = () =>
  new PorchlightError('invalid_request', 'The post with the requested URL was not found.');

const isDeleted = () =>
  new PorchlightError('invalid_request', 'The post is deleted. Undelete it before changing it.');
