import { setTimeout as pause } from 'node:timers/promises';
import { Type } from 'typebox';
import type { MailboxStatus } from '../../contract/reach.ts';
import { PorchlightError } from '../../contract/error.ts';
import type { Post } from '../../contract/posts.ts';
import type { Log } from '../../platform/log.ts';
import { pauseAfter, scheduleOf } from '../../platform/retry-schedule.ts';
import { isReadable } from '../../posts/visibility.ts';
import type { DefinedWork, Outcome } from '../../storage/work/work-kind.ts';
import type { WorkQueue } from '../../storage/work/work.ts';
import { addressOfPath, type CopiedSite, fixedIn } from './copied-addresses.ts';
import { Copier, type CopierOptions } from './copier.ts';
import { Sweep, type SweepOptions } from './sweep.ts';

export interface CopiesOptions
  extends
    CopiedSite,
    Pick<CopierOptions, 'store' | 'ask' | 'changed' | 'mostBytes'>,
    Pick<SweepOptions, 'posts' | 'versions' | 'now' | 'restMs'> {
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

const usualMs = 3000;
const usualRemovalMs = 3000;
const usualFlushMs = 2000;
/** The maximum time for the last removals when this server stops, in ms. */
const farewellMs = 2000;
const otherWords = 'The mailbox couldn’t be brought up to date. Porchlight will try again.';

/** The numbers of the mailbox's status. `error`: why the last attempt failed, as a message for the owner. */
type CopiesStatus = Pick<MailboxStatus, 'copies' | 'leftOut' | 'toCopy' | 'toRemove'> & {
  readonly error?: string;
};

/** The most removals that are done together. */
const mostTogether = 100;

/**
 * Keeps the copies in the mailbox at Cloudflare identical to this server's public pages. Sends nothing before `start`. A
 * sweep finds what changed. When content stops being public, its removal is work in the queue until its own copies are
 * removed and a sweep has compared all others.
 */
export class Copies {
  readonly #options: CopiesOptions;
  readonly #stopping = new AbortController();
  readonly #ending = new AbortController();
  readonly #first = new Set<string>();
  readonly #copier: Copier;
  readonly #sweep: Sweep;
  readonly #removals: DefinedWork<unknown>;
  /** The removals whose own copies are removed, with the number of removals (Copier.losses) at that time. */
  readonly #removed = new Map<string, number>();
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> | undefined;
  /** The removals in progress. Includes the removals for which `#lose` no longer waits. */
  readonly #underWay = new Set<Promise<unknown>>();
  #failures = 0;
  #error: string | undefined;
  /** The earliest time for the next attempt (performance.now). Calling `wake` starts an attempt earlier. */
  #nextAt = 0;
  #isWoken = false;

  constructor(options: CopiesOptions) {
    this.#options = options;
    const again = (address: string) => void this.#first.add(address);
    const common = { ...options, site: options, stopping: this.#stopping.signal };
    this.#copier = new Copier({ ...common, again, ended: this.#ending.signal });
    this.#sweep = new Sweep({
      ...common,
      copier: this.#copier,
      first: this.#first,
      isRemoving: () => this.#removals.size + this.#removed.size > 0,
    });
    this.#removals = options.work.defineWork({
      kind: 'mailbox-removal',
      // The key is an address on this server.
      payload: Type.Unknown(),
      retries: scheduleOf('publishing'),
      mayRun: () =>
        this.#timer !== undefined && !this.#stopping.signal.aborted && options.isOn() && options.isServing(),
      added: options.changed,
      removed: options.changed,
      batch: {
        room() {
          let left = mostTogether;
          return () => (left -= 1) > 0;
        },
        run: (attempts) => this.#removeTogether(attempts.map(({ key }) => key)),
      },
    });
  }

  /**
   * Records a change to a post. Call this before reporting the change as done. If content became private, resolves
   * when the mailbox at Cloudflare has no copies of it, or after `removalMs`. Removals that are still pending stay in
   * the queue.
   */
  async postChanged({ post, before }: { post: Post; before?: Post | undefined }): Promise<void> {
    const { isOn, now, changed } = this.#options;
    if (!isOn()) return;
    const all = before ? [post, before] : [post];
    const paths = all.map(({ path }) => addressOfPath(path));
    // For a private post, nothing is requested, so that the mailbox at Cloudflare never learns its address.
    const isCopied = paths.some((one) => this.#copier.stamps.has(one));
    if (!all.some((one) => isReadable(one, now())) && !isCopied) return;
    this.#sweep.note([...paths, ...fixedIn(this.#options)]);
    changed();
    if (!isReadable(post, now())) await this.#lose(paths);
  }

  /**
   * Records a change to the mentions of the page at a URL. `showsLess`: a mention is no longer public. In that case,
   * waits up to `removalMs` until the page's copy is updated or removed.
   */
  async pageChanged(url: string, showsLess: boolean): Promise<void> {
    const { isOn, base, changed } = this.#options;
    if (!isOn() || !URL.canParse(url)) return;
    const { origin, pathname } = new URL(url);
    const isOurs = origin === new URL(base()).origin;
    this.#sweep.note(isOurs ? this.#copier.at(pathname) : []);
    // Other pages show how many mentions the page has.
    this.#sweep.mayDiffer();
    changed();
    if (showsLess && isOurs && this.#mayBeCopied(pathname)) await this.#lose([pathname]);
  }

  /**
   * Records that the file at a path was deleted. Waits up to `removalMs` for its copy, and those of its versions, to
   * be removed. `versions`: the paths that versions of the file can have.
   */
  async mediaDeleted(path: string, versions: readonly string[] = []): Promise<void> {
    if (!this.#options.isOn()) return;
    const copied = versions.map(addressOfPath).filter((address) => this.#mayBeCopied(address));
    await this.#lose([addressOfPath(path), ...copied]);
  }

  /**
   * Schedules a sweep. Called when content that all pages show has changed. `removed`: the addresses of pages of the
   * owner that were removed. `isNew`: whether the mailbox at Cloudflare may be a new one.
   */
  everythingChanged({ removed, isNew }: { removed?: readonly string[]; isNew?: boolean } = {}): void {
    for (const address of removed ?? []) this.#first.add(address);
    if (isNew) this.#copier.gone.clear();
    this.#sweep.request();
    if (this.#options.isOn()) this.#options.changed();
  }

  status(): CopiesStatus {
    const isOn = this.#options.isOn();
    return {
      copies: this.#copier.stamps.size,
      leftOut: isOn ? this.#copier.leftOut.size : 0,
      toCopy: isOn ? this.#sweep.waiting() : 0,
      toRemove: isOn ? this.#removals.size : 0,
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  start(): void {
    this.#timer = setInterval(() => this.#startDue(), this.#options.everyMs ?? usualMs).unref();
  }

  /**
   * Continues pending work now instead of waiting for the next scheduled attempt. Called when the computer wakes up,
   * when the owner asks for it, and when the mailbox is turned on or off.
   */
  wake(): void {
    this.#isWoken = true;
    this.#startDue();
  }

  /**
   * Copies the latest changes now, because this server is about to stop. Waits for at most 2 s. The rest is copied
   * after the next start.
   */
  async flush(): Promise<void> {
    const isBehind = this.#first.size > 0 || (this.#sweep.isCompared && this.#sweep.waiting() > 0);
    if (!this.#options.isOn() || !isBehind) return;
    this.wake();
    await Promise.race([this.#running, rest(this.#options.flushMs ?? usualFlushMs)]);
  }

  /** Stops within about 2 s. Unfinished work continues after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    const giveUp = setTimeout(() => this.#ending.abort(), farewellMs);
    await Promise.all([this.#running, ...this.#underWay]);
    clearTimeout(giveUp);
  }

  /** Resolves once the list of the copies in the mailbox at Cloudflare is loaded. */
  #loaded(): Promise<void> {
    this.#loading ??= this.#copier.load().then(
      () => void (this.#isLoaded = true),
      (failure: unknown) => {
        this.#loading = undefined;
        throw failure;
      },
    );
    return this.#loading;
  }

  /** Returns whether the mailbox at Cloudflare may have a copy, as far as this run knows. */
  #mayBeCopied(address: string): boolean {
    return !this.#isLoaded || this.#copier.stamps.has(address);
  }

  /** Deletes all records about the mailbox at Cloudflare. Called when the owner no longer has a mailbox. */
  async #forget(): Promise<void> {
    if (this.#loading === undefined && this.#removals.size === 0) return;
    this.#loading = undefined;
    this.#isLoaded = false;
    this.#succeeded();
    this.#copier.clear();
    this.#sweep.clear();
    this.#removed.clear();
    await this.#removals.cancel(...Array.from(this.#removals.entries(), ({ key }) => key));
    this.#options.changed();
  }

  /** Updates or removes the copies at addresses, and requests a sweep. Never rejects. Resolves to the words for the owner if it fails. */
  #remove(addresses: readonly string[]): Promise<string | undefined> {
    const removing = this.#loaded()
      .then(() => this.#copier.removeLost(addresses))
      .then(
        () => {
          for (const address of addresses) this.#removed.set(address, this.#copier.losses);
          this.#sweep.mayDiffer();
          return undefined;
        },
        (failure: unknown) => this.#failed(failure),
      )
      .finally(() => this.#underWay.delete(removing));
    this.#underWay.add(removing);
    return removing;
  }

  /** Removes the own copies of removals. The work stays until a sweep has compared all other copies. */
  async #removeTogether(keys: readonly string[]): Promise<ReadonlyMap<string, Outcome<unknown>>> {
    const words = await this.#remove(keys);
    const outcome: Outcome<unknown> =
      words === undefined ? { kind: 'held' } : { kind: 'failed', words, mayPass: true };
    return new Map(keys.map((key) => [key, outcome]));
  }

  /** Ends the removals since which everything was compared. */
  async #endRemovals(): Promise<void> {
    const ended = [...this.#removed].filter(([, losses]) => losses <= this.#sweep.coveredLosses);
    if (ended.length === 0) return;
    for (const [key] of ended) this.#removed.delete(key);
    // On a full disk, a removal may not be in the queue.
    const queued = ended.map(([key]) => key).filter((key) => this.#removals.entry(key) !== undefined);
    if (queued.length > 0) await this.#removals.cancel(...queued);
  }

  /**
   * Records that content is no longer public, and removes it from the mailbox at Cloudflare. Resolves once no copy shows
   * it, or after `removalMs`.
   */
  async #lose(addresses: readonly string[]): Promise<void> {
    const limit = rest(this.#options.removalMs ?? usualRemovalMs);
    const keys = new Set(addresses);
    try {
      for (const key of keys) this.#removed.delete(key);
      await this.#removals.add(...Array.from(keys, (key) => ({ key, party: '', host: '', payload: null })));
      const removed = this.#removals.runNow({ only: ({ key }) => keys.has(key) });
      await Promise.race([limit, removed.then(() => this.#swept(keys))]);
    } catch (failure) {
      // On a full disk, the content is removed all the same. If that fails, the next sweep removes it.
      this.#options.log.warn({ err: failure }, 'a removal could not be noted');
      this.#sweep.request();
      await Promise.race([limit, this.#remove(addresses).then(() => this.#swept(keys))]);
    }
  }

  /** Has everything compared now. Resolves once that is done for these removals, or has failed. */
  async #swept(keys: ReadonlySet<string>): Promise<void> {
    await this.#running;
    this.wake();
    do await this.#running;
    while (this.#running !== undefined && [...keys].some((key) => this.#removed.has(key)));
  }

  /** Notes a failure, and when to try again. Returns its words for the owner. */
  #failed(failure: unknown): string {
    const words = failure instanceof PorchlightError ? failure.message : otherWords;
    // These errors are expected: the server was turned off, or stopping it interrupted all calls.
    const isExpected =
      failure instanceof PorchlightError && ['cancelled', 'server_off'].includes(failure.code);
    if (this.#stopping.signal.aborted || isExpected) return words;
    this.#options.log.warn({ err: failure }, 'the copies in the mailbox could not be brought up to date');
    this.#error = words;
    this.#failures += 1;
    this.#nextAt = performance.now() + (pauseAfter('publishing', this.#failures) ?? 0);
    this.#options.changed();
    return words;
  }

  #succeeded(): void {
    this.#error = undefined;
    [this.#failures, this.#nextAt] = [0, 0];
  }

  async #bringUpToDate(isSoon: boolean): Promise<void> {
    await this.#loaded();
    const outcomes = await this.#removals.runNow({ only: ({ key }) => !this.#removed.has(key) });
    if ([...outcomes.values()].some((outcome) => outcome?.kind === 'failed')) return;
    let isNews: boolean;
    try {
      isNews = await this.#sweep.run(isSoon || this.#removals.size > 0);
    } finally {
      await this.#endRemovals();
    }
    if (!isNews && this.#failures === 0) return;
    this.#succeeded();
    this.#options.changed();
  }

  /** Starts the work that is due. */
  #startDue(): void {
    const isOn = this.#options.isOn();
    if (this.#running !== undefined || this.#stopping.signal.aborted) return;
    if (isOn && !this.#options.isServing()) return;
    if (isOn && !this.#isWoken && performance.now() < this.#nextAt) return;
    this.#running = (isOn ? this.#bringUpToDate(this.#isWoken) : this.#forget())
      .catch((failure: unknown) => this.#failed(failure))
      .finally(() => {
        this.#running = undefined;
        if (this.#isWoken) this.#startDue();
      });
    this.#isWoken = false;
  }
}

const rest = (ms: number) => pause(ms, undefined, { ref: false });
