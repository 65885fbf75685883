import { isDeepStrictEqual } from 'node:util';
import { PorchlightError } from '../contract/error.ts';
import type { Post, PostHome } from '../contract/posts.ts';
import type { UnsavedEdits } from '../contract/writing.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import type { Records } from '../storage/records/records.ts';
import { promised } from '../storage/pacing.ts';
import { postIsDeleted, postNotFound } from './address.ts';
import { type FileReading, postsBeingRead } from './file-reading.ts';
import type { FileCopies } from './file-copies.ts';
import type { OwnerPostStore } from './micropub/owner-post-store.ts';
import {
  changedPost,
  contentOfPost,
  editedHistory,
  fed,
  historyAfter,
  newPost,
  postAt,
  restoredPost,
  versionId,
  withVersion,
  type EarlierContent,
  type EarlierPost,
  type StoredPost,
} from './post-document.ts';
import { postLists } from './post-lists.ts';
import {
  cleanSlug,
  isDraftSlug,
  numberedSlug,
  postPath,
  postPlace,
  type PostPlace,
  slugOf,
} from './post-path.ts';
import type { PostChanges } from './post-changes.ts';
import { newPostId, type PostReads, type PostWrites } from './post-rows.ts';
import type { ChooseHome, PostContent, Within } from './post-store.ts';
import type { PostRow } from './post-table.ts';
import { publishedOf } from './visibility.ts';

const mostFormerHomes = 20;
interface StoredPostsOptions {
  readonly records: Pick<Records, 'rows'>;
  readonly changes: PostChanges;
  /** The file copies of the posts. Without them, none are written. */
  readonly copies?: Pick<FileCopies, 'addIn'> | undefined;
  readonly reading?: Pick<FileReading, 'progress'> | undefined;
  /** Returns the public origin, which becomes a part of the ids of new posts in feeds. */
  readonly base: () => string;
  /** Returns what is called when a post becomes public or moves; undefined while posts get no location on the owner's own site. */
  readonly homeChooser?: () => ChooseHome | undefined;
}

/** A month, and the slug that a post should have in it. `isExact`: if true, no number is added to the slug. */
interface WishedPlace {
  readonly month: string;
  readonly wish: string;
  readonly isExact?: boolean | undefined;
}

/** A post's row. */
type RowOfPost = PostRow & { readonly post: StoredPost; readonly id: string };

/** What becomes of a post. */
interface Planned {
  readonly post: StoredPost;
  /** The earlier versions; absent if they stay. */
  readonly history?: readonly EarlierPost[];
  /** The unsaved edits; absent if they stay. */
  readonly edits?: UnsavedEdits | null;
  /** The new location; absent if the post stays where it is. */
  readonly to?: WishedPlace;
  /** Whether the post needs a location on the owner's own site. */
  readonly needsHome?: boolean;
}

/** Returns what becomes of a post, if anything. `from`: for what else the post has. Can throw. */
type Plan = (row: RowOfPost, from: PostReads) => Planned | undefined;

/** A change of a row. `at`: where the post will be. `ends`: whether readers lose it. */
interface Prepared extends Planned {
  readonly row: RowOfPost;
  readonly at: PostPlace;
  readonly needsHome: boolean;
  readonly ends: boolean;
}

/**
 * Creates the store of posts. Its methods throw PorchlightError: `invalid_request` for a post that doesn't exist, or a
 * change to a deleted post; `storage_damaged` (503) for a post of which something newer may be missing; the errors of
 * Records.
 */
