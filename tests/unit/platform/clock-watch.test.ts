import { describe, expect, test, vi } from 'vitest';
import { clockWords, createClockWatch, listeningFetch } from '../../../src-main/platform/fetch-watch.ts';
import type { GuardedFetch } from '../../../src-main/platform/guarded-fetch.ts';

const day = 86_400_000;

/** A computer whose clock is `wrongBy` ms off, and servers that know the time. */
function computer(wrongBy: number, isChosen: (host: string) => boolean = () => false) {
  const time = { true: 1_800_000_000_000, wrongBy };
  const now = () => time.true + time.wrongBy;
  const changed = vi.fn();
  const watch = createClockWatch({ now, steady: () => time.true, changed, isChosen });
  return { time, changed, watch, hear: (host: string, off = 0) => watch.heard(host, time.true + off) };
}

describe('the clock of this computer', () => {
  test('is right while other servers agree with it by some minutes', () => {
    const { watch, hear, changed } = computer(4 * 60_000);
    for (const host of ['a', 'b', 'c', 'd']) hear(host);
    expect(watch.offset()).toBe(0);
    expect(changed).not.toHaveBeenCalled();
  });

  test('is wrong where three servers say so, by as much as the middle one says', () => {
    const { watch, hear, changed } = computer(day);
    hear('a');
    hear('b', 1000);
    expect(watch.offset()).toBe(0);
    hear('c', -1000);
    expect(watch.offset()).toBe(day);
    expect(changed).toHaveBeenCalledTimes(1);
  });

  test('is not called wrong by one server that is, however often it answers', () => {
    const { watch, hear } = computer(0);
    for (let turn = 0; turn < 9; turn += 1) hear('liar', day);
    hear('a');
    hear('b');
    hear('c');
    expect(watch.offset()).toBe(0);
  });

  test.each([
    ['names under one domain', ['a.liar.example', 'b.liar.example', 'liar.example:8443']],
    ['addresses in one network', ['[2001:db8:1::1]', '[2001:db8:1::2]', '[2001:db8:1:2::3]:444']],
    ['ports of one address', ['198.51.100.7:1', '198.51.100.7:2', '198.51.100.7:3']],
  ])('the clock of this computer is not called wrong by %s, because they count once', (_kind, hosts) => {
    const { watch, hear } = computer(0);
    for (const host of hosts) hear(host, day);
    expect(watch.offset()).toBe(0);
  });

  test('no number of strangers makes the clock count as wrong while a server of the owner’s choice agrees with it', () => {
    const { watch, hear } = computer(0, (host) => host === 'owner.example');
    hear('owner.example', 60_000);
    for (let turn = 0; turn < 9; turn += 1) hear(`stranger${turn}.example`, day);
    for (const name of ['a.example', 'b.test', 'c.invalid', 'd.localhost', 'e']) hear(name, day);
    expect(watch.offset()).toBe(0);
  });

  test('is called wrong if a server of the owner’s choice disagrees with it too', () => {
    const { watch, hear } = computer(day, (host) => host === 'owner.example');
    for (const host of ['owner.example', 'a.test', 'b.invalid']) hear(host);
    expect(watch.offset()).toBe(day);
  });

  test('is right again as soon as somebody sets it, without another answer', () => {
    const { time, watch, hear } = computer(-day);
    for (const host of ['a', 'b', 'c']) hear(host);
    expect(watch.offset()).toBe(-day);
    time.wrongBy = 0;
    expect(watch.offset()).toBe(0);
  });

  test('is reported with its size and direction', () => {
    expect(clockWords(day)).toContain('24 hours ahead');
    expect(clockWords(-6 * 60_000)).toContain('6 minutes behind');
    expect(clockWords(3 * day)).toContain('3 days ahead');
  });
});

describe('a fetch that listens', () => {
  const answering = (headers: Record<string, string>): GuardedFetch => {
    const response = {
      url: 'https://a.example/x',
      headers: { get: (name: string) => headers[name] ?? null },
    };
    return () => Promise.resolve(response as unknown as Awaited<ReturnType<GuardedFetch>>);
  };

  test('hears the time of the server that answered, and how long a cache had the answer', async () => {
    const heard = vi.fn();
    const date = 'Sat, 21 Nov 2026 08:00:00 GMT';
    await listeningFetch(answering({ date, age: '60' }), { heard })('https://b.example/');
    expect(heard).toHaveBeenCalledWith('a.example', Date.parse(date) + 60_000);
  });

  test.each([{}, { date: 'yesterday' }, { date: 'Sat, 21 Nov 2026 08:00:00 GMT', age: 'long' }])(
    'passes over an answer that tells no time: %j',
    async (headers) => {
      const heard = vi.fn();
      await listeningFetch(answering(headers as Record<string, string>), { heard })('https://b.example/');
      expect(heard).not.toHaveBeenCalled();
    },
  );
});
