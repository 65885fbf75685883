import { setTimeout as pause } from 'node:timers/promises';
import type { Post } from '../../contract/posts.ts';
import { isOpen, isReadable, isTombstone, publishedAt } from '../../posts/visibility.ts';
import type { Source, Versions } from '../../storage/caches.ts';
import type { PostFilter, PostLists } from '../../posts/post-store.ts';
import { addressOfPath, fixedIn, isPostAddress, type CopiedSite } from './copied-addresses.ts';
import { type Copier, type Found, mostBytesInCall, mostInCall, PageFailed } from './copier.ts';

/** Read access to posts, for making copies. */
export interface CopiedPosts extends Pick<PostLists, 'list'> {
  formerPaths(): Promise<readonly string[]>;
}

export interface SweepOptions {
  readonly posts: CopiedPosts;
  readonly site: CopiedSite;
  readonly versions: Pick<Versions, 'of'>;
  readonly copier: Copier;
  readonly now: () => number;
  /** The addresses to compare before all others. */
  readonly first: Set<string>;
  /** Returns whether copies may show something that is no longer public. */
  readonly isRemoving: () => boolean;
  /** The maximum pause between two checks of pages, in ms. */
  readonly restMs?: number;
  readonly stopping: AbortSignal;
}

const postsAtOnce = 50;
/**
 * The maximum number of pages that this server may fail to generate. If more pages fail, the sweep stops, because the
 * cause is then probably not in the individual pages.
 */
const mostFailed = 5;
/** The maximum pause before the next sweep, in ms. It is at most twice as long as the last one took. */
const mostPauseMs = 20_000;
/** What any page may show. Mentions are missing, because only a few pages show those of a page. */
const sources: readonly Source[] = ['posts', 'media', 'profile', 'pictures', 'people', 'cited'];

/**
 * Compares this server's responses at all public addresses with the copies in the mailbox at Cloudflare, one address at a
 * time. As long as nothing changes, nothing is compared. While something is being removed, a page that can't be updated
 * loses its copy, because that may show what is removed.
 */
export class Sweep {
  readonly #options: SweepOptions;
  /** Whether to begin soon, and with the mailbox's own list of copies. */
  #isRequested = true;
  #isCompared = false;
  /** How many changes there were that have no version. */
  #changes = 0;
  /** The version of what pages show that was compared last. */
  #compared = -1;
  #coveredLosses = 0;
  /** When the next sweep may begin (performance.now). */
  #restsUntil = -Infinity;
  /** When the next scheduled post becomes public, in ms. */
  #opensAt = Infinity;
  /** When `#opensAt` was last checked, in ms. */
  #seenAt: number;
  /** How many addresses are being compared. */
  #left = 0;
  /** The responses that are to be sent to the mailbox at Cloudflare. */
  #batch: Found[] = [];
  /** How often `note` was called. */
  #notes = 0;

  constructor(options: SweepOptions) {
    this.#options = options;
    this.#seenAt = options.now();
  }

  /** Whether this run has compared everything. */
  get isCompared(): boolean {
    return this.#isCompared;
  }

  /** How many removals (see Copier.losses) no copy shows any more, because everything was compared since. */
  get coveredLosses(): number {
    return this.#coveredLosses;
  }

  /** Requests a sweep that begins soon and also reads the mailbox's list of copies. */
  request(): void {
    this.#isRequested = true;
    this.mayDiffer();
  }

  /** Requests a sweep, which may begin later. */
  mayDiffer(): void {
    this.#changes += 1;
  }

