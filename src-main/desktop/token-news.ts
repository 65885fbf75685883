import type { OwnerApi } from '../contract/contract.ts';
import { isRecord } from '../storage/json-value.ts';

/**
 * Wraps the owner's API so that it calls `changed` after each call that may have stored or deleted the token for
 * webmention.io. No event reports such a change, and reading the keychain at other times could show its password
 * prompt.
 */
export function withTokenNews(owner: OwnerApi, changed: () => void): OwnerApi {
  return {
    subscribe: (listener) => owner.subscribe(listener),
    async call(method, params) {
      const reply = await owner.call(method, params);
      // Check this after a failed call too, because a failed import may already have stored its token.
      const isNew = method === 'webmentions.import' && isRecord(params) && 'aggregatorToken' in params;
      if (isNew || method === 'secrets.setAggregatorToken') changed();
      return reply;
    },
  };
}
