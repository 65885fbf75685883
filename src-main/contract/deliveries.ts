import { Type, type Static } from 'typebox';
import { Address, choice, closed, method, Moment } from './shapes.ts';

/** A webmention that this server sends for a post. `no-endpoint`: the linked page doesn't accept webmentions. */
export const Delivery = closed({
  source: Type.String(),
  target: Type.String(),
  state: choice('waiting', 'sent', 'failed', 'no-endpoint'),
  /** The result of the delivery, or the reason why it is waiting, as text for the owner. */
  words: Type.String(),
  at: Moment,
  /** The URL of the copy of the post that a cross-posting service made; absent if there is none. */
  copy: Type.Optional(Type.String()),
});
export type Delivery = Static<typeof Delivery>;

/**
 * The data of the `deliveries.changed` event, which is sent when a post's outgoing webmentions have changed. `source`:
 * the post's URL.
 */
export const DeliveriesChange = closed({ source: Type.String() });

export const deliveryMethods = {
  /** Lists a post's outgoing webmentions, including those that are waiting to be sent. */
  'webmentions.deliveries': method(closed({ source: Address }), Type.Array(Delivery)),
  /** Queues another attempt to send a post's webmention to one page. Returns the queued deliveries. */
  'webmentions.retryDelivery': method(closed({ source: Address, target: Address }), Type.Array(Delivery)),
};
