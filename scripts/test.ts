// What `npm test` runs: the static checks and the tests that are quick; with --all, every test. The last line of stdout
// counts them all. With other arguments, Vitest alone with these arguments: npm test -- tests/unit/app/options.test.ts
// With --install or CI=true, it first installs what the tests need on this computer. Otherwise, it skips what it can't run.
import { randomBytes } from 'node:crypto';
import type { StdioOptions } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, root, runChild } from './child.ts';
import { endStarted, endWithEverything } from './ending.ts';
import { sumOf, summaryOf, type Tally } from './tally.ts';
import { browserTests, provideTestNeeds } from './test-needs.ts';

/** What the temporary files of all tests take up together, in bytes, with plenty to spare. */
const neededMemory = 2 * 1024 ** 3;
const bin = (path: string) => join(root, 'node_modules', path);

/** window-accessibility.test.ts does the same for all views. */
const partOfAll = 'tests/e2e/quick/accessibility.test.ts';

type Check = readonly [name: string, script: string, ...args: string[]];
const build: Check = ['Build', join(root, 'scripts/build.ts')];
const lint: Check = ['Lint', bin('oxlint/bin/oxlint')];
const otherChecks: readonly Check[] = [
  // On several processors, it would infer some types several times, and the linter needs the other one.
  ['Types', bin('typescript-7/bin/tsc'), '-b', '--singleThreaded'],
  ['Format', bin('oxfmt/bin/oxfmt'), '--check'],
  ['Import rules', bin('dependency-cruiser/bin/dependency-cruiser.mjs'), 'src-main', 'src-renderer'],
  ['Unused code', bin('knip/bin/knip.js')],
];

