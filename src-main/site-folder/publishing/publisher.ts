import type { PublisherName, PublishingEntry } from './publishing-entry.ts';

/** The outcome of a publishing attempt for an entry. */
export type Outcome =
  /** Nothing is left to do. */
  | { readonly kind: 'done' }
  /** The entry is published. `check` has to confirm that it is live. */
  | { readonly kind: 'building' }
  /** The attempt failed. The queue tries again after the usual pause. */
  | { readonly kind: 'failed'; readonly words: string }
  /** Nothing failed, but the next attempt is due at `at` (ms). */
  | { readonly kind: 'later'; readonly words: string; readonly at: number }
  /**
   * The only task left is to check at `at` (ms) whether a push that arrived late has restored files of a withdrawn
   * post.
   */
  | { readonly kind: 'watched'; readonly at: number }
  /** The owner has to decide what to do. */
  | { readonly kind: 'conflict'; readonly words: string };

/** The outcome of checking whether an entry is live. */
export type CheckOutcome = Extract<Outcome, { kind: 'done' | 'failed' | 'later' | 'watched' }>;

export interface PublishingWork {
  readonly signal: AbortSignal;
  /**
   * Records on disk the files that a publisher is about to write: a map from each entry's id to the entry's files, each
   * with its SHA-256 in hex.
   * @throws PorchlightError `storage_…`
   */
  readonly begin: (writing: ReadonlyMap<string, Readonly<Record<string, string>>>) => Promise<void>;
}

/** Updates content outside this server, such as the owner's folder. Repeating a call has no further effect. */
export interface Publisher {
  readonly name: PublisherName;
  /**
   * The maximum number of entries for a call of `publish`. `news`: the maximum number of entries that aren't `quiet`,
   * each of which gets its own commit.
   */
  readonly batch: { readonly all: number; readonly news: number };
  /**
   * Publishes the current state of the posts or files that the entries name. Returns the outcome of each entry, keyed
   * by the entry's id. Rejects only if a problem affects all entries.
   */
  publish(entries: readonly PublishingEntry[], work: PublishingWork): Promise<ReadonlyMap<string, Outcome>>;
  /** Checks whether the published content is live. */
  check?(entry: PublishingEntry, signal: AbortSignal): Promise<CheckOutcome>;
}
