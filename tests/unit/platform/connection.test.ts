import { expect, test } from 'vitest';
import { FetchError, type GuardedFetch } from '../../../src-main/platform/guarded-fetch.ts';
import { watchConnection } from '../../../src-main/platform/fetch-watch.ts';

type Outcome = ConstructorParameters<typeof FetchError>[0] | 'answer';

/** Asks hosts one after the other, each with what becomes of it, and tells whether this computer seems connected. */
async function after(...asked: [host: string, outcome: Outcome][]): Promise<boolean> {
  const outcomes = new Map(asked.map(([host, outcome], turn) => [`https://${host}/${turn}`, outcome]));
  const fetch: GuardedFetch = (url) => {
    const outcome = outcomes.get(url) ?? 'answer';
    if (outcome !== 'answer') return Promise.reject(new FetchError(outcome));
    return Promise.resolve({ url } as Awaited<ReturnType<GuardedFetch>>);
  };
  const connection = watchConnection(fetch);
  for (const [turn, [host]] of asked.entries())
    await connection.fetch(`https://${host}/${turn}`).catch(() => null);
  return connection.online();
}

test('three servers in a row that do not answer: this computer is not connected', async () => {
  expect(await after(['a', 'fetch_failed'], ['b', 'fetch_timeout'], ['c', 'fetch_failed'])).toBe(false);
});

test('two are too few, and one alone is itself at fault however often it is asked', async () => {
  expect(await after(['a', 'fetch_failed'], ['b', 'fetch_timeout'])).toBe(true);
  expect(await after(['a', 'fetch_failed'], ['a', 'fetch_failed'], ['a', 'fetch_failed'])).toBe(true);
});

test.each(['answer', 'fetch_too_large', 'fetch_too_many_redirects'] as const)(
  'a response (%s) shows that it is connected',
  async (outcome) => {
    const silent: [string, Outcome][] = [1, 2, 3].map((number) => [`host-${number}`, 'fetch_failed']);
    expect(await after(...silent, ['d', outcome])).toBe(true);
    expect(await after(...silent, ['d', outcome], ['e', 'fetch_failed'], ['f', 'fetch_failed'])).toBe(true);
  },
);

test('an address that is refused here says nothing about the connection', async () => {
  expect(
    await after(['a', 'fetch_refused_address'], ['b', 'fetch_refused_address'], ['c', 'fetch_bad_url']),
  ).toBe(true);
});

test('the outcome of a request is passed on unchanged', async () => {
  const fault = new FetchError('fetch_timeout');
  await expect(watchConnection(() => Promise.reject(fault)).fetch('https://a.example/')).rejects.toBe(fault);
});

test('a server that is reached from outside is connected for two minutes, whatever others answer', async () => {
  let now = 0;
  const silent: GuardedFetch = () => Promise.reject(new FetchError('fetch_failed'));
  const connection = watchConnection(silent, () => now);
  for (const host of ['a', 'b', 'c']) await connection.fetch(`https://${host}/`).catch(() => null);
  expect(connection.online()).toBe(false);
  connection.reached();
  now += 119_999;
  expect(connection.online()).toBe(true);
  now += 1;
  expect(connection.online()).toBe(false);
});
