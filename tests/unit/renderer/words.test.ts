import { describe, expect, test } from 'vitest';
import { hashOf, routeIn } from '../../../src-renderer/routes.ts';
import { hostIn, plainText, visibleAddress } from '../../../src-renderer/ui/plain-text.ts';
import { profileUrl } from '../../../src-renderer/ui/profile-url.ts';
import { secondsOf, spanOf } from '../../../src-renderer/ui/span.ts';
import { relativeTime, timeAgo, timeLeft } from '../../../src-renderer/ui/time.ts';

describe('strangers’ text', () => {
  test.each([
    ['\u202Eevil\u202C', 'evil'],
    ['goo\u200Bgle\u2060.com', 'google.com'],
    ['one\ntwo\u0000\tthree', 'one two three'],
    [`a${'\u0301'.repeat(50)}b`, `a${'\u0301'.repeat(4)}b`],
    ['متابعون مجانا', 'متابعون مجانا'],
    ['\u{E0041}\u3164', ''],
  ])('%j reads as %j', (text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  test('hidden characters in an address are spelled out', () => {
    expect(visibleAddress('https://a.example/\u202Ex\u{E0041}\n')).toBe(
      'https://a.example/[U+202E]x[U+E0041][U+000A]',
    );
  });

  test('the host of a client, or the whole client ID without one', () => {
    expect(hostIn('https://a.example:8443/x')).toBe('a.example:8443');
    expect(hostIn('not an address')).toBe('not an address');
    expect(hostIn('mailto:a@b')).toBe('mailto:a@b');
  });
});

describe('a typed domain', () => {
  test.each([
    ['example.com', 'https://example.com/'],
    ['  EXAMPLE.com/me ', 'https://example.com/me'],
    ['http://example.com', 'http://example.com/'],
    ['https://example.com/users?id=100', 'https://example.com/users?id=100'],
  ])('%j is %j', (typed, url) => {
    expect(profileUrl(typed)).toEqual({ url });
  });

  // IA-31
  test.each([
    ['', /Enter your domain/],
    ['two words', /isn’t a web address/],
    ['https://', /isn’t a web address/],
    ['ftp://example.com', /starts with https/],
    ['me@example.com', /email/],
    ['mailto:me@example.com', /email|isn’t a web address/],
    ['example.com:8443', /port/],
    ['example.com/#me', /#/],
    ['172.28.92.51', /domain name/],
    ['[::1]', /domain name/],
    ['localhost', /domain name/],
  ])('%j is refused with a message', (typed, problem) => {
    expect(profileUrl(typed)).toEqual({ problem: expect.stringMatching(problem) as string });
  });
});

describe('times in words', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');
  test.each([
    ['2026-11-20T11:59:31Z', 'just now'],
    ['2026-11-20T11:58:01Z', '1 minute ago'],
    ['2026-11-20T09:59:00Z', '2 hours ago'],
    ['2026-11-10T12:00:00Z', '10 days ago'],
    ['2024-01-10T12:00:00Z', '2 years ago'],
    ['2026-11-20T12:00:30Z', 'in less than a minute'],
    ['2026-11-23T13:00:00Z', 'in 3 days'],
  ])('%s is %s', (at, words) => {
    expect(relativeTime(at, now)).toBe(words);
  });

  test('what happened is never in the future, though clocks differ', () => {
    expect(timeAgo('2026-11-20T12:00:04Z', now)).toBe('just now');
  });

  test.each([
    ['2026-11-20T12:08:30Z', '9 minutes left'],
    ['2026-11-20T12:01:01Z', '2 minutes left'],
    ['2026-11-20T12:00:59Z', 'less than a minute left'],
    ['2026-11-20T12:00:00Z', 'time’s up'],
    ['2026-11-20T11:00:00Z', 'time’s up'],
  ])('until %s: %s', (until, words) => {
    expect(timeLeft(until, now)).toBe(words);
  });

  test.each([
    [3600, 1, 'hours'],
    [5400, 90, 'minutes'],
    [2_592_000, 30, 'days'],
    [61, 61, 'seconds'],
  ] as const)('%i seconds are %i %s, and back', (seconds, amount, unit) => {
    expect(spanOf(seconds)).toEqual({ amount, unit });
    expect(secondsOf({ amount, unit })).toBe(seconds);
  });
});

describe('routes', () => {
  test.each(['a b', 'x/1?y&z', 'é'])('an id survives its way through the hash: %s', (id) => {
    expect(routeIn(hashOf('sign-ins', id))).toEqual({ screen: 'sign-ins', id, filters: {} });
  });

  test.each(['', '#', '#/', '#/porch', '#/nowhere', '#key=abc', '#/constructor'])(
    '%j is the overview',
    (hash) => {
      expect(routeIn(hash)).toEqual({ screen: 'overview', id: null, filters: {} });
    },
  );
});
