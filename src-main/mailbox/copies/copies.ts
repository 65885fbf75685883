import { setTimeout as pause } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import type { MailboxStatus } from '../../contract/reach.ts';
import { PorchlightError } from '../../contract/error.ts';
import type { Post } from '../../contract/posts.ts';
import { closed } from '../../contract/shapes.ts';
import type { Log } from '../../platform/log.ts';
import { pauseAfter, scheduleOf } from '../../platform/retry-schedule.ts';
import { postUrls } from '../../posts/address.ts';
import { isReadable } from '../../posts/visibility.ts';
import type { Attempt, Outcome } from '../../storage/work/work-kind.ts';
import type { WorkQueue } from '../../storage/work/work.ts';
import { addressOfPath, fixedIn, isPostAddress, comparableUrl, type CopiedSite } from './copied-addresses.ts';
import { createCopier, type CopierDeps } from './copier.ts';
import { createSweep, type SweepDeps } from './sweep.ts';

export interface CopiesDeps
  extends
    CopiedSite,
    Pick<CopierDeps, 'store' | 'ask' | 'changed' | 'mostBytes'>,
    Pick<SweepDeps, 'posts' | 'versions' | 'now' | 'restMs'> {
  readonly work: Pick<WorkQueue, 'defineWork'>;
  readonly log: Log;
  /** Returns whether the owner uses the mailbox at Cloudflare. If not, nothing is sent. */
  readonly isOn: () => boolean;
  /** Returns whether this server accepts requests. While it doesn't, the copies stay unchanged. */
  readonly isServing: () => boolean;
  /** The interval at which changes are sent, in ms. */
  readonly everyMs?: number;
  /** The maximum time for which a change waits for the removals that it causes, in ms. */
  readonly removalMs?: number;
  /** The maximum time to wait for the last copies before this server stops, in ms. */
  readonly flushMs?: number;
}

interface EverythingChange {
  readonly removed?: readonly string[];
  readonly isNew?: boolean;
}

const usualMs = 3000;
const usualRemovalMs = 3000;
const usualFlushMs = 2000;
/** The maximum time for the last removals when this server stops, in ms. */
const farewellMs = 2000;
const otherWords = 'The mailbox couldn’t be brought up to date. Porchlight will try again.';

/** `names`: the URLs by which pages show what is removed; see `comparableUrl`. The key is its address on this server. */
const Removal = closed({ names: Type.Array(Type.String()) });
type Removal = Static<typeof Removal>;

/** The numbers of the mailbox's status. `error`: why the last attempt failed, as a message for the owner. */
type CopiesStatus = Pick<MailboxStatus, 'copies' | 'leftOut' | 'toCopy' | 'toRemove'> & {
  readonly error?: string;
};

export type Copies = ReturnType<typeof openCopies>;

/** The most removals that are done together. */
const mostTogether = 100;

/**
 * Opens the service that keeps the copies in the mailbox at Cloudflare identical to this server's public pages. Sends
 * nothing before `start`. A sweep finds what changed. When content stops being public, its removal is work in the queue
 * until the mailbox has confirmed it.
 */
