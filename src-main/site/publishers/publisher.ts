import type { PublisherName, PublishingEntry } from './publishing-entry.ts';

/** What became of an entry. */
export type Outcome =
  /** Nothing is left to do. */
  | { readonly kind: 'done' }
  /** Published. `check` has to see it live. */
  | { readonly kind: 'building' }
  /** To be tried again after the usual pause. */
  | { readonly kind: 'failed'; readonly words: string }
  /** To be published at `at` (ms). Nothing went wrong. */
  | { readonly kind: 'later'; readonly words: string; readonly at: number }
  /** The owner has to decide. */
  | { readonly kind: 'conflict'; readonly words: string };

export interface PublishingWork {
  readonly signal: AbortSignal;
  /**
   * Records on disk which files entries are about to write: entry id -> file -> SHA-256 in hex.
   * @throws PorchlightError `storage_…`
   */
  readonly begin: (writing: ReadonlyMap<string, Readonly<Record<string, string>>>) => Promise<void>;
}

/** Brings a place outside this server up to date. Doing the same twice has the effect of doing it once. */
export interface Publisher {
  readonly name: PublisherName;
  /** The most entries that `publish` takes at a time. */
  readonly batch: number;
  /** Publishes the current state of what the entries name. Returns an outcome for each, by id. Rejects for none alone. */
  publish(entries: readonly PublishingEntry[], work: PublishingWork): Promise<ReadonlyMap<string, Outcome>>;
  /** Looks whether what was published is live. */
  check?(entry: PublishingEntry, signal: AbortSignal): Promise<Outcome>;
}