endWithEverything();
const temporary = mkdtempSync(join(placeOfTemporary(), 'porchlight-'));
process.env['TMPDIR'] = temporary;
// After an error too. A program that is ending may still write to it.
process.on('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 10 }));
// The workers and programs of a run share compiled code. It is not kept: programs that tests build have new paths each time.
process.env['NODE_COMPILE_CACHE'] ??= join(temporary, 'compiled');

const installs = process.env['CI'] === 'true' || process.argv.includes('--install');
const args = process.argv.slice(2).filter((argument) => argument !== '--install');
const total = sumOf(await run());
await endStarted();
process.exitCode = total.failed.length > 0 || total.passed === 0 ? 1 : 0;
process.stdout.write(`\n${summaryOf(total)}\n`);

async function run(): Promise<Tally[]> {
  if (args.length === 0) {
    process.env['PORCHLIGHT_QUICK'] = '1';
    return runWithChecks(['unit', 'integration', 'isolated', 'window'], ['quick']);
  }
  if (args.length > 1 || args[0] !== '--all') return runSome(args);
  const flags = [`--exclude=${partOfAll}`];
  const tallies = await runWithChecks(['!quick', '!desktop', '!alone'], ['quick', 'desktop'], flags);
  headline('Tests that run alone');
  return [...tallies, await runTests(['--project=alone'], true)];
}

/** Memory, where Linux offers enough of it as a folder: many tests wait for the disk. Otherwise, the usual folder. */
function placeOfTemporary(): string {
  const inMemory = '/dev/shm';
  if (process.platform !== 'linux' || !existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize > neededMemory && process.availableMemory() > 2 * neededMemory ? inMemory : tmpdir();
}

/** Runs everything of some of Vitest's projects. Those that share a display mostly wait, so the rest runs beside them. */
async function runWithChecks(
  projects: readonly string[],
  onDisplay: readonly string[],
  flags: readonly string[] = [],
): Promise<Tally[]> {
  headline('Build');
  const built = await runCheck(build);
  // The static checks need nothing of it.
  const needs = provideTestNeeds(installs);
  const projectFlags = (names: readonly string[]) => names.map((name) => `--project=${name}`);
  const [others, shown] = await Promise.all([
    runChecks().then(async (checked) => {
      const { hasBrowser } = await needs;
      headline('Tests');
      // One worker more than processors, because many files mostly wait: for a browser, a server that starts, a clock.
      const workers = `--maxWorkers=${availableParallelism() + 1}`;
      return [...checked, await runTests([...projectFlags(projects), workers], hasBrowser)];
    }),
    printedAtOnce('Tests that share a display', async (stdio) => {
      const { hasBrowser } = await needs;
      return runTests([...projectFlags(onDisplay), ...flags], hasBrowser, stdio);
    }),
  ]);
  const { hasBrowser } = await needs;
  const isAll = args.includes('--all');
  return [built, ...others, shown, skippedFor(hasBrowser, isAll ? [] : ['tests/e2e/quick/'])];
}

/** The linter takes about as long as all other checks together, which run one after another. */
async function runChecks(): Promise<Tally[]> {
  const inTurn = async (checks: readonly Check[]) => {
    const tallies: Tally[] = [];
    for (const check of checks)
      tallies.push(await printedAtOnce(check[0], (stdio) => runCheck(check, stdio)));
    return tallies;
  };
  return (await Promise.all([inTurn([lint]), inTurn(otherChecks)])).flat();
}

async function runSome(filters: readonly string[]): Promise<Tally[]> {
  headline('Build');
  // The tests run what is built; only a failure is worth counting here.
  const built = await runCheck(build);
  const { hasBrowser } = await provideTestNeeds(installs);
  headline('Tests');
  const tests = await runTests(filters, hasBrowser);
  const paths = filters.filter((filter) => !filter.startsWith('-'));
  return [{ ...built, passed: 0 }, tests, skippedFor(hasBrowser, paths)];
}

/** Returns what is skipped on a computer without a browser: whole files. `paths`: parts of the paths that were asked for. */
function skippedFor(hasBrowser: boolean, paths: readonly string[]): Tally {
  const asked = (file: string) => paths.length === 0 || paths.some((path) => file.includes(path));
  const reason = 'this computer has no Chromium (“npm test -- --install” installs it)';
  const files = hasBrowser ? [] : browserTests().filter(asked);
  return { ...sumOf([]), skipped: files.map((name) => ({ name, reason })) };
}

async function runCheck(check: Check, stdio: StdioOptions = 'inherit'): Promise<Tally> {
  const [name, ...command] = check;
  const started = performance.now();
  const code = await runChild(process.execPath, command, { stdio });
  return {
    passed: code === 0 ? 1 : 0,
    failed: code === 0 ? [] : [`${name} (exit code ${code})`],
    skipped: [],
    times: [{ name, seconds: (performance.now() - started) / 1000 }],
  };
}

/** Runs Vitest. Without a browser, it leaves out the files that need one. */
async function runTests(
  selection: readonly string[],
  hasBrowser: boolean,
  stdio: StdioOptions = 'inherit',
): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-tally-'));
  const file = join(folder, 'tally.json');
  const reporters = ['--reporter=default', '--reporter=./scripts/tally.ts'];
  const without = hasBrowser ? [] : browserTests().map((file) => `--exclude=${file}`);
  const vitest = [process.execPath, bin('vitest/vitest.mjs'), 'run', ...reporters, ...without, ...selection];
  const [command = '', ...commandArgs] = [...wrappers(), ...vitest];
  try {
    const env = {
      // A name of its own: tests on a desktop never touch what the developer's own Porchlight keeps.
      PORCHLIGHT_SECRET_SERVICE: `porchlight-test-${randomBytes(4).toString('hex')}`,
      ...process.env,
      PORCHLIGHT_TALLY: file,
    };
    const code = await runChild(command, commandArgs, { env, stdio });
    if (!existsSync(file))
      return { ...sumOf([]), failed: [`vitest ended without a count (exit code ${code})`] };
    const tally = JSON.parse(readFileSync(file, 'utf8')) as Tally;
    // vitest knows failures that are nobody's test, such as a threshold or a crash at the end.
    const unnamed = code !== 0 && tally.failed.length === 0;
    return unnamed ? { ...tally, failed: [`vitest (exit code ${code})`] } : tally;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Prints the output of a child at its end, so that it does not mix with the output of others. */
async function printedAtOnce(name: string, run: (stdio: StdioOptions) => Promise<Tally>): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-output-'));
  const file = join(folder, 'output.txt');
  const output = openSync(file, 'a');
  try {
    return await run(['ignore', output, output]);
  } finally {
    closeSync(output);
    headline(name);
    process.stdout.write(readFileSync(file));
    rmSync(folder, { recursive: true });
  }
}

/** A display and a session bus with a throw-away keyring, where this machine has none but can make them. */
function wrappers(): string[] {
  if (process.platform !== 'linux') return [];
  const needsBus = !process.env['DBUS_SESSION_BUS_ADDRESS'];
  const canMakeBus = findProgram('dbus-run-session') && findProgram('gnome-keyring-daemon');
  const needsDisplay = !process.env['DISPLAY'];
  // Without -noreset the display restarts whenever its last client leaves, and a program that comes just then
  // finds none: a look for a dialog is such a client.
  const screen = '-screen 0 1280x1024x24 -noreset -s 0';
  return [
    ...(needsBus && canMakeBus ? ['dbus-run-session', '--', 'bash', 'tests/support/keyring.sh'] : []),
    ...(needsDisplay && findProgram('xvfb-run') ? ['xvfb-run', '-a', '-s', screen] : []),
  ];
}

function headline(name: string): void {
  process.stdout.write(`\n== ${name}\n`);
}
