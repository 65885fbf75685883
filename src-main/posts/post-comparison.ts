import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RetryLater } from '../http/errors.ts';
import type { Log } from '../platform/log.ts';
import { monthsIn, namesIn, stampOf } from '../storage/file-facts.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import { CompareFailed, startCompareThread } from './compare-thread.ts';
import { type IndexedPage, searchPosts } from './indexed-lists.ts';
import type { PostIndex } from './post-index.ts';
import { isListComplete, postMonths, type ListQuery } from './post-months.ts';
import { postPlace, type PostPlace } from './post-path.ts';
import { type ComparedBatch, reconcilePosts } from './post-reconcile.ts';
import type { PostLists, PostPage } from './post-store.ts';

/** Up to this many documents are compared without a thread, because starting one takes longer. */
const fewDocuments = 200;
/**
 * How long a list waits for its months to be indexed, in ms. If a thread indexes many documents, no list waits, because a
 * visitor who waits is charged a part of everything that this server does meanwhile.
 */
const listPatienceMs = 1000;
/** How long to wait before another attempt after a failed comparison, in ms. */
const againMs = 5000;
/**
 * How often pages in memory become outdated while posts are indexed, in ms. Making them anew after each batch would cost
 * their visitors too much. When they were made, they showed the documents as these are.
 */
const renewEveryMs = 5000;
/** The shortest time between two messages about the progress, in ms. */
const reportEveryMs = 1000;
/** How often the documents of a page may change while the page is made. */
const mostRounds = 10;

interface ComparisonOptions {
  readonly dir: string;
  readonly index: IndexDatabase;
  readonly rows: PostIndex;
  /**
   * Opens a document, which recovers it if it is broken, finishes the move of its post, and updates its row.
   */
  readonly settle: (place: PostPlace) => Promise<void>;
  readonly addressesChanged: (addresses: readonly string[]) => void;
  /** Called when all documents have been compared. `isWhole`: whether all of them could be read. */
  readonly ended: (isWhole: boolean) => void;
  /** Called when the progress has changed. */
  readonly changed: () => void;
  readonly log: Pick<Log, 'warn'> | undefined;
}

/** The documents that have been compared with the index since the start. */
export interface IndexProgress {
  readonly done: number;
  readonly total: number;
}

const listsNotReady = () =>
  new RetryLater(
    'The lists of posts are being prepared. This takes a moment. Try again in a few seconds.',
    retryAfterMs,
    503,
  );
const retryAfterMs = 3000;

/**
 * Compares all documents with the index, newest month first, after every start, because somebody may have changed them
 * while Porchlight was off. Lists don't wait for this: see `page`. Only the months that the index lacks, because it is
 * new, keep lists waiting.
 */
