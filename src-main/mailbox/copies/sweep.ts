import { setTimeout as pause } from 'node:timers/promises';
import type { Post } from '../../contract/posts.ts';
import { isOpen, isReadable, isTombstone, publishedAt } from '../../posts/visibility.ts';
import type { Source, Versions } from '../../storage/caches.ts';
import type { ReadFilter, ReadPage } from '../../posts/rendering/reader.ts';
import { addressOfPath, fixedIn, isPostAddress, type CopiedSite } from './copied-addresses.ts';
import { mostBytesInCall, mostInCall, PageFailed, type Copier, type Found } from './copier.ts';

/** Read access to posts, for making copies. */
export interface CopiedPosts {
  /** Returns posts, most recently published first. `deleted`: only deleted posts. */
  list(options: {
    limit: number;
    after?: string;
    filter?: ReadFilter & { readonly deleted?: boolean };
  }): Promise<ReadPage>;
  formerPaths(): Promise<readonly string[]>;
}

export interface SweepDeps {
  readonly posts: CopiedPosts;
  readonly site: CopiedSite;
  readonly versions: Pick<Versions, 'of'>;
  readonly copier: Copier;
  readonly now: () => number;
  /** The addresses to compare before all others. */
  readonly first: Set<string>;
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
 * Creates the sweep, which compares this server's responses at all public addresses with the copies in the mailbox at
 * Cloudflare, one address at a time. As long as nothing changes, nothing is compared.
 */
export function createSweep({ posts, site, versions, copier, now, first, stopping, ...deps }: SweepDeps) {
  const { restMs = 100 } = deps;
  /** Whether to begin soon, and with the mailbox's own list of copies. */
  let isRequested = true;
  let isCompared = false;
  /** How many changes there were that have no version. */
  let changes = 0;
  /** The version of what pages show that was compared last. */
  let compared = -1;
  /** When the next sweep may begin (performance.now). */
  let restsUntil = -Infinity;
  /** When the next scheduled post becomes public, and when this was last checked, in ms. */
  let [opensAt, seenAt] = [Infinity, now()];
  /** How many addresses are being compared. */
  let left = 0;
  /** The responses that are to be sent to the mailbox at Cloudflare. */
  let batch: Found[] = [];
  /** How often `note` was called. */
  let notes = 0;

  const version = () => changes + Math.max(...sources.map((source) => versions.of(source)));
  const isOutdated = () => version() !== compared;
  const mayDiffer = () => void (changes += 1);

  /** Requests a sweep that begins soon and also reads the mailbox's list of copies. */
  function request(): void {
    isRequested = true;
    mayDiffer();
  }

  /** Notices that a scheduled post has become public, or that the clock was set back. */
  function checkClock(): void {
    const at = now();
    if (at >= opensAt || at < seenAt) mayDiffer();
    seenAt = at;
  }

  async function* postsOf(filter: ReadFilter & { readonly deleted?: boolean }): AsyncGenerator<Post> {
    let after: string | undefined;
    do {
      const page = await posts.list({ limit: postsAtOnce, filter, ...(after !== undefined && { after }) });
      yield* page.items;
      after = page.after;
      await pause(1, undefined, { ref: false });
    } while (after !== undefined);
  }

  /** Returns the addresses to which no page needs to link. */
  async function roots(): Promise<string[]> {
    const at = now();
    const found = fixedIn(site);
    let opens = Infinity;
    for await (const post of postsOf({ status: 'published' })) {
      if (isReadable(post, at)) found.push(addressOfPath(post.path));
      else if (isOpen(post)) opens = Math.min(opens, publishedAt(post));
    }
    opensAt = opens;
    for await (const post of postsOf({ deleted: true }))
      if (isTombstone(post)) found.push(addressOfPath(post.path));
    const former = (await posts.formerPaths()).map(addressOfPath);
    return [...found, ...former, ...[...copier.stamps.keys()].filter(isPostAddress)];
  }

  /**
   * Compares addresses, those in `first` before the others, and those to which they lead. `isAll`: whether these are all
   * public addresses. Then copies to which nothing leads are removed.
   */
  async function compare(start: readonly string[], isAll: boolean): Promise<void> {
    const queue = [...start];
    let at = 0;
    const reached = new Set<string>();
    const failed = new Map<string, unknown>();
    let bytes = 0;
    let address: string | undefined;

    async function flush(): Promise<void> {
      await copier.send(batch);
      [batch, bytes] = [[], 0];
    }

    async function visit(one: string): Promise<void> {
      const before = notes;
      const found = await copier.find(one);
      if (notes !== before) first.add(one); // the response may be older than the change
      const isNew = (link: string) => isAll || !(copier.stamps.has(link) || copier.leftOut.has(link));
      queue.push(...found.links.copied.filter((link) => !reached.has(link) && isNew(link)));
      if (copier.isKnown(found)) return;
      const size = found.copy?.body.length ?? 0;
      if (batch.length >= mostInCall || bytes + size > mostBytesInCall) await flush();
      batch.push(found);
      bytes += size;
    }

    /** Compares everything in the queue. */
    async function empty(): Promise<void> {
      while (at < queue.length || first.size > 0 || batch.length > 0) {
        stopping.throwIfAborted();
        const [urgent] = first;
        left = queue.length - at + batch.length + 1;
        address = urgent ?? queue[at];
        if (address === undefined) {
          await flush();
          continue;
        }
        if (urgent === undefined) at += 1;
        else first.delete(urgent);
        if (failed.has(address) || (urgent === undefined && reached.has(address))) continue;
        reached.add(address);
        const began = performance.now();
        try {
          await visit(address);
        } catch (error) {
          if (!(error instanceof PageFailed) || failed.size === mostFailed) throw error;
          failed.set(address, error);
        }
        // Pause for as long as generating the page took (up to `restMs`), so that visitors' requests take precedence.
        await pause(Math.min(performance.now() - began, restMs), undefined, { ref: false });
      }
    }

    try {
      await empty();
      if (isAll && failed.size > 0) {
        // A page that can't be generated may lead to any of the others, so they stay as long as they are public.
        queue.push(...copier.stamps.keys());
        await empty();
      }
      if (isAll) await copier.keepOnly(reached);
      for (const error of failed.values()) throw error;
    } catch (error) {
      const rest = isAll ? [] : queue.slice(at);
      for (const one of [...failed.keys(), ...batch.map((found) => found.address), ...rest]) first.add(one);
      if (address !== undefined) first.add(address);
      throw error;
    } finally {
      batch = [];
      left = 0;
    }
  }

  return {
    request,
    /** Requests a sweep, which may begin later. */
    mayDiffer,
    /** Has these addresses compared before all others, and the pages that name what has changed. `names`: see `comparableUrl`. */
    note(addresses: readonly string[], names: readonly string[]): void {
      notes += 1;
      const isNaming = ({ links }: Found) => links.named.some((name) => names.includes(name));
      const naming = [...copier.naming(names), ...batch.filter(isNaming).map(({ address }) => address)];
      for (const address of [...addresses, ...naming]) first.add(address);
    },
    /** Returns whether this run has compared everything, so that it knows the names in all copies. */
    isCompared: () => isCompared,
    /**
     * Returns how many addresses differ from their copies; at least 1 if it isn't known. Before the first sweep of a run,
     * all that it has to look at may differ.
     */
    waiting: () => Math.max(first.size + (isCompared ? batch.length : left), isOutdated() ? 1 : 0),

    /** Compares what may have changed. `isSoon`: without a rest. Returns whether there was anything to do. */
    async run(isSoon: boolean): Promise<boolean> {
      checkClock();
      const began = performance.now();
      if (!isOutdated() || (!isRequested && !isSoon && began < restsUntil)) {
        if (first.size === 0) return false;
        await compare([], false);
        return true;
      }
      const [before, wasRequested] = [version(), isRequested];
      isRequested = false;
      try {
        if (wasRequested && isCompared) await copier.load();
        await compare(await roots(), true);
      } catch (error) {
        isRequested ||= wasRequested;
        throw error;
      }
      compared = before;
      isCompared = true;
      const ended = performance.now();
      restsUntil = ended + Math.min(2 * (ended - began), mostPauseMs);
      return true;
    },

    clear(): void {
      isCompared = false;
      first.clear();
      request();
    },
  };
}
