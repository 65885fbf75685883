import { describe, expect, test } from 'vitest';
import { createTrustedTime } from '../../../src-main/platform/clock.ts';

const day = 86_400_000;
const start = Date.parse('2026-11-22T10:00:00Z');

/** A computer whose clock can be set, and a clock that nobody sets. */
function computer({ latest = null, wall = start }: { latest?: number | null; wall?: number } = {}) {
  const time = { wall, steady: 5_000, confirmed: false };
  const trusted = createTrustedTime({
    wall: () => time.wall,
    steady: () => time.steady,
    latest,
    isConfirmed: () => time.confirmed,
  });
  const pass = (ms: number) => {
    time.wall += ms;
    time.steady += ms;
  };
  return { time, trusted, pass };
}

describe('trusted time', () => {
  test('is the computer’s time while that passes as it should', () => {
    const { trusted, pass } = computer();
    pass(40 * day);
    expect(trusted.now()).toBe(start + 40 * day);
    expect(trusted.problem()).toBeNull();
  });

  test('continues from its last value while the clock is 400 days ahead, and says so until it is back', () => {
    const { time, trusted, pass } = computer();
    pass(day);
    expect(trusted.now()).toBe(start + day);
    time.wall += 400 * day;
    pass(1000);
    expect(trusted.now()).toBe(start + day + 1000);
    expect(trusted.problem()).toContain('28 December 2027, 400 days later than Porchlight expects');
    time.wall -= 400 * day;
    expect(trusted.now()).toBe(start + day + 1000);
    expect(trusted.problem()).toBeNull();
  });

  test('continues while the clock is years behind', () => {
    const { time, trusted, pass } = computer();
    time.wall = Date.parse('1970-01-02T00:00:00Z');
    pass(5000);
    expect(trusted.now()).toBe(start + 5000);
    expect(trusted.problem()).toContain('days earlier than Porchlight expects');
  });

  test('follows a clock that other servers confirm', () => {
    const { time, trusted } = computer();
    time.wall += 400 * day;
    expect(trusted.now()).toBe(start);
    time.confirmed = true;
    expect(trusted.now()).toBe(start + 400 * day);
    // From then on this is the time, also without their word.
    time.confirmed = false;
    expect(trusted.now()).toBe(start + 400 * day);
  });

  test('takes a sleep of three weeks for a sleep', () => {
    const { time, trusted } = computer();
    time.wall += 21 * day;
    expect(trusted.now()).toBe(start + 21 * day);
    expect(trusted.problem()).toBeNull();
  });

  test('of a new process begins at the newest time on disk, if the clock is far from that', () => {
    expect(computer({ latest: start, wall: start + 400 * day }).trusted.now()).toBe(start);
    expect(computer({ latest: start, wall: start - 400 * day }).trusted.now()).toBe(start);
    expect(computer({ latest: start, wall: start + day }).trusted.now()).toBe(start + day);
  });
});
