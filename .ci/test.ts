// What `npm test` runs: the static checks, then every test; the last line of stdout counts them all.
// With arguments, vitest alone with these arguments: npm test -- tests/unit/options.test.ts
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, root, runChild } from './child.ts';
import { add, summaryOf } from './tally.ts';
import type { Tally } from './tally.ts';
import { provideTestNeeds } from './test-needs.ts';

const filters = process.argv.slice(2);
const bin = (path: string) => join(root, 'node_modules', path);

type Check = readonly [name: string, script: string, ...args: string[]];
const build: Check = ['Build', '.ci/build.ts'];
const checks: readonly Check[] = [
  build,
  ['Types', bin('typescript/bin/tsc'), '-b'],
  ['Lint', bin('eslint/bin/eslint.js'), '.', '--max-warnings', '0'],
  ['Format', bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'],
  ['Import rules', bin('dependency-cruiser/bin/dependency-cruiser.mjs'), 'src-main', 'src-renderer'],
  ['Unused code', bin('knip/bin/knip.js')],
];

await provideTestNeeds();
let total: Tally = { passed: 0, failed: 0, skipped: [] };
if (filters.length === 0) for (const check of checks) total = add(total, await runCheck(...check));
else {
  // The tests run what is built; only a failure is worth counting here.
  const { failed } = await runCheck(...build);
  total = add(total, { passed: 0, failed, skipped: [] });
}
const tests = await runTests();
total = add(total, tests);
process.exitCode = total.failed > 0 || tests.passed + tests.failed === 0 ? 1 : 0;
process.stdout.write(`\n${summaryOf(total)}\n`);

async function runCheck(...[name, script, ...args]: Check): Promise<Tally> {
  headline(name);
  const code = await runChild(process.execPath, [script, ...args]);
  if (code !== 0) process.stdout.write(`${name}: failed (exit code ${code})\n`);
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: [] };
}

async function runTests(): Promise<Tally> {
  headline('Tests');
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-tally-'));
  const file = join(folder, 'tally.json');
  const reporters = ['--reporter=default', '--reporter=./.ci/vitest-reporter.ts'];
  const vitest = [process.execPath, bin('vitest/vitest.mjs'), 'run', ...reporters, ...filters];
  const [command = '', ...args] = [...wrappers(), ...vitest];
  try {
    const env = {
      // A name of its own: tests on a desktop never touch what the developer's own Porchlight keeps.
      PORCHLIGHT_SECRET_SERVICE: `porchlight-test-${randomBytes(4).toString('hex')}`,
      ...process.env,
      PORCHLIGHT_TALLY: file,
    };
    const code = await runChild(command, args, { env });
    if (!existsSync(file)) return { passed: 0, failed: 1, skipped: [] };
    const tally = JSON.parse(readFileSync(file, 'utf8')) as Tally;
    // vitest knows failures that are nobody's test, such as a threshold or a crash at the end.
    return code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A display and a session bus with a throw-away keyring, where this machine has none but can make them. */
function wrappers(): string[] {
  if (process.platform !== 'linux') return [];
  const needsBus = !process.env['DBUS_SESSION_BUS_ADDRESS'];
  const canMakeBus = findProgram('dbus-run-session') && findProgram('gnome-keyring-daemon');
  const needsDisplay = !process.env['DISPLAY'];
  return [
    ...(needsBus && canMakeBus ? ['dbus-run-session', '--', 'bash', 'tests/support/keyring.sh'] : []),
    ...(needsDisplay && findProgram('xvfb-run') ? ['xvfb-run', '-a', '-s', '-screen 0 1280x1024x24'] : []),
  ];
}

function headline(name: string): void {
  process.stdout.write(`\n== ${name}\n`);
}
