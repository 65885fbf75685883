import { describe, expect, test } from 'vitest';
import type { SelfTest, TunnelStatus } from '../../../../src-main/contract/reach.ts';
import { createPublicCheck } from '../../../../src-main/http/public-check.ts';
import { createSelfTest, type Present } from '../../../../src-main/address/self-test/self-test.ts';
import { FetchError } from '../../../../src-main/platform/guarded-fetch.ts';

const off: TunnelStatus = {
  mode: 'off',
  state: 'off',
  words: 'Off',
  url: null,
  connections: 0,
  reason: null,
  progress: null,
};

/** A self-test whose network is down: every test fails at the first question. */
function openTester(start: Partial<Present> = {}) {
  let present: Present = {
    base: 'https://porch.example',
    on: true,
    tunnel: off,
    mediaLimitBytes: 1,
    hasAssistants: false,
    me: null,
    ...start,
  };
  const kept: { last: SelfTest | null } = { last: null };
  const fetched: string[] = [];
  const pauses: number[] = [];
  const checked: SelfTest[] = [];
  const tester = createSelfTest({
    present: () => present,
    last: {
      data: kept,
      update: (change) => {
        change(kept);
        return Promise.resolve();
      },
    },
    reached: () => Promise.resolve(),
    checked: (test) => checked.push(test),
    pause: (ms) => Promise.resolve(void pauses.push(ms)),
    check: createPublicCheck({ base: () => present.base }),
    allowPrivate: false,
    now: () => 0,
    readRels: () => Promise.reject(new Error('No page is read.')),
    fetch: (url) => {
      fetched.push(url);
      return Promise.reject(
        new FetchError('fetch_failed', Object.assign(new Error(), { code: 'ENOTFOUND' })),
      );
    },
  });
  return {
    tester,
    fetched,
    pauses,
    checked,
    become: (change: Partial<Present>) => {
      present = { ...present, ...change };
    },
  };
}

describe('the self-test after a change of address', () => {
  test('waits until the new name is known, and retries if it is not yet', async () => {
    const { tester, pauses, checked, fetched } = openTester();
    await tester.addressMayHaveChanged();
    expect(pauses).toEqual([8000, 15_000, 40_000]);
    expect(fetched.map((url) => new URL(url).pathname)).toEqual(
      pauses.map(() => '/.well-known/porchlight-check'),
    );
    // One that is not known yet is no news.
    expect(checked).toHaveLength(1);
    expect(tester.last()?.findings[0]).toMatchObject({
      id: 'reach',
      level: 'fail',
      detail: expect.stringContaining('cannot be found') as string,
    });
  });

  test('an address that was tested is not tested again, another one is', async () => {
    const { tester, checked, become } = openTester();
    await tester.addressMayHaveChanged();
    const before = checked.length;
    await tester.addressMayHaveChanged();
    expect(checked).toHaveLength(before);
    become({ base: 'https://other.example' });
    await tester.addressMayHaveChanged();
    expect(checked.at(-1)?.base).toBe('https://other.example');
  });

  test.each<[string, Partial<Present>]>([
    ['an address of this computer only', { base: 'http://127.0.0.1:4711' }],
    ['a server that is off', { on: false }],
    ['a tunnel that is not up yet', { tunnel: { ...off, mode: 'named', state: 'starting' } }],
  ])('%s is not tested', async (_name, present) => {
    const { tester, fetched } = openTester(present);
    await tester.addressMayHaveChanged();
    expect(fetched).toEqual([]);
  });

  test('many changes at once are one test', async () => {
    const { tester, pauses } = openTester();
    await Promise.all([1, 2, 3].map(() => tester.addressMayHaveChanged()));
    expect(pauses).toHaveLength(3);
  });

  test('a server that stops tests no more', async () => {
    const { tester, fetched } = openTester();
    tester.stop();
    await tester.addressMayHaveChanged();
    expect(fetched).toEqual([]);
  });
});

describe('the self-test', () => {
  test('two who ask at once get one test', async () => {
    const { tester, checked } = openTester();
    const [one, two] = await Promise.all([tester.run(), tester.run()]);
    expect(one).toBe(two);
    expect(checked).toEqual([one]);
  });

  test('without a public address says so, and sends nothing there', async () => {
    const { tester, fetched } = openTester({ base: 'http://127.0.0.1:4711' });
    const { findings } = await tester.run();
    expect(findings).toMatchObject([
      { id: 'address', level: 'fail' },
      {
        id: 'site',
        level: 'fail',
        detail: expect.stringContaining('doesn’t know your domain yet') as string,
      },
    ]);
    expect(fetched).toEqual([]);
  });

  test('a tunnel that does not stand says why, in its own words', async () => {
    const tunnel: TunnelStatus = { ...off, mode: 'named', state: 'failed', words: 'The token is wrong.' };
    const { findings } = await openTester({ tunnel }).tester.run();
    expect(findings[0]).toMatchObject({ id: 'tunnel', level: 'fail', detail: 'The token is wrong.' });
  });
});
