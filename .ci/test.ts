// What `npm test` runs: the static checks, then every test; the last line of stdout counts them all.
// With arguments, vitest alone with these arguments: npm test -- tests/unit/options.test.ts
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
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
/** Files that were formatted in the last run, and have not changed since, are not parsed again. */
const prettierCache = [
  '--cache',
  ...['--cache-strategy', 'content', '--cache-location', bin('.cache/prettier/formatted')],
];
const checks: readonly Check[] = [
  ['Types', bin('typescript/bin/tsc'), '-b'],
  ['Lint', bin('eslint/bin/eslint.js'), '.', '--max-warnings', '0'],
  ['Format', bin('prettier/bin/prettier.cjs'), '--check', ...prettierCache, '--log-level', 'warn', '.'],
  ['Import rules', bin('dependency-cruiser/bin/dependency-cruiser.mjs'), 'src-main', 'src-renderer'],
  ['Unused code', bin('knip/bin/knip.js')],
];

await provideTestNeeds();
const total = filters.length === 0 ? await runAll() : await runSome();
process.exitCode = total.failed.length > 0 || total.passed === 0 ? 1 : 0;
process.stdout.write(`\n${summaryOf(total)}\n`);

/** Electron's tests share a display: they run one at a time and mostly wait. Everything else runs beside them. */
async function runAll(): Promise<Tally> {
  const built = await runCheck(...build);
  const [others, desktop] = await Promise.all([runOthers(), runTests(['--project', 'desktop'], 'later')]);
  return add(built, add(others, desktop));
}

async function runOthers(): Promise<Tally> {
  let sum: Tally = { passed: 0, failed: [], skipped: [] };
  for (const check of checks) sum = add(sum, await runCheck(...check));
  headline('Tests');
  // By itself, Vitest leaves one processor free, which on a small machine is half of it.
  return add(sum, await runTests(['--project', '!desktop', '--maxWorkers', '100%'], 'now'));
}

async function runSome(): Promise<Tally> {
  // The tests run what is built; only a failure is worth counting here.
  const { failed } = await runCheck(...build);
  headline('Tests');
  const tests = await runTests(filters, 'now');
  return { ...tests, failed: [...tests.failed, ...failed] };
}

async function runCheck(...[name, script, ...args]: Check): Promise<Tally> {
  headline(name);
  const code = await runChild(process.execPath, [script, ...args]);
  if (code !== 0) process.stdout.write(`${name}: failed (exit code ${code})\n`);
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? [] : [name], skipped: [] };
}

/** Runs Vitest. `later`: its output appears at the end, so that it does not mix with what runs beside it. */
async function runTests(selection: readonly string[], print: 'now' | 'later'): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-tally-'));
  const file = join(folder, 'tally.json');
  const output = join(folder, 'output.txt');
  const reporters = ['--reporter=default', '--reporter=./.ci/vitest-reporter.ts'];
  const vitest = [process.execPath, bin('vitest/vitest.mjs'), 'run', ...reporters, ...selection];
  const [command = '', ...args] = [...wrappers(), ...vitest];
  const kept = print === 'later' ? openSync(output, 'a') : undefined;
  try {
    const env = {
      // A name of its own: tests on a desktop never touch what the developer's own Porchlight keeps.
      PORCHLIGHT_SECRET_SERVICE: `porchlight-test-${randomBytes(4).toString('hex')}`,
      ...process.env,
      PORCHLIGHT_TALLY: file,
    };
    const code = await runChild(command, args, {
      env,
      ...(kept !== undefined && { stdio: ['ignore', kept, kept] }),
    });
    if (!existsSync(file))
      return { passed: 0, failed: [`vitest ended without a count (exit code ${code})`], skipped: [] };
    const tally = JSON.parse(readFileSync(file, 'utf8')) as Tally;
    // vitest knows failures that are nobody's test, such as a threshold or a crash at the end.
    const unnamed = code !== 0 && tally.failed.length === 0;
    return unnamed ? { ...tally, failed: [`vitest (exit code ${code})`] } : tally;
  } finally {
    if (kept !== undefined) {
      closeSync(kept);
      headline('Tests in Electron');
      process.stdout.write(readFileSync(output));
    }
    rmSync(folder, { recursive: true });
  }
}

/** A display and a session bus with a throw-away keyring, where this machine has none but can make them. */
function wrappers(): string[] {
  if (process.platform !== 'linux') return [];
  const needsBus = !process.env['DBUS_SESSION_BUS_ADDRESS'];
  const canMakeBus = findProgram('dbus-run-session') && findProgram('gnome-keyring-daemon');
  const needsDisplay = !process.env['DISPLAY'];
  // Without -noreset the display starts anew whenever its last client leaves, and a program that comes just then
  // finds none: a look for a dialog is such a client.
  const screen = '-screen 0 1280x1024x24 -noreset';
  return [
    ...(needsBus && canMakeBus ? ['dbus-run-session', '--', 'bash', 'tests/support/keyring.sh'] : []),
    ...(needsDisplay && findProgram('xvfb-run') ? ['xvfb-run', '-a', '-s', screen] : []),
  ];
}

function headline(name: string): void {
  process.stdout.write(`\n== ${name}\n`);
}