export function startComparison(options: ComparisonOptions) {
  const { dir, index, rows, settle, addressesChanged, log } = options;
  const months = postMonths(index);
  const closing = new AbortController();
  /** The months that are not known to match their documents; undefined until they are listed. */
  let doubtful: Set<string> | undefined;
  /** The months of which documents may be missing in the index; undefined if the index is new. */
  let missing = months.isEmpty() ? undefined : new Set(months.missing());
  let progress: IndexProgress | undefined;
  let conflicts: string[] = [];
  let reportedAt = -Infinity;
  let isOutdated = false;
  let renewedAt = -Infinity;
  /** Whether a thread compares the documents. */
  let isLong = false;
  let first: (month: string) => void = () => undefined;
  let wake: () => void = () => undefined;
  let step = nextStep();
  let failed: unknown;
  let running = run();
  running.catch(() => undefined);

  function nextStep(): Promise<void> {
    return new Promise((resolve) => (wake = resolve));
  }

  function advance(): void {
    wake();
    step = nextStep();
    report();
  }

  /** Tells about the progress, at most once a second. Without progress, tells only that it has ended. */
  function report(): void {
    const isShown = shownProgress() !== undefined;
    if (isShown ? performance.now() - reportedAt < reportEveryMs : reportedAt === -Infinity) return;
    reportedAt = isShown ? performance.now() : -Infinity;
    options.changed();
  }

  const shownProgress = (): IndexProgress | undefined =>
    missing?.size === 0 || closing.signal.aborted ? undefined : progress;

  async function run(): Promise<void> {
    try {
      await compareAll();
    } catch (error) {
      if (error instanceof CompareFailed && error.isDamaged) index.foundDamaged(error);
      log?.warn({ err: error }, 'the posts could not be compared with their index');
      advance();
      throw error;
    }
  }

  async function compareAll(): Promise<void> {
    const all = [...new Set([...(await monthsIn(dir)), ...rows.months()])].sort().reverse();
    months.expect(all);
    doubtful = new Set(all);
    missing = new Set(months.missing());
    conflicts = [];
    advance();
    let isWhole = true;
    let total = 0;
    for (const month of all)
      total += (await namesIn(join(dir, month))).filter((name) => name.endsWith('.json')).length;
    progress = { done: 0, total };
    /** Batches are followed one after another. A month counts as compared once its last batch is. */
    let following = Promise.resolve();
    const compared = (found: ComparedBatch): void => {
      if (found.isChanged) isOutdated = true;
      index.wasWritten();
      if (performance.now() - renewedAt >= renewEveryMs) renew();
      addressesChanged(found.addresses);
      following = following.then(async () => {
        for (const place of found.left) if (!(await settled(place))) isWhole = false;
        follow(found);
      });
    };
    const waiting = [...all];
    if (index.file === undefined || total <= fewDocuments)
      await reconcilePosts({ dir, index, months: waiting, signal: closing.signal, compared });
    else await inThread({ dir, file: index.file, months: waiting }, compared);
    await following;
    renew();
    closing.signal.throwIfAborted();
    progress = undefined;
    options.ended(isWhole);
    advance();
  }

  /** Makes the pages that show posts outdated, if rows have changed since the last call. */
  function renew(): void {
    if (!isOutdated) return;
    isOutdated = false;
    renewedAt = performance.now();
    index.versions.changed('posts');
  }

  async function inThread(
    data: Parameters<typeof startCompareThread>[0],
    compared: (found: ComparedBatch) => void,
  ): Promise<void> {
    const thread = startCompareThread(data, compared);
    const stop = () => thread.stop();
    closing.signal.addEventListener('abort', stop, { once: true });
    if (closing.signal.aborted) stop();
    first = (month) => thread.first(month);
    isLong = true;
    try {
      await thread.done;
    } finally {
      closing.signal.removeEventListener('abort', stop);
      first = () => undefined;
      isLong = false;
    }
  }

  async function settled(place: PostPlace): Promise<boolean> {
    if (closing.signal.aborted) return false;
    try {
      await settle(place);
      return true;
    } catch (error) {
      log?.warn({ err: error, ...place }, 'a post could not be read');
      return false;
    }
  }

  function follow({ month, files, conflicts: more, isLast }: ComparedBatch): void {
    conflicts.push(...more);
    if (progress) progress = { ...progress, done: Math.min(progress.total, progress.done + files) };
    report();
    if (!isLast || closing.signal.aborted) return;
    doubtful?.delete(month);
    missing?.delete(month);
    advance();
  }

  /** Resolves once all documents have been compared. Rejects if `close` stops that. */
  async function whole(): Promise<void> {
    await running.catch((error: unknown) => {
      closing.signal.throwIfAborted();
      again(error);
      return running;
    });
  }

  /** Compares the documents again after the comparison failed with `error`, unless somebody has begun that. */
  function again(error: unknown): void {
    if (failed === error) return;
    failed = error;
    running = delay(againMs, undefined, { ref: false, signal: closing.signal }).then(run);
    running.catch(() => undefined);
  }

  /** Waits until `isReady` returns true. @throws RetryLater (503) if that takes too long */
  async function patiently(isReady: () => boolean | Promise<boolean>): Promise<void> {
    const end = performance.now() + listPatienceMs;
    while (!(await isReady())) {
      closing.signal.throwIfAborted();
      running.catch((error: unknown) => again(error));
      const left = end - performance.now();
      if (left <= 0 || isLong) throw listsNotReady();
      await Promise.race([step, delay(left, undefined, { ref: false })]);
    }
  }

  /** Updates the rows of the posts on a page whose documents have changed. Returns whether the page shows the rest. */
  async function isShown({ items, stamps }: IndexedPage, unreadable: Set<string>): Promise<boolean> {
    const old = await Promise.all(
      items.map(async ({ path }, number) => {
        const place = postPlace(path);
        if (place === undefined || unreadable.has(path)) return undefined;
        if (doubtful !== undefined && !doubtful.has(place.month)) return undefined;
        const stamp = await stampOf(join(dir, place.month, `${place.slug}.json`)).catch(() => '');
        return stamp !== '' && stamp === stamps[number] ? undefined : { place, path };
      }),
    );
    const changed = old.filter((one) => one !== undefined);
    for (const { place, path } of changed) if (!(await settled(place))) unreadable.add(path);
    return changed.length === 0;
  }

  return {
    whole,
    /** Returns whether the index has all posts, as far as is known. */
    hasAll: () => missing?.size === 0,
    /** Returns how far the comparison is while lists have to wait for it; undefined otherwise. */
    progress: shownProgress,
    /** Returns the paths of files, below the folder of posts, in which other programs kept versions of documents. */
    conflicts: (): readonly string[] => conflicts,

    /**
     * Resolves once all posts of a month are in the index, so that their slugs are known. Call it before the month gets a
     * post.
     */
    async month(month: string): Promise<void> {
      while (missing === undefined || missing.has(month)) {
        closing.signal.throwIfAborted();
        if (doubtful !== undefined) first(month);
        await Promise.race([step, running.catch((error: unknown) => again(error))]);
      }
      try {
        await index.writable();
        months.begin(month);
      } catch (error) {
        // The next start reads the month again.
        log?.warn({ err: error }, 'the index of posts could not be written');
      }
    },

    /**
     * Returns a page of a list, as `find` finds it in the index. Before that, updates the rows of the posts on the page
     * whose documents have changed, unless their months have been compared.
     * @throws RetryLater (503) if months of the list are not in the index yet
     */
    async page<P extends IndexedPage>(find: () => P | Promise<P>, query: ListQuery): Promise<P> {
      const unreadable = new Set<string>();
      let found = await find();
      for (let round = 0; ; round += 1) {
        if (round > mostRounds) throw listsNotReady();
        if (!isListComplete(found, query, missing)) {
          await patiently(async () => isListComplete((found = await find()), query, missing));
        }
        if (await isShown(found, unreadable)) break;
        found = await find();
      }
      return { ...found, items: found.items.filter(({ path }) => !unreadable.has(path)) };
    },

    /** Resolves once the index has all posts. @throws RetryLater (503) if that takes too long */
    all: () => patiently(() => missing?.size === 0),

    /** Resolves once all documents have been compared. @throws RetryLater (503) if that takes too long */
    compared: () => patiently(() => doubtful?.size === 0),

    /** Stops comparing. */
    async close(): Promise<void> {
      closing.abort();
      wake();
      await running.catch(() => undefined);
    },
  };
}

