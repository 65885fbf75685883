import { isDeepStrictEqual } from 'node:util';
import { PorchlightError } from '../contract/error.ts';
import { promised } from '../storage/pacing.ts';
import type { Records } from '../storage/records/records.ts';
import { postIsDeleted, postNotFound } from './address.ts';
import type { OwnerPostStore } from './micropub/owner-post-store.ts';
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
  type StoredPost,
} from './post-document.ts';
import { postLists } from './post-lists.ts';
import { cleanSlug, isDraftSlug, postPath, postPlace, type PostPlace, slugOf } from './post-path.ts';
import type { PostContent } from './post-store.ts';
import { asPost, doubtful, isSamePlace, PostWriter, type PostWriterOptions } from './post-writer.ts';
import { publishedOf } from './visibility.ts';

interface StoredPostsOptions extends PostWriterOptions {
  readonly records: Pick<Records, 'rows'>;
}

/**
 * Creates the store of posts. Its methods throw PorchlightError: `invalid_request` for a post that doesn't exist, or a
 * change to a deleted post; `storage_damaged` (503) for a post of which something newer may be missing; the errors of
 * Records.
 */
export function createPostStore(options: StoredPostsOptions): OwnerPostStore {
  const writer = new PostWriter(options);
  return {
    ...postLists(options.records, options.changes.searched),
    ...queries(options, writer),
    ...additions(options, writer),
    ...edits(writer),
    progress: () => options.reading?.progress(),
  };
}

/** Creates the methods that only read. */
function queries({ changes: { reads } }: StoredPostsOptions, writer: PostWriter) {
  return {
    get: promised((path: string) => {
      const place = postPlace(path);
      const row = place && reads.at(place);
      if (row?.isDoubtful === true) throw doubtful();
      return row?.post ? postAt(row.place, row.post) : undefined;
    }),

    atHome: promised((url: string) => {
      const place = reads.atHome(url);
      return place && postPath(place);
    }),

    pageAt: reads.pageAt,
    homeUrl: reads.homeUrl,
    titleOf: reads.titleOf,

    movedTo: promised((path: string) => {
      const from = postPlace(path);
      if (from === undefined) return undefined;
      const to = reads.endOf(from);
      const kind = reads.kindAt(to);
      if (kind === 'doubtful') throw doubtful();
      return kind === 'post' && !isSamePlace(from, to) ? postPath(to) : undefined;
    }),

    usersOf: promised((file: string) => reads.usersOf(file).map(postPath)),
    mediaOfHomes: promised(() =>
      reads.mediaOfHomes().map(({ media, ...place }) => ({ path: postPath(place), media })),
    ),
    homeless: promised(() => reads.homeless()),
    leftPages: promised(() => reads.leftPages().map(postPath)),
    formerPaths: promised(() =>
      reads
        .formerPlaces()
        .filter((place) => reads.kindAt(reads.endOf(place)) === 'post')
        .map(postPath),
    ),
    homeOrigins: promised(() => reads.homeOrigins().map((url) => new URL(url).origin)),
    behind: promised(() => reads.behind().map(postPath)),

    history: promised((path: string) => reads.history(writer.mustBeAt(path).id)),
    edits: promised((path: string) => reads.edits(writer.mustBeAt(path).id)),

    damaged: promised((most: number) =>
      reads.doubtful(most).map(({ place, post, movedTo }) => ({
        path: postPath(place),
        copy: post && postAt(place, post),
        movedTo,
      })),
    ),
  } satisfies Partial<OwnerPostStore>;
}

/** Creates the methods that add posts, paths and unsaved edits, or bring them back. */
function additions({ changes: { write }, copies }: StoredPostsOptions, writer: PostWriter) {
  return {
    create(content, { slug = '', isExact, now, createdBy, isHomeless = false, within }) {
      const post = newPost(content, now, createdBy);
      const { month, time } = publishedOf(post.properties, now);
      const wish = cleanSlug(slug) || slugOf(post.properties, time);
      return writer.added({ month, wish, isExact }, post, {
        needsHome: isMeantForAll(post) && !isHomeless,
        within,
      });
    },

    async renew(path, content, now, earlier, within) {
      const row = writer.mustBeAt(path);
      if (row.post.deletedAt === null) return undefined;
      return writer.changed(
        path,
        ({ post: { home, feedId } }) => ({
          post: {
            ...withEarlier(newPost(content, now), earlier),
            ...(home && { home }),
            ...(feedId !== undefined && { feedId }),
          },
          history: earlier?.history ?? [],
          edits: null,
        }),
        within,
      );
    },

    async bringIn(content, { path, now, earlier, within }) {
      const requested = postPlace(path);
      if (requested === undefined) throw postNotFound();
      const post = withEarlier(newPost(content, now), earlier);
      const { month, slug: wish } = requested;
      return writer.added({ month, wish }, post, { history: earlier.history, within });
    },

    async addFormerPaths(path, former) {
      const places = former.flatMap((one) => postPlace(one) ?? []);
      if (places.length === 0) return;
      await write((writes, transaction) => {
        for (const place of places) {
          if (writes.has(place)) continue;
          writes.put(place, { movedTo: path });
          copies?.addIn(transaction, place);
        }
      });
    },

    async keepEdits(path, edits, check) {
      await write((writes, transaction) => {
        const row = writer.whereIs(path, writes);
        if (row === undefined) throw postNotFound();
        check?.(writes.edits(row.id));
        writes.setEdits(row.id, edits);
        writes.touch(row.place);
        copies?.addIn(transaction, row.place);
      });
    },

    async restoreCopy(path) {
      const place = postPlace(path);
      if (place === undefined) throw postNotFound();
      await write((writes, transaction) => {
        const row = writes.at(place);
        if (row?.isDoubtful !== true) return;
        if (row.post !== null && row.id !== null) writes.put(place, { post: row.post, id: row.id });
        else if (row.movedTo !== null) writes.put(place, { movedTo: row.movedTo });
        copies?.addIn(transaction, place);
      });
      const row = writer.whereIs(path);
      return row && asPost(row);
    },
  } satisfies Partial<OwnerPostStore>;
}

