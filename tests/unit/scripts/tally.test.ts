import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { TestModule } from 'vitest/node';
import TallyReporter, { sumOf, summaryOf, type Tally } from '../../../scripts/tally.ts';

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

test('a test that has no result died with its worker, unless a group around it was skipped', () => {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv('PORCHLIGHT_TALLY', join(folder, 'tally.json'));
  const module: object = {
    type: 'module',
    relativeModuleId: 'a.test.ts',
    errors: () => [],
    diagnostic: () => ({ duration: 1 }),
    children: {
      allSuites: () => [],
      allTests: () =>
        ['skipped', 'passed'].map((state) => {
          const outer = { type: 'suite', state: () => state, parent: module };
          const parent = { type: 'suite', state: () => 'pending', parent: outer };
          return { fullName: `in ${state}`, module, parent, result: () => ({ state: 'pending' }) };
        }),
    },
  };
  new TallyReporter().onTestRunEnd([module as unknown as TestModule], []);
  const tally = JSON.parse(readFileSync(join(folder, 'tally.json'), 'utf8')) as Tally;
  expect(tally.failed).toEqual(['a.test.ts > in passed: ended without a result']);
  expect(tally.skipped.map(({ name }) => name)).toEqual(['in skipped']);
});
