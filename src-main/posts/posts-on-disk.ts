import { isDeepStrictEqual } from 'node:util';
import { PorchlightError } from '../contract/error.ts';
import type { Post, PostHome } from '../contract/posts.ts';
import { publishedOf } from './visibility.ts';
import { oneAtATime } from '../storage/pacing.ts';
import { boundedCache } from '../storage/caches.ts';
import { createPostFiles, type PostFilesOptions } from './post-files.ts';
import {
  changedPost,
  contentOfPost,
  editedHistory,
  historyAfter,
  newPost,
  postAt,
  restoredPost,
  versionId,
  withVersion,
  type EarlierContent,
  type PostDocument,
  type StoredPost,
} from './post-document.ts';
import { quickLists, waitingLists } from './post-comparison.ts';
import { longestWay } from './post-addresses.ts';
import { cleanSlug, isDraftSlug, postPath, postPlace, type PostPlace, slugOf } from './post-path.ts';
import type { OwnerPostStore } from './micropub/owner-post-store.ts';
import type { ChooseHome, PostContent } from './post-store.ts';
import { postIsDeleted, postNotFound } from './address.ts';

const mostFormerHomes = 20;

interface PostStoreOptions extends PostFilesOptions {
  /** Called when a post becomes public or moves. If absent, posts get no location on the owner's own site. */
  readonly chooseHome?: ChooseHome;
}

/**
 * Creates the store of posts, with one document for each post in `dir`. `index` lists the posts. Create only one store
 * per process. Its methods throw PorchlightError: `invalid_request` for a post that doesn't exist, or a change to a
 * deleted post; `storage_full`, `storage_unwritable`, and the errors of opening a document.
 */
