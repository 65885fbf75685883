import { Type, type Static } from 'typebox';
import { Delivery } from '../../contract/deliveries.ts';
import { closed, Moment } from '../../contract/shapes.ts';

const { target, state, words, at } = Delivery.properties;

/** A page that a post has notified or is about to notify. */
export const Entry = closed({
  target,
  state,
  words,
  at,
  /** Whether the post links the page now. If not, the page is notified that the link is gone. */
  linked: Type.Boolean(),
  /** Whether the page may know of the post, so that it must be notified if the link is removed. */
  told: Type.Boolean(),
  /**
   * The number of rounds so far. Each change, retry or report of responses starts one. A delivery from an earlier round
   * doesn't count for a later one.
   */
  round: Type.Integer(),
  /** Attempts in this round. */
  attempts: Type.Integer(),
  /** When to send; null if there is nothing to send. */
  due: Type.Union([Moment, Type.Null()]),
  /** Set if this round only reports new responses: the page knew of the post before. */
  forResponses: Type.Optional(Type.Literal(true)),
  /** Set if responses appeared during this round: the receiver may have read the post before that. */
  moreResponses: Type.Optional(Type.Literal(true)),
  /** The page on which the other site reports progress (the Location of a 201). */
  statusPage: Type.Optional(Type.String()),
});
export type Entry = Static<typeof Entry>;

/** `outbox/<hash>.json`: what a post sends from one of its addresses, and the results. */
const SentByPost = closed({
  path: Type.String(),
  /** The post's former paths. Pages that were notified from such a path are notified from it again. */
  formerPaths: Type.Array(Type.String()),
  entries: Type.Array(Entry),
});
export type SentByPost = Static<typeof SentByPost>;
export const sentFormat = {
  schema: SentByPost,
  format: 1,
  initial: { path: '', formerPaths: [], entries: [] },
};

/** `outbox.json`: the paths of the posts that have something to send. */
const Outbox = closed({ posts: Type.Array(Type.String()) });
export type Outbox = Static<typeof Outbox>;
export const outboxFormat = { schema: Outbox, format: 1, initial: { posts: [] } };
