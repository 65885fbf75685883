import { expect, test } from 'vitest';
import { sumOf, summaryOf, type Tally } from '../../../scripts/tally.ts';

const first: Tally = {
  passed: 2,
  failed: [],
  skipped: [],
  times: [{ name: 'Types', seconds: 41.6 }, ...Array.from({ length: 20 }, (_, index) => timeOf(index))],
};
const second: Tally = {
  passed: 1,
  failed: ['a.test.ts > a: broken'],
  skipped: [{ name: 'b', reason: 'no display' }],
  times: [timeOf(99)],
};

function timeOf(seconds: number) {
  return { name: `file-${seconds}`, seconds };
}

test('the summary names the 15 slowest checks and files, slowest first', () => {
  const lines = summaryOf(sumOf([first, second])).split('\n');
  expect(lines.slice(0, 4)).toEqual([
    'Slowest checks and test files:',
    '   99 s  file-99',
    '   42 s  Types',
    '   19 s  file-19',
  ]);
  expect(lines.slice(15, 17)).toEqual(['    7 s  file-7', '']);
});

test('the summary of two runs ends with the skipped tests, what failed, and one line that counts everything', () => {
  expect(
    summaryOf(sumOf([first, second]))
      .split('\n')
      .slice(-4),
  ).toEqual([
    'Skipped, no display:',
    '  b',
    'Failed: a.test.ts > a: broken',
    '3 passed, 1 failed, 1 skipped',
  ]);
});
