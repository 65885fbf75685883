import type { OwnerApi } from '../contract/contract.ts';
import { isRecord } from '../storage/json-value.ts';

/**
 * Returns the owner's API, but it calls `changed` after each call that may have stored or deleted the aggregator token.
 * No event reports this, and checking at other times could bring up the keychain's password prompt.
 */
export function withTokenNews(owner: OwnerApi, changed: () => void): OwnerApi {
  return {
    subscribe: (listener) => owner.subscribe(listener),
    async call(method, params) {
      const reply = await owner.call(method, params);
      // Runs even after a failed call: an import that fails later has already stored its token.
      const isNew = method === 'webmentions.import' && isRecord(params) && 'aggregatorToken' in params;
      if (isNew || method === 'secrets.setAggregatorToken') changed();
      return reply;
    },
  };
}
