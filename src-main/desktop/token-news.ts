import type { OwnerApi } from '../contract/contract.ts';

/**
 * The owner's API; calls `changed` after each call that may change whether a token of the aggregator is stored. No event
 * tells of it, and to look at other times may bring up the keychain's password prompt.
 */
export function withTokenNews(owner: OwnerApi, changed: () => void): OwnerApi {
  return {
    subscribe: (listener) => owner.subscribe(listener),
    async call(method, params) {
      const reply = await owner.call(method, params);
      // Also where it failed: an import that breaks off later has stored its token already.
      if (method === 'secrets.setAggregatorToken' || (method === 'webmentions.import' && bringsToken(params)))
        changed();
      return reply;
    },
  };
}

function bringsToken(params: unknown): boolean {
  return typeof params === 'object' && params !== null && 'aggregatorToken' in params;
}
