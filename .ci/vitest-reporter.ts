import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule, TestSuite } from 'vitest/node';
import type { Tally } from './tally.ts';

/** Counts a run for .ci/test.ts, with the reasons of skipped tests, which vitest's JSON report leaves out. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (...states: string[]) =>
      tests.filter((test) => states.includes(test.result().state)).length;
    // A file that cannot be loaded and a hook that fails have no test that could fail for them. A test that is still
    // pending died with its worker.
    const groups: (TestModule | TestSuite)[] = [
      ...modules,
      ...modules.flatMap((module) => [...module.children.allSuites()]),
    ];
    const broken = groups.filter((group) => group.errors().length > 0).length;
    const tally: Tally = {
      passed: count('passed'),
      failed: count('failed', 'pending') + broken + unhandledErrors.length,
      skipped: tests.flatMap((test) => {
        const result = test.result();
        if (result.state !== 'skipped') return [];
        return [{ name: test.fullName, reason: result.note ?? 'switched off in its file, or by the filter' }];
      }),
    };
    writeFileSync(process.env['PORCHLIGHT_TALLY'] ?? 'tally.json', JSON.stringify(tally));
  }
}