export function createPostStore(options: PostStoreOptions): OwnerPostStore {
  const files = createPostFiles(options);
  const { chooseHome = () => Promise.resolve(undefined) } = options;
  /** The URLs on the owner's own site that are being assigned right now. */
  const assigned = new Set<string>();
  // Changes to the same post run one at a time. Ordering the writes to each document isn't enough, because a move
  // changes two documents.
  const turns = boundedCache(0, () => Promise.resolve(oneAtATime()));

  const { comparison, rows } = files;

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
    work: (place: PostPlace, post: StoredPost, document: PostDocument) => Promise<R>,
  ): Promise<R> {
    const place = await whereIs(path);
    if (place === undefined) throw postNotFound();
    const result = await turns.use(postPath(place), (turn) =>
      turn(async () => {
        const document = await files.read(place);
        const { post } = document;
        return post === null ? undefined : { done: await work(place, post, document) };
      }),
    );
    // The post moved while this call was waiting, so find its new path and try again.
    return result === undefined ? inTurn(path, work) : result.done;
  }

  async function documentAt(path: string): Promise<PostDocument> {
    const place = await whereIs(path);
    if (place === undefined) throw postNotFound();
    return files.read(place);
  }

  /**
   * Runs `save`, which stores a post. `save` receives a function that sets the post's location on the owner's own site.
   * It must call that function with the post's path before it stores the post.
   */
  async function withHome<R>(
    post: StoredPost,
    needsHome: boolean,
    save: (placing: (path: string) => Promise<void>) => Promise<R>,
  ): Promise<R> {
    if (!needsHome) return save(() => Promise.resolve());
    const { home } = post;
    let own = '';
    try {
      return await save(async (path) => {
        assigned.delete(own);
        const isFree = (url: string) => {
          const at = rows.atHome(url);
          return (
            !assigned.has(url) &&
            (at === undefined || home?.url === url || home?.former.includes(url) === true)
          );
        };
        let chosen = await chooseHome({ path, ...post }, isFree);
        // Only the whole index knows the URLs of all posts.
        if (chosen !== undefined) await files.index();
        // Another post may have taken the URL while `chooseHome` was running.
        while (chosen !== undefined && !isFree(chosen.url))
          chosen = await chooseHome({ path, ...post }, isFree);
        if (chosen === undefined) return;
        own = chosen.url;
        assigned.add(own);
        post.home = movedHome(home, chosen);
      });
    } finally {
      assigned.delete(own);
    }
  }

  return {
    async create(content, { slug = '', isExact, now, createdBy, isHomeless = false, placing }) {
      const post = newPost(content, now, createdBy);
      const { month, time } = publishedOf(post.properties, now);
      const wish = cleanSlug(slug) || slugOf(post.properties, time);
      const place = await withHome(post, isMeantForAll(post) && !isHomeless, (placeHome) =>
        files.add({ month, wish, isExact }, post, async (path) => {
          await placing?.(path);
          await placeHome(path);
        }),
      );
      return postAt(place, post);
    },

    async get(path) {
      const place = postPlace(path);
      if (place === undefined) return undefined;
      const { post } = await files.read(place);
      return post === null ? undefined : postAt(place, post);
    },

    async atHome(url) {
      const place = rows.atHome(url) ?? (await files.index()).atHome(url);
      return place && postPath(place);
    },

    pageAt: files.pageAt,
    homeUrl: files.homeUrl,

    setHome: (path, edit) =>
      inTurn(path, async (place, post) => {
        const { home: before, ...rest } = post;
        const home = edit(structuredClone(before), postAt(place, post));
        if (isDeepStrictEqual(home, before)) return postAt(place, post);
        const next = home === undefined ? rest : { ...rest, home };
        await files.replace(place, { post: next });
        return postAt(place, next);
      }),

    async movedTo(path) {
      const from = postPlace(path);
      const to = await whereIs(path);
      return from === undefined || to === undefined || postPath(from) === postPath(to)
        ? undefined
        : postPath(to);
    },

    change: (path, edit, { slug = '', isExact, now, by = null, isOwn = false }) =>
      inTurn(path, async (from, post, document): Promise<Post> => {
        if (post.deletedAt !== null) throw postIsDeleted();
        const edited = (content: PostContent) => edit(content, postAt(from, post), document.edits);
        const next = changedPost(post, edited(contentOfPost(post)), now);
        // A published post keeps its URL, because readers may have saved it. A draft moves to the month of its date
        // when it is published.
        const isPublished = post.status === 'draft' && next.status === 'published';
        const { month, time } = isPublished
          ? publishedOf(next.properties, now)
          : { month: from.month, time: '' };
        const wish =
          isPublished && slug === '' && isDraftSlug(from.slug)
            ? slugOf(next.properties, time)
            : wishedSlug(slug, from, isExact);
        const part = {
          post: next,
          history: isOwn
            ? editedHistory(document.history, edited)
            : [...historyAfter(document.history, post, next, { now, by })],
          // A change by the owner includes the unsaved edits. A change by an app doesn't, so they are kept.
          edits: by === null && !isOwn ? null : document.edits,
        };
        const isMoving = wish !== from.slug || month !== from.month;
        const isNew = next.home === undefined && isMeantForAll(next) && !isMeantForAll(post);
        const place = await withHome(
          next,
          isNew || (isMoving && next.home !== undefined),
          async (placing) => {
            if (isMoving) return files.move(from, { month, wish, isExact }, part, placing);
            await placing(postPath(from));
            await files.replace(from, part);
            return from;
          },
        );
        return postAt(place, next);
      }),

    restoreVersion: (path, id, { now, check }) =>
      inTurn(path, async (place, post, { history }) => {
        check(postAt(place, post));
        if (post.deletedAt !== null) throw postIsDeleted();
        const version = history.find((one) => versionId(one) === id);
        if (version === undefined)
          throw new PorchlightError('not_found', 'This version of the post no longer exists.', 404);
        const next = restoredPost(post, version, now);
        await files.replace(place, {
          post: next,
          history: withVersion(history, post, { now, by: null }),
        });
        return postAt(place, next);
      }),

    renew: (path, content, now, earlier) =>
      inTurn(path, async (place, { deletedAt, home }) => {
        if (deletedAt === null) return undefined;
        const post = { ...withEditTime(newPost(content, now), earlier), ...(home && { home }) };
        await files.replace(place, { post, history: [...(earlier?.history ?? [])], edits: null });
        return postAt(place, post);
      }),

    async bringIn(content, { path, now, earlier, placing }) {
      const requested = postPlace(path);
      if (requested === undefined) throw postNotFound();
      const post = withEditTime(newPost(content, now), earlier);
      const { month, slug: wish } = requested;
      const place = await files.add({ month, wish }, post, placing, earlier.history);
      return postAt(place, post);
    },

    async addFormerPaths(path, former) {
      for (const one of former) {
        const place = postPlace(one);
        if (place !== undefined) await files.lead(place, path);
      }
    },

    giveHome: (path) =>
      inTurn(path, async (place, before) => {
        const post = structuredClone(before);
        const needsHome = post.home === undefined && post.deletedAt === null && isMeantForAll(post);
        await withHome(post, needsHome, async (placing) => {
          await placing(postPath(place));
          if (needsHome && post.home) await files.replace(place, { post });
        });
        return postAt(place, post);
      }),

    usersOf: async (file) => (await files.index()).usersOf(file).map(postPath),
    mediaOfHomes: async () =>
      (await files.index()).mediaOfHomes().map(({ media, ...place }) => ({ path: postPath(place), media })),
    homeless: async () => (await files.index()).homeless(),
    leftPages: async () => (await files.index()).leftPages().map(postPath),
    async formerPaths() {
      const paths: string[] = [];
      for (const place of (await files.index()).withoutPost()) {
        // Skip a file that can't be read. A request for the post reports the error.
        const leads = await whereIs(postPath(place)).catch(() => undefined);
        if (leads !== undefined) paths.push(postPath(place));
      }
      return paths;
    },
    homeOrigins: async () => (await files.index()).homeOrigins().map((url) => new URL(url).origin),
    behind: async () => (await files.index()).behind().map(postPath),

    history: async (path) => (await documentAt(path)).history,
    edits: async (path) => (await documentAt(path)).edits,
    keepEdits: (path, edits, check) =>
      inTurn(path, (place, _post, document) => {
        check?.(document.edits);
        return files.keepEdits(place, edits);
      }),

    setDeleted: (path, deleted, now) =>
      inTurn(path, async (place, post) => {
        if ((post.deletedAt !== null) === deleted) {
          if (deleted) await files.complete(place);
          return postAt(place, post);
        }
        const moment = new Date(now).toISOString();
        const next = { ...post, deletedAt: deleted ? moment : null, updatedAt: moment };
        await files.replace(place, { post: next });
        return postAt(place, next);
      }),

    damaged: async (most) =>
      (await files.damaged(most)).map(({ place, copy }) => ({
        path: postPath(place),
        copy: copy?.post ? postAt(place, copy.post) : null,
        movedTo: copy?.movedTo ?? null,
      })),

    async restoreCopy(path) {
      const place = postPlace(path);
      if (place === undefined) throw postNotFound();
      await turns.use(postPath(place), (turn) => turn(() => files.restoreCopy(place)));
      const there = await whereIs(path);
      const post = there && (await files.read(there)).post;
      return there && post ? postAt(there, post) : undefined;
    },

    ...waitingLists(options.index, () => files.index()),
    soon: quickLists(options.index, files),
    hasAll: comparison.hasAll,
    progress: comparison.progress,
    conflicts: comparison.conflicts,
    close: () => files.close(),
  };
}

