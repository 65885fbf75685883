import { describe, expect, test } from 'vitest';
import { createCostBudget } from '../../../src-main/platform/cost-budget.ts';

function scene(mostParties?: number) {
  const time = { now: 1_800_000_000_000 };
  const budget = createCostBudget({
    burst: 1000,
    perMinute: 600,
    clock: () => time.now,
    ...(mostParties !== undefined && { mostParties }),
  });
  return { time, budget };
}

describe('a cost budget', () => {
  test('lets a party spend its burst, and then makes it wait until some of it is back', () => {
    const { time, budget } = scene();
    expect(budget.waitMs(['visitor a'])).toBe(0);
    budget.charge(['visitor a'], 1000);
    const wait = budget.waitMs(['visitor a']);
    expect(wait).toBeGreaterThan(0);
    time.now += wait;
    expect(budget.waitMs(['visitor a'])).toBe(0);
  });

  test('makes a party that is in debt wait for as long as the debt takes, and no other party', () => {
    const { time, budget } = scene();
    budget.charge(['visitor a', 'host h'], 1600);
    expect(budget.waitMs(['visitor a'])).toBeGreaterThanOrEqual(60_000);
    expect(budget.waitMs(['visitor b'])).toBe(0);
    expect(budget.waitMs(['visitor b', 'host h'])).toBeGreaterThanOrEqual(60_000);
    time.now += 30_000;
    expect(budget.waitMs(['visitor a'])).toBeGreaterThan(29_000);
  });

  test('never saves more than its burst', () => {
    const { time, budget } = scene();
    budget.charge(['visitor a'], 1);
    time.now += 86_400_000;
    budget.charge(['visitor a'], 1000);
    expect(budget.waitMs(['visitor a'])).toBeGreaterThan(0);
  });

  test('earns nothing from a clock that is set back, and loses nothing', () => {
    const { time, budget } = scene();
    budget.charge(['visitor a'], 500);
    time.now -= 86_400_000;
    expect(budget.waitMs(['visitor a'])).toBe(0);
    budget.charge(['visitor a'], 500);
    expect(budget.waitMs(['visitor a'])).toBeGreaterThan(0);
  });

  test('charges a party that is named twice once', () => {
    const { budget } = scene();
    budget.charge(['visitor a', 'visitor a'], 600);
    expect(budget.waitMs(['visitor a'])).toBe(0);
  });

  test('remembers so many parties, and forgets those that spent longest ago', () => {
    const { budget } = scene(2);
    for (const party of ['a', 'b', 'a', 'c']) budget.charge([party], 2000);
    expect(budget.waitMs(['b'])).toBe(0);
    expect(budget.waitMs(['a'])).toBeGreaterThan(0);
    expect(budget.waitMs(['c'])).toBeGreaterThan(0);
  });
});

test('a debt has an end: a party that spent far more than it had is not shut out for longer than that', () => {
  let now = 0;
  const budget = createCostBudget({ burst: 100, perMinute: 60_000, mostDebt: 500, clock: () => now });
  budget.charge(['a'], 1_000_000);
  expect(budget.waitMs(['a'])).toBeLessThan(510);
  now = 600;
  expect(budget.waitMs(['a'])).toBe(0);
});
