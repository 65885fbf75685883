import { PorchlightError } from '../contract/error.ts';
import type { Post, PostHome } from '../contract/posts.ts';
import type { UnsavedEdits } from '../contract/writing.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import { postNotFound } from './address.ts';
import type { FileCopies } from './file-copies.ts';
import { type FileReading, postsBeingRead } from './file-reading.ts';
import { type EarlierPost, fed, postAt, type StoredPost } from './post-document.ts';
import { numberedSlug, postPath, type PostPlace, postPlace } from './post-path.ts';
import type { PostChanges } from './post-changes.ts';
import type { PostReads } from './post-reads.ts';
import { newPostId, type PostWrites } from './post-rows.ts';
import type { ChooseHome, Within } from './post-store.ts';
import type { PostRow } from './post-table.ts';

const mostFormerHomes = 20;
export interface PostWriterOptions {
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
export type RowOfPost = PostRow & { readonly post: StoredPost; readonly id: string };

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

interface AddedOptions {
  readonly history?: readonly EarlierPost[];
  readonly needsHome?: boolean;
  readonly within?: Within | undefined;
}

/** Adds and changes posts. A change is made again if another one came first, or if it needs another path. */
export class PostWriter {
  readonly #options: PostWriterOptions;
  readonly #reads: PostReads;

  constructor(options: PostWriterOptions) {
    this.#options = options;
    this.#reads = options.changes.reads;
  }

  /** Returns the row of the post at a path, or at the path to which it has moved. */
  whereIs(path: string, from: PostReads = this.#reads): RowOfPost | undefined {
    const place = postPlace(path);
    const row = place && from.at(from.endOf(place));
    if (row?.isDoubtful === true) throw doubtful();
    if (row === undefined || row.post === null || row.id === null) return undefined;
    return { ...row, post: row.post, id: row.id };
  }

  /** @throws RetryLater (503) while files are read, because a new post could take the place of one of them */
  #mustHaveRead(): void {
    if (this.#options.reading?.progress() !== undefined) throw postsBeingRead();
  }

  mustBeAt(path: string, from: PostReads = this.#reads): RowOfPost {
    const row = this.whereIs(path, from);
    if (row === undefined) throw postNotFound();
    return row;
  }

  /**
   * Returns a slug that no post has or had: the wished one, or else `wish-2`, `wish-3`, and so on. `own`: the post that
   * gets it, whose former paths are free for it.
   * @throws PorchlightError `slug_taken` (409) if `isExact` is set and the slug is taken
   */
  #freePlace(from: PostReads, { month, wish, isExact = false }: WishedPlace, own?: PostPlace): PostPlace {
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

  /** Returns a post with a location on the owner's own site, if it gets one. `path`: where the post will be. */
  async #withHome(path: string, post: StoredPost): Promise<StoredPost> {
    const { home } = post;
    const chosen = await this.#options.homeChooser?.()?.({ path, ...post }, (url) =>
      isFreeHome(this.#reads, url, home),
    );
    return chosen === undefined ? post : { ...post, home: movedHome(home, chosen) };
  }

  /** Returns a change that is made to a row, without a new location on the owner's own site; undefined for none. */
  #prepared(row: RowOfPost, plan: Plan, from: PostReads): Prepared | undefined {
    const planned = plan(row, from);
    if (planned === undefined) return undefined;
    const { to, post, needsHome = false } = planned;
    return {
      ...planned,
      row,
      at: to === undefined ? row.place : this.#freePlace(from, to, row.place),
      needsHome: needsHome && this.#hasHomes(),
      ends: isWithdrawn(post) && !isWithdrawn(row.post),
    };
  }

  /**
   * Makes a change. `plan`: called with what the change is made to, and can throw; called again if another change came
   * first.
   */
  async changed(path: string, plan: Plan, within?: Within): Promise<Post> {
    this.#mustHaveRead();
    for (;;) {
      const found = this.mustBeAt(path);
      const first = this.#prepared(found, plan, this.#reads);
      if (first === undefined) return asPost(found);
      const chosen = first.needsHome ? await this.#withHome(postPath(first.at), first.post) : first.post;
      const made = await this.#options.changes.write(
        (writes, transaction) => {
          const row = this.mustBeAt(path, writes);
          const isSame = row.counter === first.row.counter && row.id === first.row.id;
          if (!isSame && first.needsHome) return undefined;
          const now = isSame ? { ...first, post: chosen } : this.#prepared(row, plan, writes);
          if (now === undefined) return asPost(row);
          if (!isSame && (now.needsHome || now.ends !== first.ends)) return undefined;
          if (now.to !== undefined && !isSamePlace(now.at, this.#freePlace(writes, now.to, row.place)))
            return undefined;
          const { home } = now.post;
          if (now.needsHome && home && !isFreeHome(writes, home.url, row.post.home)) return undefined;
          return this.#putChange(now, writes, transaction, within);
        },
        first.ends ? { ends: true } : {},
      );
      if (made) return made;
    }
  }

  /** Stores a change in a transaction. Returns the changed post. */
  #putChange(
    { row, at, post: next, history, edits }: Prepared,
    writes: PostWrites,
    transaction: Transaction,
    within?: Within,
  ): Post {
    const { base, copies } = this.#options;
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
  async added(
    wish: WishedPlace,
    post: StoredPost,
    { history = [], needsHome = false, within }: AddedOptions,
  ): Promise<Post> {
    const { base, changes, copies } = this.#options;
    this.#mustHaveRead();
    for (;;) {
      const planned = needsHome && this.#hasHomes() ? this.#freePlace(this.#reads, wish) : undefined;
      const withOwn = planned ? await this.#withHome(postPath(planned), post) : post;
      const made = await changes.write((writes, transaction) => {
        const free = this.#freePlace(writes, wish);
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

  /** Returns whether posts get locations on the owner's own site. */
  #hasHomes(): boolean {
    return this.#options.homeChooser?.() !== undefined;
  }
}

const isFreeHome = (from: PostReads, url: string, home: PostHome | undefined): boolean =>
  from.atHome(url) === undefined || home?.url === url || home?.former.includes(url) === true;

/** Returns the error for a post of which something newer may be missing after a repair. */
export const doubtful = () =>
  new PorchlightError(
    'storage_damaged',
    'The database was damaged, and this post may be older than what was saved. The owner can look at it in the window.',
    503,
  );

export const asPost = ({ place, post }: RowOfPost): Post => postAt(place, post);

export const isSamePlace = (one: PostPlace, other: PostPlace): boolean =>
  one.month === other.month && one.slug === other.slug;

/** Returns whether a post must stay hidden from the public. Such a change is saved on a full disk too. */
const isWithdrawn = ({ deletedAt, visibility, status }: StoredPost) =>
  deletedAt !== null || visibility === 'private' || status === 'draft';

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
