import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createDueOrder } from '../../storage/work/due-order.ts';
import type { Log } from '../../platform/log.ts';
import { plausibleDue } from '../../platform/retry-schedule.ts';
import { oneAtATime } from '../../storage/one-at-a-time.ts';
import { boundedCache } from '../../storage/bounded-cache.ts';
import { openDocument, type Document } from '../../storage/document.ts';
import type { DurableFileOptions } from '../../storage/durable-file.ts';
import {
  outboxFormat,
  sentFormat,
  type Entry,
  type OutboxPosts as OutboxDocument,
  type SentByPost,
} from './outbox-document.ts';

/** A page that is waiting to be notified. Never modified: a change creates a new object. */
export interface Waiting {
  /** Identifies the combination of path and target. */
  readonly key: string;
  readonly path: string;
  readonly target: string;
  /** The host of the target. */
  readonly host: string;
  /** The time at which to notify the page, in ms since the epoch. */
  readonly due: number;
  readonly round: number;
  /** Whether the page is notified only once the post is published. */
  readonly isScheduled: boolean;
}

export interface OutboxOptions extends Pick<DurableFileOptions<unknown>, 'onRecovered' | 'operations'> {
  /** The folder that holds the webmentions, with `outbox.json` and `outbox/`. */
  readonly dir: string;
  readonly log: Log;
  /** Returns the time in ms since the epoch. */
  readonly now: () => number;
}

/**
 * Stores the webmentions of posts on disk. Each post has its own document (`outbox/<hash>.json`), so the cost of a
 * change depends on the number of links in the post, not on the number of webmentions ever sent. `outbox.json` lists
 * the posts that have something to send, so that only their documents are read at startup. A post is added to this list
 * before its first webmention is queued, and removed when none of its webmentions is waiting.
 */
export interface Outbox {
  /**
   * Returns the posts that had something left to send when Porchlight last stopped.
   * @throws PorchlightError as openDocument does
   */
  open(): Promise<readonly string[]>;
  /** Loads the unsent webmentions of a post. Never rejects: errors are logged. */
  load(path: string): Promise<void>;
  read(path: string): Promise<Readonly<SentByPost>>;
  /**
   * Changes a post's webmentions. Resolves with the result of `edit` once the change is on disk.
   * @throws PorchlightError `storage_…`
   */
  change<R>(path: string, edit: (post: SentByPost) => R): Promise<R>;
  /** Returns the waiting page with this key; undefined if the page is no longer waiting. */
  waiting(key: string): Waiting | undefined;
  /**
   * Returns the pages that have become due since the last call, starting with those that have waited longest. `now` in
   * ms.
   */
  takeDue(now: number): Waiting[];
  /** Reschedules a page that `takeDue` returned. `at`: the new time, in ms. */
  putBack(waiting: Waiting, at: number): void;
  /** Returns when the next page becomes due, in ms; Infinity if no page will become due. */
  nextDue(): number;
}

const mostOpen = 64;

export function createOutbox({ dir, log, now, ...files }: OutboxOptions): Outbox {
  /** The pages that are waiting to be notified: in `posts` by the post's path, in `current` by the page's key. */
  const posts = new Map<string, readonly Waiting[]>();
  const current = new Map<string, Waiting>();
  const order = createDueOrder<Waiting>((waiting) => current.get(waiting.key) === waiting);
  const turns = boundedCache(0, () => Promise.resolve(oneAtATime()));
  const documents = boundedCache(mostOpen, (path) =>
    openDocument({
      ...files,
      file: join(dir, 'outbox', `${nameOf(path)}.json`),
      ...sentFormat,
      initial: { ...sentFormat.initial, path },
    }),
  );
  let opened: Promise<Document<OutboxDocument>> | undefined;
  let lookedAt = now();
  const openList = () =>
    (opened ??= openDocument({
      ...files,
      file: join(dir, 'outbox.json'),
      ...outboxFormat,
    }));

  async function name(path: string): Promise<void> {
    const list = await openList();
    if (list.data.posts.includes(path)) return;
    await list.update(({ posts }) => {
      if (!posts.includes(path)) posts.push(path);
    });
  }

  /**
   * Updates the list of a post's waiting pages from the post's document. If nothing is left to send, removes the post
   * from `outbox.json`.
   */
  async function look(path: string, { entries }: Readonly<SentByPost>): Promise<void> {
    const waiting = entries.flatMap((entry) => waitingOf(path, entry));
    note(path, waiting.map(plausible));
    if (waiting.length > 0) return;
    const list = await openList();
    if (!list.data.posts.includes(path)) return;
    await list.update((outbox) => {
      outbox.posts = outbox.posts.filter((other) => other !== path);
    });
  }

  /** Moves an attempt to an earlier time if it was scheduled too far ahead because the clock was wrong. */
  function plausible(one: Waiting): Waiting {
    return one.isScheduled ? one : { ...one, due: plausibleDue('delivery', one.due, now()) };
  }

  function note(path: string, waiting: readonly Waiting[]): void {
    const before = new Map(posts.get(path)?.map((one) => [one.key, one]));
    for (const key of before.keys()) current.delete(key);
    // Reuse the same object for a waiting page that hasn't changed, because a delivery in progress may use it.
    const after = waiting.map((one) => {
      const same = before.get(one.key);
      return same?.due === one.due && same.round === one.round ? same : one;
    });
    for (const one of after) {
      current.set(one.key, one);
      if (before.get(one.key) !== one) order.add(one, one.due);
    }
    if (after.length > 0) posts.set(path, after);
    else posts.delete(path);
  }

  /** Runs work on a post after all earlier work on the same post has finished. */
  const inTurn = <R>(path: string, work: (post: Document<SentByPost>) => Promise<R>): Promise<R> =>
    turns.use(path, (turn) => turn(() => documents.use(path, work)));

  return {
    async open() {
      const { data } = await openList();
      return data.posts;
    },

    async load(path) {
      try {
        await inTurn(path, (post) => look(path, post.data));
      } catch (error) {
        log.error({ err: error, path }, 'What a post sends could not be read.');
      }
    },

    read: (path) => documents.use(path, ({ data }) => data),

    change: (path, edit) =>
      inTurn(path, async (post) => {
        await name(path);
        const result = await post.update(edit);
        await look(path, post.data);
        return result;
      }),

    waiting: (key) => current.get(key),
    takeDue(moment) {
      if (moment < lookedAt) for (const [path, waiting] of [...posts]) note(path, waiting.map(plausible));
      lookedAt = moment;
      const due: Waiting[] = [];
      for (let one = order.take(moment); one !== undefined; one = order.take(moment)) due.push(one);
      return due;
    },
    putBack: (waiting, at) => order.add(waiting, at),
    nextDue: () => order.next(),
  };
}

function waitingOf(path: string, entry: Entry): Waiting[] {
  const { state, target, round, due, at, attempts, forResponses } = entry;
  if (state !== 'waiting' || due === null || !URL.canParse(target)) return [];
  const { host } = new URL(target);
  const isScheduled = attempts === 0 && forResponses !== true && due > at;
  return [{ key: `${path} ${target}`, path, target, host, due: Date.parse(due), round, isScheduled }];
}

function nameOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 32);
}
