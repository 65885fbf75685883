import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule, TestSuite } from 'vitest/node';
import type { Tally } from './tally.ts';

/** Counts a run for .ci/test.ts, with the reasons of skipped tests, which vitest's JSON report leaves out. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const those = (...states: string[]) => tests.filter((test) => states.includes(test.result().state));
    // A file that cannot be loaded and a hook that fails have no test that could fail for them. A test that is still
    // pending died with its worker.
    const groups: (TestModule | TestSuite)[] = [
      ...modules,
      ...modules.flatMap((module) => [...module.children.allSuites()]),
    ];
    const broken = groups.filter((group) => group.errors().length > 0);
    const inFile = (name: string, module: TestModule) => `${module.relativeModuleId} > ${name}`;
    const tally: Tally = {
      passed: those('passed').length,
      failed: [
        ...those('failed', 'pending').map((test) => {
          const error = messageOf(test.result().errors?.[0] ?? 'ended without a result');
          return `${inFile(test.fullName, test.module)}: ${error}`;
        }),
        ...broken.map((group) =>
          group.type === 'suite' ? inFile(group.fullName, group.module) : group.relativeModuleId,
        ),
        ...unhandledErrors.map((error) => `an error that no test caught: ${messageOf(error)}`),
      ],
      skipped: tests.flatMap((test) => {
        const result = test.result();
        if (result.state !== 'skipped') return [];
        return [{ name: test.fullName, reason: result.note ?? 'switched off in its file, or by the filter' }];
      }),
      times: modules.map((module) => ({
        of: 'file',
        name: module.relativeModuleId,
        seconds: module.diagnostic().duration / 1000,
      })),
    };
    writeFileSync(process.env['PORCHLIGHT_TALLY'] ?? 'tally.json', JSON.stringify(tally));
  }
}

/** The first line of what an error says. Errors of the workers arrive as plain objects. */
function messageOf(error: unknown): string {
  const message = (error as { readonly message?: unknown } | null | undefined)?.message;
  return String(message ?? error).split('\n')[0] ?? '';
}
