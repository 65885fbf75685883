import { Type, type Static } from 'typebox';
import { choice, closed, Moment } from '../../contract/shapes.ts';

/**
 * A line of `publishing/journal.jsonl`: something that a publisher has to bring up to date. The newest line of a key
 * replaces the older ones. It names what has changed, not how: the publisher reads the current state when it works.
 */
export const PublishingEntry = closed({
  /** `posts`: the posts in the owner's folder. `mentions`: its data files. */
  publisher: choice('posts', 'mentions'),
  /** What it is about: a post's path, or a page's URL. */
  key: Type.String(),
  /**
   * `waiting`: to be published. `building`: published, and not live yet. `conflict`: the owner has to decide. `done`:
   * nothing is left to do.
   */
  state: choice('waiting', 'building', 'conflict', 'done'),
  /** When the change was made. */
  since: Moment,
  /** When the state began. */
  stateSince: Moment,
  /** When the next attempt is due. */
  due: Moment,
  /** Failed attempts in this state. */
  failures: Type.Integer(),
  /** What happened last, in words for the owner; empty if nothing did. */
  words: Type.String(),
  /**
   * The files that earlier attempts were about to write, with their SHA-256 in hex. They tell a file that Porchlight wrote
   * before it was killed from a file of the owner.
   */
  writing: Type.Record(Type.String(), Type.Array(Type.String())),
  /** Set if the owner chose to overwrite the files with which the entry is in conflict. */
  replace: Type.Optional(Type.Literal(true)),
  /** Set if the change is not news, so that it is announced to nobody. Such entries share one commit. */
  quiet: Type.Optional(Type.Literal(true)),
  /** Set once the owner was told that the page is not live. */
  late: Type.Optional(Type.Literal(true)),
});
export type PublishingEntry = Static<typeof PublishingEntry>;
export type PublisherName = PublishingEntry['publisher'];

export const publishingFormat = { schema: PublishingEntry, format: 1 };

/** Returns what identifies an entry, also for the window. */
export const entryId = ({ publisher, key }: Pick<PublishingEntry, 'publisher' | 'key'>) =>
  `${publisher}:${key}`;
