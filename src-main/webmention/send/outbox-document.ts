import { Type, type Static } from 'typebox';
import { Delivery } from '../../contract/deliveries.ts';
import { closed, Moment } from '../../contract/shapes.ts';

const { target, state, words, at } = Delivery.properties;

/** One page that a post tells, told or is to tell. */
export const Entry = closed({
  target,
  state,
  words,
  at,
  /** The post links the page now: false where it is told that the link is gone. */
  linked: Type.Boolean(),
  /** The page may know of the post, so that it has to hear when the link goes. */
  told: Type.Boolean(),
  /** Counts the changes of the post, so that what was sent before one does not pass for what is to be sent after it. */
  round: Type.Integer(),
  /** Tries in this round. */
  attempts: Type.Integer(),
  /** When it is to be sent; null where it is not. */
  due: Type.Union([Moment, Type.Null()]),
  /** This round tells only of new responses: the page heard of the post before. */
  forResponses: Type.Optional(Type.Literal(true)),
  /** Responses that were shown while this round was under way: the page may have been read before. */
  moreResponses: Type.Optional(Type.Literal(true)),
  /** Where the other site says how it goes (the Location of a 201). */
  statusPage: Type.Optional(Type.String()),
});
export type Entry = Static<typeof Entry>;

/** `outbox/<hash>.json`: what one address of a post sends, and what became of it. */
const SentByPost = closed({
  path: Type.String(),
  /** Where the post was before; pages that were told from there are told from there again. */
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