/** Creates the methods that change a post. */
function edits(writer: PostWriter) {
  return {
    setHome: (path, edit) =>
      writer.changed(path, ({ place, post }) => {
        const { home: before, ...rest } = post;
        const home = edit(structuredClone(before), postAt(place, post));
        if (isDeepStrictEqual(home, before)) return undefined;
        return { post: home === undefined ? rest : { ...rest, home } };
      }),

    change: (path, edit, { slug = '', isExact, now, by = null, isOwn = false, within }) =>
      writer.changed(
        path,
        ({ place: from, post, id }, stored) => {
          if (post.deletedAt !== null) throw postIsDeleted();
          const kept = stored.edits(id);
          const history = stored.history(id);
          const edited = (content: PostContent) => edit(content, postAt(from, post), kept);
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
          const isMoving = wish !== from.slug || month !== from.month;
          const isNew = next.home === undefined && isMeantForAll(next) && !isMeantForAll(post);
          return {
            post: next,
            history: isOwn ? editedHistory(history, edited) : historyAfter(history, post, next, { now, by }),
            // A change by the owner includes the unsaved edits. A change by an app doesn't, so they are kept.
            ...(by === null && !isOwn && { edits: null }),
            ...(isMoving && { to: { month, wish, isExact } }),
            needsHome: isNew || (isMoving && next.home !== undefined),
          };
        },
        isOwn ? undefined : within,
      ),

    restoreVersion: (path, id, { now, check, within }) =>
      writer.changed(
        path,
        ({ place, post, id: postId }, stored) => {
          check(postAt(place, post));
          if (post.deletedAt !== null) throw postIsDeleted();
          const history = stored.history(postId);
          const version = history.find((one) => versionId(one) === id);
          if (version === undefined)
            throw new PorchlightError('not_found', 'This version of the post no longer exists.', 404);
          return {
            post: restoredPost(post, version, now),
            history: withVersion(history, post, { now, by: null }),
          };
        },
        within,
      ),

    giveHome: (path) =>
      writer.changed(path, ({ post }) =>
        post.home === undefined && post.deletedAt === null && isMeantForAll(post)
          ? { post, needsHome: true }
          : undefined,
      ),

    setDeleted: (path, deleted, now, within) =>
      writer.changed(
        path,
        ({ post }) => {
          if ((post.deletedAt !== null) === deleted) return undefined;
          const moment = new Date(now).toISOString();
          return { post: { ...post, deletedAt: deleted ? moment : null, updatedAt: moment } };
        },
        within,
      ),
  } satisfies Partial<OwnerPostStore>;
}

/** Returns whether a post is meant for everybody who knows its URL. Ignores whether the post is deleted. */
const isMeantForAll = ({ status, visibility }: StoredPost) =>
  status === 'published' && visibility !== 'private';

const withEarlier = (post: StoredPost, { editedAt, feedId }: Partial<EarlierContent> = {}): StoredPost => ({
  ...post,
  ...(editedAt !== undefined && { editedAt }),
  ...(feedId !== undefined && { feedId }),
});

/**
 * Returns the slug that a change requests, or the current slug if the change requests none. If a number was added to
 * the current slug, as in `lunch-2`, a request for `lunch` keeps `lunch-2`, unless `isExact` is set.
 */
function wishedSlug(wish: string, { slug }: PostPlace, isExact = false): string {
  const clean = cleanSlug(wish);
  if (isExact && clean !== '') return clean;
  return clean === '' || slug.replace(/-\d+$/, '') === clean ? slug : clean;
}
