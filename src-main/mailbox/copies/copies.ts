import { setTimeout as pause } from 'node:timers/promises';
import { PorchlightError } from '../../contract/error.ts';
import type { Post } from '../../contract/posts.ts';
import type { Log } from '../../platform/log.ts';
import { pauseAfter } from '../../platform/retry-schedule.ts';
import { postAtUrl, type PostFinder } from '../../posts/address.ts';
import { isReadable } from '../../posts/visibility.ts';
import type { Records } from '../../storage/records/records.ts';
import type { Versions } from '../../storage/versions.ts';
import { createAddressBook } from './address-book.ts';
import { isInPlace, listPaths, namesOf } from './affected.ts';
import { createComparison, type CopiedPosts } from './comparison.ts';
import { addressOfPath, isPostAddress, type CopiedSite } from './copied-addresses.ts';
import { createCopier } from './copier.ts';
import type { AskSelf, CopyStore } from './copy-store.ts';
import { createMarking } from './marking.ts';
import { createNews } from './news.ts';
import { openWaitingRemovals, type Removal } from './waiting-removals.ts';

export interface CopiesDeps extends CopiedSite {
  readonly records: Pick<Records, 'rows' | 'write'>;
  readonly log: Log;
  readonly now: () => number;
  readonly store: CopyStore;
  readonly ask: AskSelf;
  readonly posts: CopiedPosts & PostFinder;
  readonly versions: Pick<Versions, 'of'>;
  /** Returns whether the owner uses the mailbox at Cloudflare. If not, nothing is sent. */
  readonly isOn: () => boolean;
  /** Returns whether this server accepts requests. While it doesn't, the copies stay unchanged. */
  readonly isServing: () => boolean;
  /** Called when the status has changed. Must not throw. */
  readonly changed: () => void;
  /** The maximum total size of all copies, in bytes. */
  readonly mostBytes?: number;
  /** The interval at which changes are sent, in ms. */
  readonly everyMs?: number;
  /** The maximum pause between two checks of pages, in ms. */
  readonly restMs?: number;
  /** The maximum time for which a change waits for the removals that it causes, in ms. */
  readonly removalMs?: number;
  /** The maximum time to wait for the last copies before this server stops, in ms. */
  readonly hurryMs?: number;
}

export interface CopiesStatus {
  /** The number of copies in the mailbox at Cloudflare, according to the latest information. */
  readonly copies: number;
  /** The number of public files and pages without a copy, because they are too large or the mailbox is full. */
  readonly leftOut: number;
  /** The number of addresses that may differ from their copies. */
  readonly toCopy: number;
  /**
   * The number of posts, files and pages that are no longer fully public, but that the mailbox at Cloudflare may still
   * show.
   */
  readonly toRemove: number;
  /** The reason why the last attempt failed, as a message for the owner. */
  readonly error?: string;
}

const usualMs = 3000;
const usualRemovalMs = 3000;
const usualHurryMs = 2000;
/** The maximum time for the last removals when this server stops, in ms. */
const farewellMs = 2000;
const otherWords = 'The mailbox couldn’t be brought up to date. Porchlight will try again.';

export type Copies = ReturnType<typeof openCopies>;

/**
 * Opens the service that keeps the copies in the mailbox at Cloudflare identical to this server's public pages. Sends
 * nothing before `start`. When content stops being public, the database lists it until the mailbox has removed it. A
 * comparison at the beginning of each run finds all other differences.
 * @throws PorchlightError `storage_damaged`
 */
