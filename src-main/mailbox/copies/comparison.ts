import { setTimeout as pause } from 'node:timers/promises';
import type { Post } from '../../contract/posts.ts';
import { isReadable, isTombstone } from '../../posts/visibility.ts';
import type { ReadFilter, ReadPage } from '../../posts/rendering/reader.ts';
import type { AddressBook } from './address-book.ts';
import { addressOfPath, fixedIn, isPostAddress, type CopiedSite } from './copied-addresses.ts';
import { PageFailed, type Copier } from './copier.ts';

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

interface ComparisonDeps {
  readonly posts: CopiedPosts;
  readonly site: CopiedSite;
  readonly book: AddressBook;
  readonly copier: Copier;
  readonly now: () => number;
  /** The maximum pause between two checks of pages, in ms. */
  readonly restMs?: number | undefined;
}

const postsAtOnce = 50;
/**
 * The maximum number of pages that this server may fail to generate. If more pages fail, the comparison stops, because
 * the cause is then probably not in the individual pages.
 */
const mostFailed = 5;
/** The default for `restMs`, in ms. */
const usualRestMs = 100;

/** Yields all posts that match a filter, one page of posts at a time. */
export async function* pagesOf(
  posts: CopiedPosts,
  filter: ReadFilter & { readonly deleted?: boolean },
): AsyncGenerator<readonly Post[]> {
  let after: string | undefined;
  do {
    const page = await posts.list({ limit: postsAtOnce, filter, ...(after !== undefined && { after }) });
    yield page.items;
    after = page.after;
    await pause(1, undefined, { ref: false });
  } while (after !== undefined);
}

/** Creates the functions that compare this server's pages with their copies in the mailbox at Cloudflare. */
export function createComparison({ posts, site, book, copier, now, ...deps }: ComparisonDeps) {
  const { restMs = usualRestMs } = deps;
  /** The addresses of deleted posts that were already reported to the mailbox at Cloudflare. */
  const gone = new Set<string>();

  return {
    /**
     * Requests checks of the fixed addresses, the former addresses of moved posts, and all posts that are public or
     * have a copy. The check of a page in turn requests checks of the addresses to which the page links. `isRoutine`:
     * the content at most of the addresses has probably not changed.
     */
    async begin(isRoutine: boolean): Promise<void> {
      const since = book.begin();
      const mark = (address: string) => book.mark(address, { follow: 'all', since, isRoutine });
      fixedIn(site).forEach(mark);
      for await (const page of pagesOf(posts, { status: 'published', publishedBy: now() }))
        for (const post of page) if (isReadable(post, now())) mark(addressOfPath(post.path));
      for (const path of await posts.formerPaths()) mark(addressOfPath(path));
      for (const address of book.stamps.keys()) if (isPostAddress(address)) mark(address);
    },

    /**
     * Checks all addresses that are marked for checking, and then removes the copies that no longer belong to the site.
     */
    async run(signal: AbortSignal): Promise<void> {
      const failed = new Map<string, unknown>();
      do {
        await look(signal, failed);
        await sweep([...failed.keys()]);
      } while (book.waiting() > failed.size);
      for (const error of failed.values()) throw error;
    },

    /** Reports deleted posts to the mailbox at Cloudflare. */
    async bury(): Promise<void> {
      for await (const page of pagesOf(posts, { deleted: true })) {
        const added = page.filter(isTombstone).map(({ path }) => addressOfPath(path));
        const untold = added.filter((address) => !gone.has(address));
        if (untold.length > 0) await copier.remove(untold, true);
        untold.forEach((address) => gone.add(address));
      }
    },

    /** Discards the record of which deleted posts were already reported to the mailbox at Cloudflare. */
    clear(): void {
      gone.clear();
    },
  };

  /**
   * Checks all addresses that are marked for checking. If a page can't be generated, notes it in `failed` and
   * continues.
   */
  async function look(signal: AbortSignal, failed: Map<string, unknown>): Promise<void> {
    for (;;) {
      const left = [...book.marked()].filter((address) => !failed.has(address));
      const found = left.filter((address) => !copier.isFound(address));
      if (found.length === 0) {
        if (left.length === 0) return;
        await copier.flush();
      }
      for (const address of found) {
        signal.throwIfAborted();
        if (book.markOf(address) === undefined) continue;
        const began = performance.now();
        try {
          await copier.look(address);
        } catch (error) {
          failed.set(address, error);
          if (!(error instanceof PageFailed) || failed.size > mostFailed) throw error;
        }
        // Pause for as long as generating the page took (up to `restMs`), so that visitors' requests take precedence.
        await pause(Math.min(performance.now() - began, restMs), undefined, { ref: false });
      }
    }
  }

  /**
   * Removes copies that nothing links to. Copies of posts, and of the old addresses of moved posts, stay even if
   * nothing links to them. `failed`: pages that can't be generated now. Content to which these pages may link is kept.
   */
  async function sweep(failed: readonly string[]): Promise<void> {
    const lost = book.unreachable(fixedIn(site), failed);
    for (const address of lost) if (isPostAddress(address)) book.mark(address);
    await copier.remove(
      lost.filter((address) => !isPostAddress(address)),
      false,
    );
  }
}
