import { Type, type Static } from 'typebox';
import { closed, Id, Moment } from '../contract/shapes.ts';

/** A mention that was sent here, and what has become of it so far. */
export const QueueEntry = closed({
  /** Names its status page. */
  token: Id,
  source: Type.String({ maxLength: 2048 }),
  target: Type.String({ maxLength: 2048 }),
  received: Moment,
  /** `waiting`: not settled yet. `success`: kept. `removed`: its source took the link away. `failed`: given up. */
  state: Type.Union([
    Type.Literal('waiting'),
    Type.Literal('success'),
    Type.Literal('removed'),
    Type.Literal('failed'),
  ]),
  /** Tries that failed and count. */
  tries: Type.Integer({ minimum: 0 }),
  /** Tries before it was due, since the last one that counted: somebody asked for them. */
  early: Type.Integer({ minimum: 0 }),
  /** When it is to be tried next. */
  next: Moment,
  /** When it was last tried. */
  tried: Type.Optional(Moment),
  /** In words: why it failed, or why it is tried again. */
  words: Type.Optional(Type.String({ maxLength: 1000 })),
});
export type QueueEntry = Static<typeof QueueEntry>;
export const queueLineFormat = { schema: QueueEntry, format: 1 };

/** What names a mention: a source mentions a target once (WR-5). */
export const pairOf = ({ source, target }: { source: string; target: string }) => `${source}\n${target}`;
export const waits = ({ state }: QueueEntry) => state === 'waiting';

/** Returns whether an entry was checked a moment ago and then sent again: it is checked once when its turn comes. */
export const rests = ({ tried, words, next }: QueueEntry, now: number) =>
  tried !== undefined && words === undefined && Date.parse(next) > now;

/** `queue.json`, before there was a journal: those that wait in the order of their turn, then the settled ones, oldest first. */
const QueueDocument = closed({ entries: Type.Array(QueueEntry) });
export type QueueDocument = Static<typeof QueueDocument>;
export const formerQueueFormat = { schema: QueueDocument, format: 1, initial: { entries: [] } };