/** Returns whether a post is meant for everybody who knows its URL. Ignores whether the post is deleted. */
const isMeantForAll = ({ status, visibility }: StoredPost) =>
  status === 'published' && visibility !== 'private';

const withEditTime = (post: StoredPost, { editedAt }: Partial<EarlierContent> = {}): StoredPost =>
  editedAt === undefined ? post : { ...post, editedAt };

/**
 * Returns the data about a post's location on the owner's own site, with a new URL and file. Adds the previous URL to
 * the former URLs, because readers may still use it.
 */
function movedHome(home: PostHome | undefined, { url, file }: Pick<PostHome, 'url' | 'file'>): PostHome {
  if (home === undefined) return { url, file, former: [], written: {}, liveAt: null };
  if (home.url === url) return { ...home, file };
  const former = [home.url, ...home.former].filter((old) => old !== url).slice(0, mostFormerHomes);
  return { ...home, url, file, former, liveAt: null };
}

/**
 * Returns the slug that a change requests, or the current slug if the change requests none. If a number was added to
 * the current slug, as in `lunch-2`, a request for `lunch` keeps `lunch-2`, unless `isExact` is set.
 */
function wishedSlug(wish: string, { slug }: PostPlace, isExact = false): string {
  const clean = cleanSlug(wish);
  if (isExact && clean !== '') return clean;
  return clean === '' || slug.replace(/-\d+$/, '') === clean ? slug : clean;
}
