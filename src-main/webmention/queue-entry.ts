import { Type, type Static } from 'typebox';
import { choice, closed, Id, Moment } from '../contract/shapes.ts';

/** A mention that was sent to this server, and its state so far. */
export const QueueEntry = closed({
  /** Identifies the mention's status page. */
  token: Id,
  source: Type.String({ maxLength: 2048 }),
  target: Type.String({ maxLength: 2048 }),
  received: Moment,
  /** `waiting`: not settled yet. `success`: accepted. `removed`: its source removed the link. `failed`: given up. */
  state: choice('waiting', 'success', 'removed', 'failed'),
  /** Failed attempts that count towards the limit. */
  tries: Type.Integer({ minimum: 0 }),
  /** Attempts that somebody requested before the mention was due, since the attempt that is due next was scheduled. */
  early: Type.Integer({ minimum: 0 }),
  /** When the next attempt is due. */
  next: Moment,
  /** When the last attempt was made. */
  tried: Type.Optional(Moment),
  /** In words: why the mention failed, or why it is tried again. */
  words: Type.Optional(Type.String({ maxLength: 1000 })),
});
export type QueueEntry = Static<typeof QueueEntry>;
export const queueLineFormat = { schema: QueueEntry, format: 1 };

/** Returns the key of a mention: a source mentions a target only once (WR-5). */
export const pairOf = ({ source, target }: { source: string; target: string }) => `${source}\n${target}`;
export const waits = ({ state }: QueueEntry) => state === 'waiting';

/** Returns whether an entry was sent again shortly after a check. It is checked once more when it becomes due. */
export const rests = ({ tried, words, next }: QueueEntry, now: number) =>
  tried !== undefined && words === undefined && Date.parse(next) > now;
