import { describe, expect, test } from 'vitest';
import {
  attemptsLeft,
  nextAttempt,
  pauseAfter,
  plausibleDue,
  type RetryName,
} from '../../../src-main/platform/retry-schedule.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.parse('2026-11-21T12:00:00Z');

/** Returns the pauses after the first failures, up to the end of the schedule. */
function pausesOf(name: RetryName, most = 10): (number | undefined)[] {
  const pauses = Array.from({ length: most }, (_, index) => pauseAfter(name, index + 1));
  const end = pauses.indexOf(undefined);
  return end === -1 ? pauses : pauses.slice(0, end + 1);
}

const patient = [minute, 10 * minute, hour, 6 * hour, day, undefined];

test.each<[RetryName, (number | undefined)[]]>([
  ['source', patient],
  ['delivery', patient],
  ['postPicture', patient],
  ['mentionPicture', [day, day, day, day, undefined]],
  ['slowSource', [hour, undefined]],
  ['aggregator', [500, 2 * second, 5 * second, undefined]],
  ['newAddress', [8 * second, 15 * second, 40 * second, undefined]],
])('the pauses of %s', (name, pauses) => {
  expect(pausesOf(name)).toEqual(pauses);
  expect(attemptsLeft(name, 1)).toBe(pauses.length - 1);
  expect(attemptsLeft(name, pauses.length)).toBe(0);
  expect(attemptsLeft(name, 1000)).toBe(0);
});

test.each<[RetryName, number[]]>([
  ['tunnel', [1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map((seconds) => seconds * second)],
  ['weeklyBackup', Array.from({ length: 10 }, () => day)],
  ['pictureHost', Array.from({ length: 10 }, () => 10 * minute)],
  ['deliveryHost', Array.from({ length: 10 }, () => minute)],
])('%s is tried without end', (name, pauses) => {
  expect(pausesOf(name)).toEqual(pauses);
  expect(attemptsLeft(name, 1000)).toBe(Infinity);
});

test('a source is tried for 30 days while this computer is offline', () => {
  const pauses = pausesOf('sourceLater', 30 * 24 * 12 + 1);
  expect([pauses.at(0), pauses.at(-2), pauses.at(-1)]).toEqual([5 * minute, 5 * minute, undefined]);
});

describe('the next attempt', () => {
  test('follows a pause; after the last one there is none', () => {
    expect(nextAttempt('source', { failures: 2, now })).toBe(now + 10 * minute);
    expect(nextAttempt('source', { failures: 6, now })).toBeUndefined();
    expect(nextAttempt('delivery', { failures: 6, now, asked: now + minute })).toBeUndefined();
  });

  test.each<[string, RetryName, number, number, number]>([
    ['later', 'delivery', 1, hour, hour],
    ['sooner, after the first failure', 'delivery', 1, 20 * second, 20 * second],
    ['at once', 'delivery', 1, 0, 5 * second],
    ['in the past', 'delivery', 1, -hour, 5 * second],
    ['sooner, after the second failure', 'delivery', 2, 20 * second, 10 * minute],
    ['in a year', 'delivery', 2, 365 * day, day],
    ['later, of an import', 'aggregator', 2, 30 * second, 30 * second],
    ['sooner, of an import', 'aggregator', 1, 100, 500],
    ['in an hour, of an import', 'aggregator', 3, hour, minute],
    ['in a day, of all its deliveries', 'deliveryHost', 1, day, hour],
    ['something that the schedule ignores', 'source', 1, hour, minute],
  ])('if the other server asks for it %s', (_, name, failures, asked, pause) => {
    expect(nextAttempt(name, { failures, now, asked: now + asked })).toBe(now + pause);
  });
});

describe('a clock that was wrong', () => {
  test.each<[RetryName, number]>([
    ['source', day],
    ['delivery', day],
    ['weeklyBackup', day],
    ['aggregator', minute],
    ['pictureHost', 10 * minute],
    ['deliveryHost', hour],
  ])('postpones an attempt of %s by no more than its longest pause and an hour', (name, longest) => {
    expect(plausibleDue(name, now + longest + hour, now)).toBe(now + longest + hour);
    expect(plausibleDue(name, now + longest + hour + 1, now)).toBe(now);
    expect(plausibleDue(name, now + 400 * day, now)).toBe(now);
  });

  test('changes nothing about an attempt that is due', () => {
    expect(plausibleDue('source', now - 400 * day, now)).toBe(now - 400 * day);
  });
});