/** Returns the lists, which wait until `ready` resolves with the index. */
export const waitingLists = (index: IndexDatabase, ready: () => Promise<PostIndex>): PostLists => ({
  list: async (page) => withoutStamps((await ready()).page(page)),
  categories: async (reader) => (await ready()).categories(reader),
  sizes: async (list, now, name) => (await ready()).sizes(list, now, name),
  async search(search) {
    await ready();
    return withoutStamps(await searchPosts(index, search));
  },
  nextPublication: async (now) => (await ready()).nextPublication(now),
  cursorsEvery: async (count, now) => (await ready()).cursorsEvery(count, now),
});

interface QuickListsDeps {
  readonly rows: PostIndex;
  readonly comparison: ReturnType<typeof startComparison>;
}

/** Returns the lists that don't wait for the comparison with the documents; see PostStore.soon. */
export const quickLists = (index: IndexDatabase, { rows, comparison }: QuickListsDeps): PostLists => ({
  ...waitingLists(index, () => comparison.all().then(() => rows)),
  list: async (page) => withoutStamps(await comparison.page(() => rows.page(page), page)),
  async categories(reader) {
    // The name of a category may come from a post that is private by now.
    await comparison.compared();
    return rows.categories(reader);
  },
  async sizes(list, now, name) {
    await (list === 'category' && name === undefined ? comparison.compared() : comparison.all());
    return rows.sizes(list, now, name);
  },
  async search(search) {
    const find = (): Promise<Omit<IndexedPage, 'before'>> => searchPosts(index, search);
    return withoutStamps(await comparison.page(find, { after: search.after }));
  },
  nextPublication: (now) => Promise.resolve(rows.nextPublication(now)),
});

const withoutStamps = ({ items, after, before }: PostPage): PostPage => ({
  items,
  ...(after !== undefined && { after }),
  ...(before !== undefined && { before }),
});
