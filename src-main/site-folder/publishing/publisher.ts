import { type Static, Type } from 'typebox';
import { closed } from '../../contract/shapes.ts';

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

/**
 * What the queue stores about an entry: a post or file that a publisher has to update. It doesn't describe the change,
 * because the publisher always publishes the current state.
 */
export const PublishingPayload = closed({
  /** When the change was made, in ms since the epoch. */
  since: Type.Integer(),
  /** When the entry entered its current state, in ms. */
  stateSince: Type.Integer(),
  /**
   * The files that earlier attempts were about to write, with their SHA-256 in hex. If Porchlight was killed, the
   * hashes show which files Porchlight wrote and which files the owner wrote.
   */
  writing: Type.Record(Type.String(), Type.Array(Type.String())),
  /** Set if the owner chose to overwrite the conflicting files. */
  replace: Type.Optional(Type.Literal(true)),
  /** Set if WebSub subscribers don't need to be notified of the change. All entries with this flag share one commit. */
  quiet: Type.Optional(Type.Literal(true)),
  /** Set if the owner asked for another check of a published entry. */
  isAsked: Type.Optional(Type.Literal(true)),
});
export type PublishingPayload = Static<typeof PublishingPayload>;

const publisherNames = ['posts', 'mentions', 'redirects'] as const;

/**
 * `posts`: the posts in the owner's folder. `mentions`: the folder's data files with mentions. `redirects`: the former
 * URLs of posts.
 */
export type PublisherName = (typeof publisherNames)[number];

/** What a publisher has to update. */
export interface PublishingEntry extends PublishingPayload {
  readonly publisher: PublisherName;
  /**
   * What to publish: the path of a post, the URL of a page (for its mentions), or the name of a file (for redirects).
   */
  readonly key: string;
  /** The number of failed attempts in the current state. */
  readonly failures: number;
  /**
   * Set if the only remaining task is to check for files that arrive late. Such files come from a push that seemed to
   * fail or was still running when Porchlight quit.
   */
  readonly watched?: true;
}

/** Returns the id of an entry. The queue and Porchlight's window use the same id. */
export const entryId = ({ publisher, key }: Pick<PublishingEntry, 'publisher' | 'key'>) =>
  `${publisher}:${key}`;

/** Returns the publisher and the key in an id; undefined if there is no such publisher. */
export function partsOfId(id: string): Pick<PublishingEntry, 'publisher' | 'key'> | undefined {
  const end = id.indexOf(':');
  const publisher = publisherNames.find((name) => name === id.slice(0, end));
  return publisher && { publisher, key: id.slice(end + 1) };
}

/** Returns the files of earlier attempts, together with the files that a new attempt is about to write. */
export function withFiles(
  writing: PublishingEntry['writing'],
  files: Readonly<Record<string, string>>,
): PublishingEntry['writing'] {
  const added = Object.entries(files).map(([file, hash]): [string, string[]] => [
    file,
    [...new Set([...(writing[file] ?? []), hash])],
  ]);
  return { ...writing, ...Object.fromEntries(added) };
}
