import type { Handlers } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type { Delivery } from '../../src-main/contract/posts.ts';

/** What the posts of a lived-in house told whom. `at`: minutes from now to a moment. */
export function someDeliveries(at: (minutes: number) => string): Delivery[] {
  const source = 'https://porch.marlow.example/posts/2026/11/fog';
  const title = 'Fog over the harbour, before anybody was up';
  const deliveries: Delivery[] = [
    {
      source,
      target: 'https://wren.example/notes/harbour',
      state: 'sent',
      words: 'Sent. The other site will check it later.',
      at: at(-190),
    },
    {
      source,
      target: 'https://sol.example/' + 'a-very-long-walk-along-the-harbour-wall/'.repeat(4),
      state: 'failed',
      words: 'The other site refused it: target not found.',
      at: at(-185),
    },
    {
      source,
      target: 'https://weather.example/today',
      state: 'no-endpoint',
      words: 'This page does not accept webmentions.',
      at: at(-189),
    },
    {
      source,
      target: 'https://brid.gy/publish/mastodon',
      state: 'sent',
      words: 'Cross-posted to mastodon.example.',
      at: at(-188),
      copy: 'https://mastodon.example/@ada/115000000000000001',
    },
    {
      source,
      target: 'https://news.indieweb.org/en',
      state: 'failed',
      words: 'The other server did not accept it (400): “Could not find a syndication or category link.”',
      at: at(-187),
    },
    {
      source,
      target: 'https://slow.example/',
      state: 'waiting',
      words: 'The other site did not answer. Porchlight will try again.',
      at: at(-20),
    },
  ];
  return deliveries.map((delivery) => ({ ...delivery, title }));
}

type DeliveryHandlers = Pick<Handlers, `webmentions.${'deliveries' | 'failedDeliveries' | 'retryDelivery'}`>;

/** The part of a service for `house` that has to do with what posts send. */
export function deliveryHandlers(house: { deliveries: Delivery[] }): DeliveryHandlers {
  return {
    'webmentions.deliveries': ({ source }) => house.deliveries.filter((one) => one.source === source),
    'webmentions.failedDeliveries': () => house.deliveries.filter(({ state }) => state === 'failed'),
    'webmentions.retryDelivery': ({ source, target }) => {
      const isMeant = (one: Delivery) => one.source === source && one.target === target;
      if (!house.deliveries.some(isMeant))
        throw new PorchlightError('not_found', 'Nothing was sent from this page.', 404);
      house.deliveries = house.deliveries.map((one) =>
        isMeant(one) ? { ...one, state: 'waiting', words: 'Waiting to be sent.' } : one,
      );
      return house.deliveries.filter(isMeant);
    },
  };
}
