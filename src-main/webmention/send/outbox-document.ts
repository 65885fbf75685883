import { Type, type Static } from 'typebox';
import { Delivery } from '../../contract/deliveries.ts';
import { closed, Moment } from '../../contract/shapes.ts';

const { target, state, words, at, copy } = Delivery.properties;

/** A page that was notified of a post, or is about to be notified. */
export const Entry = closed({
  target,
  state,
  words,
  at,
  /** Whether the post links to the page now. If not, the page is notified that the link was removed. */
  linked: Type.Boolean(),
  /** Whether the page may have been notified of the post. If so, it must also be notified when the link is removed. */
  told: Type.Boolean(),
  /**
   * The source URL with which the page was notified, if that URL is on the owner's own site. Absent if the source was
   * the post's URL on this server, or if the page was never notified.
   */
  from: Type.Optional(Type.String()),
  /**
   * The number of sending rounds so far. Each change to the post, each retry by the owner and each report of new
   * responses starts a round. A delivery's result counts only for its own round.
   */
  round: Type.Integer(),
  /** The number of attempts in this round. */
  attempts: Type.Integer(),
  /** The time at which to notify the page; null if there is nothing to send. */
  due: Type.Union([Moment, Type.Null()]),
  /** Set if the other page was already notified of the post, and this round only tells it about new responses. */
  forResponses: Type.Optional(Type.Literal(true)),
  /** Set if responses appeared during this round, perhaps after the receiver had read the post. */
  moreResponses: Type.Optional(Type.Literal(true)),
  /** The URL at which the other site reports progress (the Location of a 201). */
  statusPage: Type.Optional(Type.String()),
  copy,
});
export type Entry = Static<typeof Entry>;

/** `outbox/<hash>.json`: the webmentions sent from one path of a post, and their results. */
const SentByPost = closed({
  path: Type.String(),
  /**
   * The post's former paths. A page that was notified with the post's URL at a former path is notified of later changes
   * with the same URL.
   */
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
const OutboxPosts = closed({ posts: Type.Array(Type.String()) });
export type OutboxPosts = Static<typeof OutboxPosts>;
export const outboxFormat = { schema: OutboxPosts, format: 1, initial: { posts: [] } };
