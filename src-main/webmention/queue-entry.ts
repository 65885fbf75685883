import { Type, type Static } from 'typebox';
import { choice, closed, Id, Moment } from '../contract/shapes.ts';

/** A mention that was sent to this server, and its current state. */
export const QueueEntry = closed({
  /** The identifier of the mention's status page. */
  token: Id,
  source: Type.String({ maxLength: 2048 }),
  target: Type.String({ maxLength: 2048 }),
  received: Moment,
  /**
   * `waiting`: still to be checked. `success`: accepted. `removed`: its source removed the link. `failed`: not
   * accepted.
   */
  state: choice('waiting', 'success', 'removed', 'failed'),
  /** The number of failed attempts that count (see Postponement.costs). */
  tries: Type.Integer({ minimum: 0 }),
  /** The number of early attempts (before the mention was due) since the last regular attempt. */
  early: Type.Integer({ minimum: 0 }),
  /** The time of the next attempt. */
  next: Moment,
  /** The time of the last attempt. */
  tried: Type.Optional(Moment),
  /** A human-readable message that says why the mention failed, or why it will be tried again. */
  words: Type.Optional(Type.String({ maxLength: 1000 })),
});
export type QueueEntry = Static<typeof QueueEntry>;
export const queueLineFormat = { schema: QueueEntry, format: 1 };

/**
 * Returns the key of a mention. The key consists of source and target, because a source can mention a target only once
 * (WR-5).
 */
export const pairOf = ({ source, target }: { source: string; target: string }) => `${source}\n${target}`;
export const waits = ({ state }: QueueEntry) => state === 'waiting';

/**
 * Returns whether a mention was sent again shortly after a check. Such a mention is checked once more when its entry is
 * due.
 */
export const rests = ({ tried, words, next }: QueueEntry, now: number) =>
  tried !== undefined && words === undefined && Date.parse(next) > now;
