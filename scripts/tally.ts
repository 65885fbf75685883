import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

/** The result of a run of tests or checks. */
export interface Tally {
  readonly passed: number;
  /** What failed: a check's or a test's name, with its file. */
  readonly failed: readonly string[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** How long each check and each test file took. */
  readonly times: readonly Time[];
}

export interface Time {
  readonly name: string;
  readonly seconds: number;
}

/** Counts a run of Vitest for test.ts, with the reasons of skipped tests, which Vitest's JSON report leaves out. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inFile = (name: string, module: TestModule) => `${module.relativeModuleId} > ${name}`;
    const failed: string[] = [];
    const skipped: Tally['skipped'][number][] = [];
    for (const test of tests) {
      const result = test.result();
      const isSkipped = result.state === 'skipped' || isSwitchedOff(test.parent);
      // A test that is still pending died with its worker.
      if (result.state === 'failed' || (result.state === 'pending' && !isSkipped))
        failed.push(
          `${inFile(test.fullName, test.module)}: ${messageOf(result.errors?.[0] ?? 'ended without a result')}`,
        );
      if (isSkipped)
        skipped.push({
          name: test.fullName,
          reason: (result.state === 'skipped' && result.note) || 'switched off in its file, or by the filter',
        });
    }
    // A file that cannot be loaded and a hook that fails have no test that could fail for them.
    const suites: TestSuite[] = modules.flatMap((module) => [...module.children.allSuites()]);
    failed.push(
      ...modules.filter((one) => one.errors().length > 0).map((one) => one.relativeModuleId),
      ...suites.filter((one) => one.errors().length > 0).map((one) => inFile(one.fullName, one.module)),
      ...unhandledErrors.map((error) => `an error that no test caught: ${messageOf(error)}`),
    );
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const times = modules.map((module) => ({
      name: module.relativeModuleId,
      seconds: module.diagnostic().duration / 1000,
    }));
    const tally: Tally = { passed, failed, skipped, times };
    writeFileSync(process.env['PORCHLIGHT_TALLY'] ?? 'tally.json', JSON.stringify(tally));
  }
}

/** Vitest leaves a test pending whose group is inside a group that is skipped. */
function isSwitchedOff(parent: TestCase['parent']): boolean {
  return parent.type === 'suite' && (parent.state() === 'skipped' || isSwitchedOff(parent.parent));
}

/** Returns the sum of several tallies. */
export function sumOf(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
    failed: tallies.flatMap(({ failed }) => failed),
    skipped: tallies.flatMap(({ skipped }) => skipped),
    times: tallies.flatMap(({ times }) => times),
  };
}

/**
 * Returns the 15 slowest checks and test files, the skipped tests by their reasons, then what failed, and at the end
 * the one line that counts everything. Often only the end of a log is kept.
 */
export function summaryOf({ passed, failed, skipped, times }: Tally): string {
  const slowest = [...times].sort((one, other) => other.seconds - one.seconds).slice(0, 15);
  const reasons = new Map<string, string[]>();
  for (const { name, reason } of skipped) reasons.set(reason, [...(reasons.get(reason) ?? []), `  ${name}`]);
  return [
    'Slowest checks and test files:',
    ...slowest.map(({ name, seconds }) => `${seconds.toFixed(0).padStart(5)} s  ${name}`),
    '',
    ...[...reasons].flatMap(([reason, names]) => [`Skipped, ${reason}:`, ...names]),
    ...failed.map((name) => `Failed: ${name}`),
    `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`,
  ].join('\n');
}

/** The beginning of what an error says, in one line. Errors of the workers arrive as plain objects. */
function messageOf(error: unknown): string {
  const message = (error as { readonly message?: unknown } | null | undefined)?.message;
  return String(message ?? error)
    .slice(0, 600)
    .replace(/\s*\n\s*/g, ' / ');
}