export function openCopies(deps: CopiesDeps) {
  const { log, now, isOn, changed } = deps;
  const removals = openWaitingRemovals(deps);
  const book = createAddressBook();
  const stopping = new AbortController();
  const { signal } = stopping;
  const ending = new AbortController();
  const copier = createCopier({ ...deps, book, site: deps, stopping: signal, ended: ending.signal });
  const comparison = createComparison({ ...deps, site: deps, book, copier });
  const news = createNews(deps);
  const marking = createMarking(book, deps.base);
  let loading: Promise<void> | undefined;
  let isLoaded = false;
  /** Whether all pages were compared with their copies since this process started or the mailbox was turned on. */
  let isCompared = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** The removals in progress. Includes the removals for which `lose` no longer waits. */
  const underWay = new Set<Promise<void>>();
  let failures = 0;
  let error: string | undefined;
  /** The earliest time for the next attempt (performance.now). Calling `wake` starts an attempt earlier. */
  let nextAt = 0;
  let isWoken = false;

  /** Resolves once the list of the copies in the mailbox at Cloudflare is loaded. */
  function loaded(): Promise<void> {
    loading ??= copier.load().then(
      () => void (isLoaded = true),
      (failure: unknown) => {
        loading = undefined;
        throw failure;
      },
    );
    return loading;
  }

  /**
   * Returns whether the mailbox at Cloudflare may have a copy of a page. Until the list of copies is loaded, returns
   * whether the page is public now, because the address of a private post must not get into the records for the
   * mailbox.
   */
  async function mayBeCopied(address: string): Promise<boolean> {
    if (isLoaded) return book.stamps.has(address);
    const post = await postAtUrl(deps.posts, deps.base(), address);
    return post === undefined ? !isPostAddress(address) : isReadable(post, now());
  }

  /** Deletes all records about the mailbox at Cloudflare. Called when the owner no longer has a mailbox. */
  async function forget(): Promise<void> {
    if (loading === undefined && removals.count() === 0) return;
    loading = undefined;
    isLoaded = isCompared = false;
    [error, failures, nextAt] = [undefined, 0, 0];
    book.clear();
    comparison.clear();
    news.everything();
    await removals.done(removals.list());
    changed();
  }

  /**
   * Removes content from the mailbox at Cloudflare because the content is no longer public. `names`: the URLs of the
   * post or file; absent if a page can show the post or file without a link to it.
   */
  async function removeNow(lines: readonly Removal[], names?: readonly string[]): Promise<void> {
    await loaded();
    const current = lines.filter(removals.isCurrent);
    if (current.length > 0) await copier.removeLost(current.map((line) => ({ ...line, names })));
    // The links of the copies from earlier runs are unknown before the comparison, so more of them may show the content.
    if (isCompared) await removals.done(current);
    changed();
  }

  /**
   * Records that content is no longer public, and removes it from the mailbox at Cloudflare. Resolves once the mailbox
   * has confirmed the removal, or after `removalMs`.
   */
  async function lose(
    lost: readonly Pick<Removal, 'address' | 'shownOn'>[],
    names: readonly string[],
  ): Promise<void> {
    const lines = removals.add(lost);
    // On a full disk, the content is removed all the same. Only a kill before that would lose the removal.
    await removals.save().catch((error: unknown) => log.warn({ err: error }, 'a removal could not be noted'));
    changed();
    let giveUp: NodeJS.Timeout | undefined;
    const late = new Promise<void>(
      (resolve) => (giveUp = setTimeout(resolve, deps.removalMs ?? usualRemovalMs)),
    );
    const removing = removeNow(lines, names)
      .catch(failed)
      .finally(() => underWay.delete(removing));
    underWay.add(removing);
    await Promise.race([removing, late]);
    clearTimeout(giveUp);
  }

  function failed(failure: unknown): void {
    if (signal.aborted) return;
    // These errors are expected: the server was turned off, or stopping it interrupted all calls.
    if (failure instanceof PorchlightError && ['cancelled', 'server_off'].includes(failure.code)) return;
    log.warn({ err: failure }, 'the copies in the mailbox could not be brought up to date');
    error = failure instanceof PorchlightError ? failure.message : otherWords;
    failures += 1;
    nextAt = performance.now() + (pauseAfter('publishing', failures) ?? 0);
    changed();
  }

  async function bringUpToDate(): Promise<void> {
    await loaded();
    await removeNow(removals.list());
    const wanted = await news.look((post) => marking.post(post, true));
    if (wanted !== undefined) {
      const began = performance.now();
      if (isCompared) await copier.load();
      await comparison.begin(wanted === 'routine' && isCompared);
      await comparison.run(signal);
      await comparison.bury();
      isCompared = true;
      news.compared(performance.now() - began);
    } else if (book.waiting() > 0) await comparison.run(signal);
    else if (failures === 0) return;
    [error, failures, nextAt] = [undefined, 0, 0];
    changed();
  }

  function everythingChanged(): void {
    news.everything();
    if (isOn()) changed();
  }

  /** Starts the work that is due. */
  function look(): void {
    if (running !== undefined || signal.aborted) return;
    if (isOn() && !deps.isServing()) return;
    if (isOn() && !isWoken && performance.now() < nextAt) return;
    isWoken = false;
    running = (isOn() ? bringUpToDate() : forget())
      .catch((failure: unknown) => {
        news.failed();
        failed(failure);
      })
      .finally(() => (running = undefined));
  }

  return {
    /**
     * Records a change to a post. Call this before reporting the change as done. If content became private, resolves
     * when the mailbox at Cloudflare has no copies of it, or after `removalMs`. Removals that are still pending stay in
     * the database.
     */
    async postChanged({ post, before }: { post: Post; before?: Post | undefined }): Promise<void> {
      if (!isOn()) return;
      const isPublic = (one: Post | undefined) =>
        one !== undefined && (isReadable(one, now()) || book.stamps.has(addressOfPath(one.path)));
      // For a private post, no checks are requested, so that its address never gets into the records for the mailbox at
      // Cloudflare.
      if (!isPublic(post) && !isPublic(before)) return;
      const isMoved = !isInPlace(post, before, now());
      if (before && isMoved) marking.post(before, true);
      marking.post(post, isMoved);
      changed();
      if (isReadable(post, now())) return;
      const all = [post, ...(before ? [before] : [])];
      const names = all.flatMap((one) => namesOf(one, deps.base()));
      // The redirects from the post's earlier addresses also reveal the post, because they contain the post's current
      // URL.
      const naming = book.naming(names).filter(isPostAddress);
      const shownOn = [...new Set([...all.flatMap(listPaths), ...naming])];
      const paths = [...new Set(all.map(({ path }) => addressOfPath(path)))];
      await lose(
        paths.map((address) => ({ address, shownOn: [...shownOn, ...book.sitemaps()] })),
        names,
      );
    },

    /**
     * Records a change to the mentions of the page at a URL. `showsLess`: a mention is no longer public. In that case,
     * waits up to `removalMs` until the page's copy is updated or removed.
     */
    async pageChanged(url: string, showsLess: boolean): Promise<void> {
      if (!isOn() || !URL.canParse(url)) return;
      const address = marking.page(url);
      changed();
      if (showsLess && address !== undefined && (await mayBeCopied(address)))
        await lose([{ address, shownOn: [] }], [address]);
    },

    /**
     * Records a change to the file at a path. If the file was deleted, waits up to `removalMs` for its copy, and those of
     * its versions, to be removed. `versions`: the paths that versions of the file can have.
     */
    async mediaChanged(path: string, isDeleted: boolean, versions: readonly string[] = []): Promise<void> {
      if (!isOn()) return;
      const address = addressOfPath(path);
      const shownOn = marking.file(address);
      if (!isDeleted) return;
      const copied = versions.map(addressOfPath).filter((one) => !isLoaded || book.stamps.has(one));
      const names = [address, ...copied];
      await lose(
        names.map((one) => ({ address: one, shownOn })),
        names,
      );
    },

    /**
     * Records that some of the owner's pages were removed. Waits up to `removalMs` for their copies to be removed.
     * `addresses`: the addresses of the pages.
     */
    async pagesRemoved(addresses: readonly string[]): Promise<void> {
      if (!isOn() || addresses.length === 0) return;
      book.begin();
      await lose(
        addresses.map((address) => ({ address, shownOn: [] })),
        addresses,
      );
    },

    /** Schedules a complete comparison. Called when content that all pages show has changed. */
    everythingChanged,
    /**
     * Schedules a complete comparison that ignores all records about the mailbox at Cloudflare, because the mailbox may
     * be a new one.
     */
    mailboxChanged(): void {
      comparison.clear();
      everythingChanged();
    },

    status: (): CopiesStatus => ({
      copies: book.stamps.size,
      leftOut: isOn() ? book.leftOut.size : 0,
      toCopy: isOn() ? Math.max(book.changed(), isCompared && !news.isDue() ? 0 : 1) : 0,
      toRemove: isOn() ? removals.count() : 0,
      ...(error !== undefined && { error }),
    }),

    start(): void {
      timer = setInterval(look, deps.everyMs ?? usualMs).unref();
    },

    /**
     * Continues pending work now instead of waiting for the next scheduled attempt. Called when the computer wakes up,
     * when the owner asks for it, and when the mailbox is turned on or off.
     */
    wake(): void {
      isWoken = true;
      look();
    },

    /**
     * Copies the latest changes now, because this server is about to stop. Waits for at most 2 s. The rest is copied
     * after the next start.
     */
    async hurry(): Promise<void> {
      if (!isOn() || book.changed() === 0) return;
      isWoken = true;
      look();
      await Promise.race([running, pause(deps.hurryMs ?? usualHurryMs, undefined, { ref: false })]);
    },

    /** Stops within about 2 s. Unfinished work continues after the next start. */
    async stop(): Promise<void> {
      stopping.abort();
      clearInterval(timer);
      const giveUp = setTimeout(() => ending.abort(), farewellMs);
      await Promise.all([running, ...underWay]);
      clearTimeout(giveUp);
    },
  };
}
