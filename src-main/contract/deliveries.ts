import { Type, type Static } from 'typebox';
import { Address, choice, closed, method, Moment } from './shapes.ts';

/** A webmention that this server sends for a post. `no-endpoint`: the linked page accepts no webmentions. */
export const Delivery = closed({
  source: Type.String(),
  target: Type.String(),
  state: choice('waiting', 'sent', 'failed', 'no-endpoint'),
  /** What happened, or what the delivery is waiting for, in words for the owner. */
  words: Type.String(),
  at: Moment,
});
export type Delivery = Static<typeof Delivery>;

/** A change to the webmentions that a post sends. `source`: the post's URL. */
export const DeliveriesChange = closed({ source: Type.String() });

export const deliveryMethods = {
  /** Lists the webmentions of a post: those that were sent, and those that are waiting to be sent. */
  'webmentions.deliveries': method(closed({ source: Address }), Type.Array(Delivery)),
  /** Queues a post's webmention to one page to be sent again. Returns the deliveries that it queued. */
  'webmentions.retryDelivery': method(closed({ source: Address, target: Address }), Type.Array(Delivery)),
};
