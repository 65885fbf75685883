import { Type, type Static } from 'typebox';
import { choice, closed, Moment } from '../../contract/shapes.ts';

/**
 * A line of `publishing/journal.jsonl`: a post or file that a publisher has to update. The newest line with a given key
 * replaces the older ones. A line doesn't describe the change, because the publisher always publishes the current
 * state.
 */
export const PublishingEntry = closed({
  /**
   * `posts`: the posts in the owner's folder. `mentions`: the folder's data files with mentions. `redirects`: the
   * former URLs of posts.
   */
  publisher: choice('posts', 'mentions', 'redirects'),
  /**
   * What to publish: the path of a post, the URL of a page (for its mentions), or the name of a file (for redirects).
   */
  key: Type.String(),
  /**
   * `waiting`: not published yet. `building`: published, but not live yet. `conflict`: the owner has to decide. `done`:
   * there is nothing left to do.
   */
  state: choice('waiting', 'building', 'conflict', 'done'),
  /** When the change was made. */
  since: Moment,
  /** When the entry entered its current state. */
  stateSince: Moment,
  /** When the next attempt is due. */
  due: Moment,
  /** The number of failed attempts in the current state. */
  failures: Type.Integer(),
  /** A message for the owner about the most recent event; empty if there was none. */
  words: Type.String(),
  /**
   * The files that earlier attempts were about to write, with their SHA-256 in hex. If Porchlight was killed, the
   * hashes show which files Porchlight wrote and which files the owner wrote.
   */
  writing: Type.Record(Type.String(), Type.Array(Type.String())),
  /** Set if the owner chose to overwrite the conflicting files. */
  replace: Type.Optional(Type.Literal(true)),
  /** Set if WebSub subscribers don't need to be notified of the change. All entries with this flag share one commit. */
  quiet: Type.Optional(Type.Literal(true)),
  /**
   * Set if the only remaining task is to check for files that arrive late. Such files come from a push that seemed to
   * fail or was still running when Porchlight quit.
   */
  watched: Type.Optional(Type.Literal(true)),
  /** Set once the owner was notified that the page isn't live. */
  late: Type.Optional(Type.Literal(true)),
});
export type PublishingEntry = Static<typeof PublishingEntry>;
export type PublisherName = PublishingEntry['publisher'];

export const publishingFormat = { schema: PublishingEntry, format: 1 };

/** Returns the id of an entry. Porchlight's window uses the same id. */
export const entryId = ({ publisher, key }: Pick<PublishingEntry, 'publisher' | 'key'>) =>
  `${publisher}:${key}`;
