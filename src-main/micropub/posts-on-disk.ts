import { PorchlightError } from '../contract/error.ts';
import type { Post } from '../contract/posts.ts';
import { publishedOf } from '../post/published.ts';
import { oneAtATime } from '../storage/one-at-a-time.ts';
import { boundedCache } from '../storage/bounded-cache.ts';
import { createPostFiles, type PostFilesOptions } from './post-files.ts';
import { changedPost, contentOfPost, newPost, postAt, type StoredPost } from './post-document.ts';
import { postPath, postPlace, type PostPlace } from './post-path.ts';
import type { PostStore } from './post-store.ts';
import { cleanSlug, slugOf } from './slug.ts';
import { postNotFound } from './post-address.ts';

/** The most redirects that are followed to find a post that has moved repeatedly. */
const longestWay = 20;

/**
 * Creates the store of the posts in `dir`, which have one document each, and of their `index`. Create only one per
 * process.
 * Its methods throw PorchlightError: `invalid_request` if the post does not exist (or is deleted and should be
 * changed), `storage_full`, `storage_unwritable`, and the errors of opening a document.
 */
export function createPostStore(options: PostFilesOptions): PostStore {
  const files = createPostFiles(options);
  // Changes to a post run one at a time, because what a change reads must not change until the result is saved, and
  // because a move changes two documents.
  const turns = boundedCache(0, () => Promise.resolve(oneAtATime()));

  async function whereIs(path: string): Promise<PostPlace | undefined> {
    let place = postPlace(path);
    for (let hop = 0; place !== undefined && hop < longestWay; hop += 1) {
      const { post, movedTo } = await files.read(place);
      if (post !== null) return place;
      place = movedTo === null ? undefined : postPlace(movedTo);
    }
    return undefined;
  }

  async function inTurn<R>(
    path: string,
    work: (place: PostPlace, post: StoredPost) => Promise<R>,
  ): Promise<R> {
    const place = await whereIs(path);
    if (place === undefined) throw postNotFound();
    const result = await turns.use(postPath(place), (turn) =>
      turn(async () => {
        const { post } = await files.read(place);
        return post === null ? undefined : { done: await work(place, post) };
      }),
    );
    // The post moved while this call was waiting, so find its new place and try again.
    return result === undefined ? inTurn(path, work) : result.done;
  }

  return {
    async create(content, { slug = '', now, createdBy }) {
      const post = newPost(content, now, createdBy);
      const { month, time } = publishedOf(post.properties, now);
      return postAt(await files.add(month, cleanSlug(slug) || slugOf(post.properties, time), post), post);
    },

    async get(path) {
      const place = postPlace(path);
      if (place === undefined) return undefined;
      const { post } = await files.read(place);
      return post === null ? undefined : postAt(place, post);
    },

    async movedTo(path) {
      const from = postPlace(path);
      const to = await whereIs(path);
      return from === undefined || to === undefined || postPath(from) === postPath(to)
        ? undefined
        : postPath(to);
    },

    change: (path, edit, { slug = '', now }) =>
      inTurn(path, async (from, post): Promise<Post> => {
        if (post.deletedAt !== null) throw isDeleted();
        const next = changedPost(post, edit(contentOfPost(post)), now);
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
    nextPublication: async (now) => (await files.index()).nextPublication(now),
    cursorsEvery: async (count, now) => (await files.index()).cursorsEvery(count, now),
    close: () => files.close(),
  };
}

/**
 * Returns the month under which a changed post is stored. A published post stays at the URL that its readers know. A
 * draft has no readers, so it moves to the month of its date when it is published.
 */
function monthAfter(from: PostPlace, before: StoredPost, after: StoredPost): string {
  if (before.status !== 'draft' || after.status !== 'published') return from.month;
  return publishedOf(after.properties, Date.parse(after.updatedAt)).month;
}

/**
 * Returns the slug that a change requests, or else the current one. The post does not move if a client repeats the slug
 * that it requested when it created the post.
 */
function wishedSlug(wish: string, { slug }: PostPlace): string {
  const clean = cleanSlug(wish);
  return clean === '' || slug.replace(/-\d+$/, '') === clean ? slug : clean;
}

const isDeleted = () =>
  new PorchlightError('invalid_request', 'The post is deleted. Undelete it before changing it.');