export function openCopies(deps: CopiesDeps) {
  const { log, now, isOn, changed, base } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const ending = new AbortController();
  const first = new Set<string>();
  const again = (address: string) => void first.add(address);
  const copier = createCopier({ ...deps, site: deps, again, stopping: signal, ended: ending.signal });
  const sweep = createSweep({ ...deps, site: deps, copier, first, stopping: signal });
  let loading: Promise<void> | undefined;
  let isLoaded = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> | undefined;
  /** The removals in progress. Includes the removals for which `lose` no longer waits. */
  const underWay = new Set<Promise<unknown>>();
  let failures = 0;
  let error: string | undefined;
  /** The earliest time for the next attempt (performance.now). Calling `wake` starts an attempt earlier. */
  let nextAt = 0;
  let isWoken = false;

  const removals = deps.work.defineWork({
    kind: 'mailbox-removal',
    payload: Removal,
    retries: scheduleOf('publishing'),
    mayRun: () => timer !== undefined && !signal.aborted && isOn() && deps.isServing(),
    added: changed,
    removed: changed,
    batch: {
      room() {
        let left = mostTogether;
        return () => (left -= 1) > 0;
      },
      run: removeTogether,
    },
  });

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

  /** Returns whether the mailbox at Cloudflare may have a copy, as far as this run knows. */
  const mayBeCopied = (address: string) => !isLoaded || copier.stamps.has(address);

  /** Deletes all records about the mailbox at Cloudflare. Called when the owner no longer has a mailbox. */
  async function forget(): Promise<void> {
    if (loading === undefined && removals.size === 0) return;
    loading = undefined;
    isLoaded = false;
    [error, failures, nextAt] = [undefined, 0, 0];
    copier.clear();
    sweep.clear();
    await removals.cancel(...Array.from(removals.entries(), ({ key }) => key));
    changed();
  }

  /**
   * Removes content from the mailbox at Cloudflare because the content is no longer public. Never rejects. Resolves to
   * the words for the owner if it fails.
   */
  function remove(addresses: readonly string[], names: readonly string[]): Promise<string | undefined> {
    const removing = loaded()
      .then(() => copier.removeLost(addresses, names))
      .then(() => undefined, failed)
      .finally(() => underWay.delete(removing));
    underWay.add(removing);
    return removing;
  }

  async function removeTogether(
    attempts: readonly Attempt<Removal>[],
  ): Promise<ReadonlyMap<string, Outcome<Removal>>> {
    // What the copies from earlier runs name is unknown before the first sweep, so more of them may show the content.
    const isKnown = sweep.isCompared();
    const keys = attempts.map(({ key }) => key);
    const words = await remove(
      keys,
      attempts.flatMap(({ payload }) => payload.names),
    );
    const removed: Outcome<Removal> = { kind: isKnown ? 'done' : 'held' };
    return new Map(
      keys.map((key) => [key, words === undefined ? removed : { kind: 'failed', words, mayPass: true }]),
    );
  }

  /**
   * Records that content is no longer public, and removes it from the mailbox at Cloudflare. Resolves once the mailbox
   * has confirmed the removal, or after `removalMs`.
   */
  async function lose(addresses: readonly string[], names: readonly string[]): Promise<void> {
    const limitMs = deps.removalMs ?? usualRemovalMs;
    const all = new Set(addresses);
    try {
      const works = Array.from(all, (key) => {
        const known = removals.find(key)?.payload.names ?? [];
        return { key, party: '', host: '', payload: { names: [...new Set([...names, ...known])] } };
      });
      await removals.add(...works);
      await removals.runNow({ only: ({ key }) => all.has(key), limitMs });
    } catch (failure) {
      // On a full disk, the content is removed all the same. If that fails, the next sweep removes it.
      log.warn({ err: failure }, 'a removal could not be noted');
      sweep.request();
      await Promise.race([remove(addresses, names), pause(limitMs, undefined, { ref: false })]);
    }
  }

  /** Notes a failure, and when to try again. Returns its words for the owner. */
  function failed(failure: unknown): string {
    const words = failure instanceof PorchlightError ? failure.message : otherWords;
    // These errors are expected: the server was turned off, or stopping it interrupted all calls.
    const isExpected =
      failure instanceof PorchlightError && ['cancelled', 'server_off'].includes(failure.code);
    if (signal.aborted || isExpected) return words;
    log.warn({ err: failure }, 'the copies in the mailbox could not be brought up to date');
    error = words;
    failures += 1;
    nextAt = performance.now() + (pauseAfter('publishing', failures) ?? 0);
    changed();
    return words;
  }

  async function bringUpToDate(isSoon: boolean): Promise<void> {
    await loaded();
    const outcomes = await removals.runNow();
    if ([...outcomes.values()].some((outcome) => outcome?.kind === 'failed')) return;
    const isNews = await sweep.run(isSoon);
    if (sweep.isCompared() && removals.size > 0) removals.wake();
    if (!isNews && failures === 0) return;
    [error, failures, nextAt] = [undefined, 0, 0];
    changed();
  }

  /** Starts the work that is due. */
  function startDue(): void {
    if (running !== undefined || signal.aborted) return;
    if (isOn() && !deps.isServing()) return;
    if (isOn() && !isWoken && performance.now() < nextAt) return;
    running = (isOn() ? bringUpToDate(isWoken) : forget()).catch(failed).finally(() => (running = undefined));
    isWoken = false;
  }

  return {
    /**
     * Records a change to a post. Call this before reporting the change as done. If content became private, resolves
     * when the mailbox at Cloudflare has no copies of it, or after `removalMs`. Removals that are still pending stay in
     * the queue.
     */
    async postChanged({ post, before }: { post: Post; before?: Post | undefined }): Promise<void> {
      if (!isOn()) return;
      const all = before ? [post, before] : [post];
      const paths = all.map(({ path }) => addressOfPath(path));
      // For a private post, nothing is requested, so that the mailbox at Cloudflare never learns its address.
      if (!all.some((one) => isReadable(one, now())) && !paths.some((one) => copier.stamps.has(one))) return;
      const names = all.flatMap((one) => postUrls(base(), one).map((url) => comparableUrl(url, base())));
      sweep.note([...paths, ...fixedIn(deps)], names);
      changed();
      if (!isReadable(post, now())) await lose(paths, names);
    },

    /**
     * Records a change to the mentions of the page at a URL. `showsLess`: a mention is no longer public. In that case,
     * waits up to `removalMs` until the page's copy is updated or removed.
     */
    async pageChanged(url: string, showsLess: boolean): Promise<void> {
      if (!isOn() || !URL.canParse(url)) return;
      const { origin, pathname } = new URL(url);
      const isOurs = origin === new URL(base()).origin;
      // The pages that list a post show how many mentions it has.
      const names =
        isOurs && !isPostAddress(pathname) ? [] : [isOurs ? pathname : comparableUrl(url, base())];
      sweep.note(isOurs ? copier.at(pathname) : [], names);
      changed();
      if (!showsLess) return;
      sweep.mayDiffer(); // then the pictures that no page shows any more are removed
      if (isOurs && mayBeCopied(pathname)) await lose([pathname], names);
    },

    /**
     * Records that the file at a path was deleted. Waits up to `removalMs` for its copy, and those of its versions, to
     * be removed. `versions`: the paths that versions of the file can have.
     */
    async mediaDeleted(path: string, versions: readonly string[] = []): Promise<void> {
      if (!isOn()) return;
      const names = [addressOfPath(path), ...versions.map(addressOfPath).filter(mayBeCopied)];
      await lose(names, names);
    },

    /**
     * Schedules a sweep. Called when content that all pages show has changed. `removed`: the addresses of pages of the
     * owner that were removed. `isNew`: whether the mailbox at Cloudflare may be a new one.
     */
    everythingChanged({ removed = [], isNew = false }: EverythingChange = {}): void {
      removed.forEach(again);
      if (isNew) copier.gone.clear();
      sweep.request();
      if (isOn()) changed();
    },

    status: (): CopiesStatus => ({
      copies: copier.stamps.size,
      leftOut: isOn() ? copier.leftOut.size : 0,
      toCopy: isOn() ? sweep.waiting() : 0,
      toRemove: isOn() ? removals.size : 0,
      ...(error !== undefined && { error }),
    }),

    start(): void {
      timer = setInterval(startDue, deps.everyMs ?? usualMs).unref();
    },

    /**
     * Continues pending work now instead of waiting for the next scheduled attempt. Called when the computer wakes up,
     * when the owner asks for it, and when the mailbox is turned on or off.
     */
    wake(): void {
      isWoken = true;
      startDue();
    },

    /**
     * Copies the latest changes now, because this server is about to stop. Waits for at most 2 s. The rest is copied
     * after the next start.
     */
    async flush(): Promise<void> {
      if (!isOn() || (first.size === 0 && !(sweep.isCompared() && sweep.waiting() > 0))) return;
      isWoken = true;
      startDue();
      await Promise.race([running, pause(deps.flushMs ?? usualFlushMs, undefined, { ref: false })]);
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
