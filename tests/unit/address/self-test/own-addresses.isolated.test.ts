import { describe, expect, test } from 'vitest';
import { buildPublicApp } from '../../../../src-main/http/app.ts';
import { createPublicCheck } from '../../../../src-main/http/public-check.ts';
import { createOwnAddresses } from '../../../../src-main/address/self-test/self-test.ts';
import { FetchError, type GuardedFetch } from '../../../../src-main/platform/guarded-fetch.ts';
import { silentLog } from '../../../../src-main/platform/log.ts';

type Seen = Partial<Record<4 | 6, string>>;

/** A computer whose requests come back through its public address, from the addresses in `seen`. */
async function home(seen: Seen, known?: string[]) {
  const check = createPublicCheck({ base: () => 'https://porch.example' });
  const app = await buildPublicApp({ log: silentLog, features: [check.routes], closing: () => undefined });
  const data: { addresses?: string[] } = known ? { addresses: known } : {};
  const asked: string[] = [];
  let writes = 0;
  const fetch: GuardedFetch = async (url, { family } = {}) => {
    asked.push(url);
    const address = family && seen[family];
    if (address === undefined) throw new FetchError('fetch_failed');
    const { pathname, search } = new URL(url);
    await app.inject({ url: pathname + search, headers: { 'cf-connecting-ip': address } });
    return { status: 200 } as Awaited<ReturnType<GuardedFetch>>;
  };
  const own = createOwnAddresses({
    check,
    fetch,
    base: () => 'https://porch.example',
    kept: {
      data,
      update: (change) => {
        writes += 1;
        change(data);
        return Promise.resolve();
      },
    },
    signal: new AbortController().signal,
  });
  return { own, data, asked, writes: () => writes, app };
}

describe('this computer’s own addresses, as the world sees them', () => {
  test('are learnt over IPv4 and IPv6 from its own question, and kept', async () => {
    const { own, data, asked } = await home({ 4: '93.184.215.14', 6: '2a00:1450:4001:81b::5' });
    await own.learn();
    expect(own.list()).toEqual(['93.184.215.14', '2a00:1450:4001:81b::5']);
    expect(data.addresses).toEqual(own.list());
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatch(/^https:\/\/porch\.example\/\.well-known\/porchlight-check\?nonce=[\w-]{20,}$/);
  });

  test('keep the addresses of a version of IP if no new one was found', async () => {
    const { own, writes } = await home({ 4: '8.8.8.8' }, ['93.184.215.14', '2a00:1450:4001:81b::5']);
    await own.learn();
    expect(own.list()).toEqual(['8.8.8.8', '2a00:1450:4001:81b::5']);
    await own.learn();
    expect(writes()).toBe(1);
  });

  test('this computer’s addresses are learned only from a server that knows the challenge', async () => {
    const { own, asked, app } = await home({ 4: '93.184.215.14' });
    await own.learn();
    const { pathname, search } = new URL(asked[0] ?? '');
    for (const query of [search, '?nonce=guessed', ''])
      await app.inject({ url: pathname + query, headers: { 'cf-connecting-ip': '8.8.4.4' } });
    expect(own.list()).toEqual(['93.184.215.14']);
  });

  test.each(['', 'nonsense', '93.184.215.14, 8.8.8.8', '93.184.215.14:80', '__proto__'])(
    'are not learnt from %j in place of an address',
    async (address) => {
      const { own } = await home({ 4: address });
      await own.learn();
      expect(own.list()).toEqual([]);
    },
  );
});
