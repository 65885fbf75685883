import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { Moment, closed } from './shapes.ts';

/** A webmention that this server sends for a post. */
export const Delivery = closed({
  source: Type.String(),
  target: Type.String(),
  state: Type.Union([
    Type.Literal('waiting'),
    Type.Literal('sent'),
    Type.Literal('failed'),
    /** The page that was linked takes no webmentions. */
    Type.Literal('no-endpoint'),
  ]),
  /** In words: what happened, or what is waited for. */
  words: Type.String(),
  at: Moment,
});
export type Delivery = Static<typeof Delivery>;

/** Something of what a post sends changed. `source`: the post's address. */
export const DeliveriesChange = closed({ source: Type.String() });

const Address = Type.String({ minLength: 1, maxLength: 4096 });

export const deliveryMethods = {
  /** What was sent, or waits to be, for a post. */
  'webmentions.deliveries': method(closed({ source: Address }), Type.Array(Delivery)),
  /** Sends a post's mention to one page again; answers what waits now. */
  'webmentions.retryDelivery': method(closed({ source: Address, target: Address }), Type.Array(Delivery)),
};