  /** Has these addresses compared before all others. Responses that are older than this call are requested again. */
  note(addresses: readonly string[]): void {
    this.#notes += 1;
    for (const address of [...addresses, ...this.#batch.map((found) => found.address)])
      this.#options.first.add(address);
  }

  /**
   * Returns how many addresses differ from their copies; at least 1 if it isn't known. Before the first sweep of a run,
   * all that it has to look at may differ.
   */
  waiting(): number {
    const known = this.#options.first.size + (this.#isCompared ? this.#batch.length : this.#left);
    return Math.max(known, this.#isOutdated() ? 1 : 0);
  }

  /** Compares what may have changed. `isSoon`: without a rest. Returns whether there was anything to do. */
  async run(isSoon: boolean): Promise<boolean> {
    this.#checkClock();
    const began = performance.now();
    const isResting = !this.#isRequested && !isSoon && began < this.#restsUntil;
    if (!this.#isOutdated() || isResting) {
      if (this.#options.first.size === 0) return false;
      await this.#compare([], false);
      return true;
    }
    const [before, wasRequested] = [this.#version(), this.#isRequested];
    this.#isRequested = false;
    try {
      if (wasRequested && this.#isCompared) await this.#options.copier.load();
      await this.#compare(await this.#roots(), true);
    } catch (error) {
      this.#isRequested ||= wasRequested;
      throw error;
    }
    this.#compared = before;
    this.#isCompared = true;
    const ended = performance.now();
    this.#restsUntil = ended + Math.min(2 * (ended - began), mostPauseMs);
    return true;
  }

  clear(): void {
    this.#isCompared = false;
    this.#options.first.clear();
    this.request();
  }

  #version(): number {
    const { versions } = this.#options;
    return this.#changes + Math.max(...sources.map((source) => versions.of(source)));
  }

  #isOutdated(): boolean {
    return this.#version() !== this.#compared;
  }

  /** Notices that a scheduled post has become public, or that the clock was set back. */
  #checkClock(): void {
    const at = this.#options.now();
    if (at >= this.#opensAt || at < this.#seenAt) this.mayDiffer();
    this.#seenAt = at;
  }

  async *#postsOf(filter: PostFilter): AsyncGenerator<Post> {
    let after: string | undefined;
    do {
      const page = await this.#options.posts.list({
        limit: postsAtOnce,
        filter,
        ...(after !== undefined && { after }),
      });
      yield* page.items;
      after = page.after;
      await pause(1, undefined, { ref: false });
    } while (after !== undefined);
  }

  /** Returns the addresses to which no page needs to link. */
  async #roots(): Promise<string[]> {
    const { now, site, posts, copier } = this.#options;
    const at = now();
    const found = fixedIn(site);
    let opens = Infinity;
    for await (const post of this.#postsOf({ status: 'published' })) {
      if (isReadable(post, at)) found.push(addressOfPath(post.path));
      else if (isOpen(post)) opens = Math.min(opens, publishedAt(post));
    }
    this.#opensAt = opens;
    for await (const post of this.#postsOf({ deleted: true }))
      if (isTombstone(post)) found.push(addressOfPath(post.path));
    const former = (await posts.formerPaths()).map(addressOfPath);
    return [...found, ...former, ...[...copier.stamps.keys()].filter(isPostAddress)];
  }

  /**
   * Compares addresses, those in `first` before the others, and those to which they lead. `isAll`: whether these are all
   * public addresses. Then copies to which nothing leads are removed.
   */
  async #compare(start: readonly string[], isAll: boolean): Promise<void> {
    const { copier, first } = this.#options;
    const losses = copier.losses;
    const walk: Walk = { isAll, queue: [...start], at: 0, reached: new Set(), failed: new Map(), bytes: 0 };
    try {
      await this.#empty(walk);
      if (isAll && walk.failed.size > 0) {
        // A page that can't be generated may lead to any of the others, so they stay as long as they are public.
        walk.queue.push(...copier.stamps.keys());
        await this.#empty(walk);
      }
      if (isAll) {
        await copier.keepOnly(walk.reached);
        this.#coveredLosses = losses;
      }
      for (const error of walk.failed.values()) throw error;
    } catch (error) {
      const rest = isAll ? [] : walk.queue.slice(walk.at);
      const unsent = this.#batch.map((found) => found.address);
      for (const one of [...walk.failed.keys(), ...unsent, ...rest]) first.add(one);
      if (walk.address !== undefined) first.add(walk.address);
      throw error;
    } finally {
      this.#batch = [];
      this.#left = 0;
    }
  }

  /** Compares everything in the queue. */
  async #empty(walk: Walk): Promise<void> {
    const { first, stopping, restMs = 100 } = this.#options;
    while (walk.at < walk.queue.length || first.size > 0 || this.#batch.length > 0) {
      stopping.throwIfAborted();
      const [urgent] = first;
      this.#left = walk.queue.length - walk.at + this.#batch.length + 1;
      const address = (walk.address = urgent ?? walk.queue[walk.at]);
      if (address === undefined) {
        await this.#flush(walk);
        continue;
      }
      if (urgent === undefined) walk.at += 1;
      else first.delete(urgent);
      if (walk.failed.has(address) || (urgent === undefined && walk.reached.has(address))) continue;
      walk.reached.add(address);
      const began = performance.now();
      try {
        await this.#visit(address, walk);
      } catch (error) {
        if (!(error instanceof PageFailed)) throw error;
        await this.#failed([address], error, walk);
      }
      // Pause for as long as generating the page took (up to `restMs`), so that visitors' requests take precedence.
      await pause(Math.min(performance.now() - began, restMs), undefined, { ref: false });
    }
  }

  async #visit(address: string, walk: Walk): Promise<void> {
    const { copier, first } = this.#options;
    const before = this.#notes;
    const found = await copier.find(address);
    if (this.#notes !== before) first.add(address); // the response may be older than the change
    const isNew = (link: string) => walk.isAll || !(copier.stamps.has(link) || copier.leftOut.has(link));
    walk.queue.push(...found.links.filter((link) => !walk.reached.has(link) && isNew(link)));
    if (copier.isKnown(found)) return;
    const size = found.copy?.body.length ?? 0;
    if (this.#batch.length >= mostInCall || walk.bytes + size > mostBytesInCall) await this.#flush(walk);
    this.#batch.push(found);
    walk.bytes += size;
  }

  async #flush(walk: Walk): Promise<void> {
    const batch = this.#batch;
    try {
      await this.#options.copier.send(batch);
    } catch (error) {
      if (this.#options.stopping.aborted || !this.#options.isRemoving()) throw error;
      await this.#failed(
        batch.map(({ address }) => address),
        error,
        walk,
      );
    }
    [this.#batch, walk.bytes] = [[], 0];
  }

  /** Notes that the copies of these addresses could not be updated. Rethrows the error after too many of them. */
  async #failed(addresses: readonly string[], error: unknown, { failed }: Walk): Promise<void> {
    if (this.#options.isRemoving()) await this.#options.copier.remove(addresses);
    if (error instanceof PageFailed && failed.size >= mostFailed) throw error;
    for (const address of addresses) failed.set(address, error);
  }
}

/** The state of one comparison. */
interface Walk {
  readonly isAll: boolean;
  readonly queue: string[];
  /** How many addresses of the queue were taken. */
  at: number;
  readonly reached: Set<string>;
  readonly failed: Map<string, unknown>;
  /** The size of the responses that are to be sent, in bytes. */
  bytes: number;
  /** The address that is being compared. */
  address?: string | undefined;
}
