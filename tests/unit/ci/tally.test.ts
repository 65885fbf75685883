import { expect, test } from 'vitest';
import { add, nothing, summaryOf, timesOf, type Tally, type Time } from '../../../.ci/tally.ts';

const file = (index: number): Time => ({ of: 'file', name: `file-${index}`, seconds: index });
const tally: Tally = {
  ...nothing,
  passed: 2,
  times: [
    { of: 'check', name: 'Types', seconds: 41.6 },
    ...Array.from({ length: 12 }, (_, index) => file(index)),
  ],
};

test('the times name each check and the ten slowest files, slowest first', () => {
  const lines = timesOf(tally).split('\n');
  expect(lines.slice(0, 4)).toEqual([
    'Time of the checks:',
    '   42 s  Types',
    'Slowest test files:',
    '   11 s  file-11',
  ]);
  expect(lines).toHaveLength(3 + 10);
  expect(lines.at(-1)).toBe('    2 s  file-2');
});

test('two tallies add up to one, whose last line counts everything', () => {
  const other: Tally = {
    passed: 1,
    failed: ['a.test.ts > a: broken'],
    skipped: [{ name: 'b', reason: 'no display' }],
    times: [file(99)],
  };
  const sum = add(tally, other);
  expect(sum.times).toHaveLength(14);
  expect(summaryOf(sum).split('\n')).toEqual([
    'Skipped, no display:',
    '  b',
    'Failed: a.test.ts > a: broken',
    '3 passed, 1 failed, 1 skipped',
  ]);
});
