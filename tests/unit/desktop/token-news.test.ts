import { expect, test, vi } from 'vitest';
import type { Reply } from '../../../src-main/contract/contract.ts';
import { withTokenNews } from '../../../src-main/desktop/token-news.ts';

function scene(reply: Reply = { result: {} }) {
  const changed = vi.fn();
  const call = vi.fn(() => {
    // Nothing is stored yet.
    expect(changed).not.toHaveBeenCalled();
    return Promise.resolve(reply);
  });
  return { changed, call, owner: withTokenNews({ call, subscribe: () => () => undefined }, changed) };
}

const failed: Reply = { error: { code: 'aggregator_failed', message: 'It broke off.' } };

test.each([
  ['a token is set or taken away', 'secrets.setAggregatorToken', { token: '' }, undefined],
  ['an import brings one', 'webmentions.import', { aggregatorToken: 'a-token' }, undefined],
  ['an import that brought one breaks off', 'webmentions.import', { aggregatorToken: 'a-token' }, failed],
])('the token is checked at once %s', async (_when, method, params, reply) => {
  const { owner, call, changed } = scene(reply);
  expect(await owner.call(method, params)).toEqual(reply ?? { result: {} });
  expect(call).toHaveBeenCalledExactlyOnceWith(method, params);
  expect(changed).toHaveBeenCalledOnce();
});

test.each([
  ['webmentions.import', {}],
  ['webmentions.importState', {}],
  ['settings.update', { aggregatorToken: 'x' }],
  ['webmentions.import', null],
])('%s with %j asks no keychain', async (method, params) => {
  const { owner, changed } = scene();
  await owner.call(method, params);
  expect(changed).not.toHaveBeenCalled();
});