export function createPostStore(options: StoredPostsOptions): OwnerPostStore {
  const { records, copies, homeChooser = () => undefined, base } = options;
  const { reads, write, searched } = options.changes;

  /** Returns the row of the post at a path, or at the path to which it has moved. */
  function whereIs(path: string, from: PostReads = reads): RowOfPost | undefined {
    const place = postPlace(path);
    const row = place && from.at(from.endOf(place));
    if (row?.isDoubtful === true) throw doubtful();
    if (row === undefined || row.post === null || row.id === null) return undefined;
    return { ...row, post: row.post, id: row.id };
  }

  /** @throws RetryLater (503) while files are read, because a new post could take the place of one of them */
  function mustHaveRead(): void {
    if (options.reading?.progress() !== undefined) throw postsBeingRead();
  }

  function mustBeAt(path: string, from: PostReads = reads): RowOfPost {
    const row = whereIs(path, from);
    if (row === undefined) throw postNotFound();
    return row;
  }

  /**
   * Returns a slug that no post has or had: the wished one, or else `wish-2`, `wish-3`, and so on. `own`: the post that
   * gets it, whose former paths are free for it.
   * @throws PorchlightError `slug_taken` (409) if `isExact` is set and the slug is taken
   */
  function freePlace(
    from: PostReads,
    { month, wish, isExact = false }: WishedPlace,
    own?: PostPlace,
  ): PostPlace {
    const placeOf = (turn: number) => ({ month, slug: numberedSlug(wish, turn) });
    const isFree = (place: PostPlace): boolean =>
      !from.has(place) ||
      (own !== undefined &&
        from.leadOf(place) !== undefined &&
        from.pageAt(postPath(place)) === postPath(own));
    if (isFree(placeOf(1))) return placeOf(1);
    if (isExact)
      throw new PorchlightError(
        'slug_taken',
        `Another post of that month has or had the address “${wish}”. Choose another one.`,
        409,
      );
    // Doubles the number until the slug is free, then searches below it. This needs few queries, even for thousands of
    // posts.
    let [low, high] = [1, 2];
    while (!isFree(placeOf(high))) [low, high] = [high, high * 2];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (isFree(placeOf(middle))) high = middle;
      else low = middle;
    }
    return placeOf(high);
  }

  const isFreeHome = (from: PostReads, url: string, home: PostHome | undefined): boolean =>
    from.atHome(url) === undefined || home?.url === url || home?.former.includes(url) === true;

  /** Returns a post with a location on the owner's own site, if it gets one. `path`: where the post will be. */
  async function withHome(path: string, post: StoredPost): Promise<StoredPost> {
    const { home } = post;
    const chosen = await homeChooser()?.({ path, ...post }, (url) => isFreeHome(reads, url, home));
    return chosen === undefined ? post : { ...post, home: movedHome(home, chosen) };
  }

  /** Returns a change that is made to a row, without a new location on the owner's own site; undefined for none. */
  function prepared(row: RowOfPost, plan: Plan, from: PostReads): Prepared | undefined {
    const planned = plan(row, from);
    if (planned === undefined) return undefined;
    const { to, post, needsHome = false } = planned;
    return {
      ...planned,
      row,
      at: to === undefined ? row.place : freePlace(from, to, row.place),
      needsHome: needsHome && homeChooser() !== undefined,
      ends: isWithdrawn(post) && !isWithdrawn(row.post),
    };
  }

  /**
   * Makes a change. `plan`: called with what the change is made to, and can throw; called again if another change came
   * first.
   */
  async function changed(path: string, plan: Plan, within?: Within): Promise<Post> {
    mustHaveRead();
    for (;;) {
      const found = mustBeAt(path);
      const first = prepared(found, plan, reads);
      if (first === undefined) return asPost(found);
      const chosen = first.needsHome ? await withHome(postPath(first.at), first.post) : first.post;
      const made = await write(
        (writes, transaction) => {
          const row = mustBeAt(path, writes);
          const isSame = row.counter === first.row.counter && row.id === first.row.id;
          if (!isSame && first.needsHome) return undefined;
          const now = isSame ? { ...first, post: chosen } : prepared(row, plan, writes);
          if (now === undefined) return asPost(row);
          if (!isSame && (now.needsHome || now.ends !== first.ends)) return undefined;
          if (now.to !== undefined && !isSamePlace(now.at, freePlace(writes, now.to, row.place)))
            return undefined;
          const { home } = now.post;
          if (now.needsHome && home && !isFreeHome(writes, home.url, row.post.home)) return undefined;
          return putChange(now, writes, transaction, within);
        },
        first.ends ? { ends: true } : {},
      );
      if (made) return made;
    }
  }

  /** Stores a change in a transaction. Returns the changed post. */
  function putChange(
    { row, at, post: next, history, edits }: Prepared,
    writes: PostWrites,
    transaction: Transaction,
    within?: Within,
  ): Post {
    const { place: from, id } = row;
    const before = asPost(row);
    const post = fed(postAt(at, next), base(), before);
    if (!isSamePlace(at, from)) {
      const counter = Math.max(row.counter, writes.at(at)?.counter ?? 0) + 1;
      writes.put(from, { movedTo: postPath(at) });
      writes.put(at, { post, id }, { counter });
    } else writes.put(at, { post, id });
    if (history) writes.setHistory(id, history);
    if (edits !== undefined) writes.setEdits(id, edits);
    copies?.addIn(transaction, from, at);
    within?.(transaction, { path: before.path, before });
    return postAt(at, post);
  }

  /** Adds a post. `history`: its earlier versions, newest first. */
  async function added(
    wish: WishedPlace,
    post: StoredPost,
    { history = [], needsHome = false, within }: AddedOptions,
  ): Promise<Post> {
    mustHaveRead();
    for (;;) {
      const isPlanned = needsHome && homeChooser() !== undefined;
      const planned = isPlanned ? freePlace(reads, wish) : undefined;
      const withOwn = planned ? await withHome(postPath(planned), post) : post;
      const made = await write((writes, transaction) => {
        const free = freePlace(writes, wish);
        if (planned && !isSamePlace(planned, free)) return undefined;
        if (planned && withOwn.home && !isFreeHome(writes, withOwn.home.url, undefined)) return undefined;
        const id = newPostId();
        const whole = fed(postAt(free, withOwn), base());
        writes.put(free, { post: whole, id });
        if (history.length > 0) writes.setHistory(id, history);
        copies?.addIn(transaction, free);
        within?.(transaction, { path: postPath(free) });
        return postAt(free, whole);
      });
      if (made) return made;
    }
  }

  const lists = postLists(records, searched);

  return {
    ...lists,

    create(content, { slug = '', isExact, now, createdBy, isHomeless = false, within }) {
      const post = newPost(content, now, createdBy);
      const { month, time } = publishedOf(post.properties, now);
      const wish = cleanSlug(slug) || slugOf(post.properties, time);
      return added({ month, wish, isExact }, post, { needsHome: isMeantForAll(post) && !isHomeless, within });
    },

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

    setHome: (path, edit) =>
      changed(path, ({ place, post }) => {
        const { home: before, ...rest } = post;
        const home = edit(structuredClone(before), postAt(place, post));
        if (isDeepStrictEqual(home, before)) return undefined;
        return { post: home === undefined ? rest : { ...rest, home } };
      }),

    movedTo: promised((path: string) => {
      const from = postPlace(path);
      if (from === undefined) return undefined;
      const to = reads.endOf(from);
      const kind = reads.kindAt(to);
      if (kind === 'doubtful') throw doubtful();
      return kind === 'post' && !isSamePlace(from, to) ? postPath(to) : undefined;
    }),

    change: (path, edit, { slug = '', isExact, now, by = null, isOwn = false, within }) =>
      changed(
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
      changed(
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

    async renew(path, content, now, earlier, within) {
      const row = mustBeAt(path);
      if (row.post.deletedAt === null) return undefined;
      return changed(
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
      return added({ month, wish }, post, { history: earlier.history, within });
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

    giveHome: (path) =>
      changed(path, ({ post }) =>
        post.home === undefined && post.deletedAt === null && isMeantForAll(post)
          ? { post, needsHome: true }
          : undefined,
      ),

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

    history: promised((path: string) => reads.history(mustBeAt(path).id)),
    edits: promised((path: string) => reads.edits(mustBeAt(path).id)),

    async keepEdits(path, edits, check) {
      await write((writes, transaction) => {
        const row = whereIs(path, writes);
        if (row === undefined) throw postNotFound();
        check?.(writes.edits(row.id));
        writes.setEdits(row.id, edits);
        writes.touch(row.place);
        copies?.addIn(transaction, row.place);
      });
    },

    setDeleted: (path, deleted, now, within) =>
      changed(
        path,
        ({ post }) => {
          if ((post.deletedAt !== null) === deleted) return undefined;
          const moment = new Date(now).toISOString();
          return { post: { ...post, deletedAt: deleted ? moment : null, updatedAt: moment } };
        },
        within,
      ),

    damaged: promised((most: number) =>
      reads.doubtful(most).map(({ place, post, movedTo }) => ({
        path: postPath(place),
        copy: post && postAt(place, post),
        movedTo,
      })),
    ),

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
      const row = whereIs(path);
      return row && asPost(row);
    },

    progress: () => options.reading?.progress(),
  };
}

interface AddedOptions {
  readonly history?: readonly EarlierPost[];
  readonly needsHome?: boolean;
  readonly within?: Within | undefined;
}

/** Returns the error for a post of which something newer may be missing after a repair. */
const doubtful = () =>
  new PorchlightError(
    'storage_damaged',
    'The database was damaged, and this post may be older than what was saved. The owner can look at it in the window.',
    503,
  );

const asPost = ({ place, post }: RowOfPost): Post => postAt(place, post);

const isSamePlace = (one: PostPlace, other: PostPlace): boolean =>
  one.month === other.month && one.slug === other.slug;

/** Returns whether a post must stay hidden from the public. Such a change is saved on a full disk too. */
const isWithdrawn = ({ deletedAt, visibility, status }: StoredPost) =>
  deletedAt !== null || visibility === 'private' || status === 'draft';

/** Returns whether a post is meant for everybody who knows its URL. Ignores whether the post is deleted. */
const isMeantForAll = ({ status, visibility }: StoredPost) =>
  status === 'published' && visibility !== 'private';

const withEarlier = (post: StoredPost, { editedAt, feedId }: Partial<EarlierContent> = {}): StoredPost => ({
  ...post,
  ...(editedAt !== undefined && { editedAt }),
  ...(feedId !== undefined && { feedId }),
});

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
