import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  desktopArguments,
  desktopEnvironment,
  electronBinary,
  whyNoDesktop,
} from '../support/electron-app.ts';
import { median } from './load.ts';
import { heading, ratio, row } from './report.ts';
import { hasProc, processesOf } from './soak/processes.ts';

const run = promisify(execFile);
const rounds = 3;
/** After the start: the window draws, what is due goes on. */
const settleMs = 10_000;
const idleMs = 10_000;
const lookEveryMs = 50;

/** One start of the whole app, and its rest. Milliseconds from the start of the process; MB are 10^6 bytes. */
interface Life {
  readonly windowMs: number;
  readonly answerMs: number;
  /** Of one processor, in percent, of all processes together. */
  readonly idleCpu: number;
  /** Of all processes together, what they share counted once. */
  readonly megabytes: number;
}

/** The whole app in Electron with two folders: one without mentions, one that holds `what`. */
export async function benchApp(empty: string, filled: string, what: string): Promise<void> {
  const whyNot = whyNoDesktop() ?? (hasProc ? await whyNoWindows() : 'only Linux has /proc');
  if (whyNot !== undefined) {
    console.log(`\nThe whole app is not measured: ${whyNot}.`);
    return;
  }
  const lives: Record<'empty' | 'filled', Life[]> = { empty: [], filled: [] };
  for (let round = 0; round < rounds; round += 1) {
    lives.empty.push(await live(empty));
    lives.filled.push(await live(filled));
  }
  heading(`The whole app, with no mentions and with ${what} (median of ${rounds} starts in turn)`);
  const compare = (name: string, of: (life: Life) => number, digits = 0) => {
    const [before, after] = [median(lives.empty.map(of)), median(lives.filled.map(of))];
    row(`${name}, no mentions`, before.toFixed(digits));
    // Next to nothing has no ratio.
    const times = before < 1 ? '' : `${ratio(after, before)} times (aim: within 1.3)`;
    row(`${name}, ${what}`, after.toFixed(digits), times);
  };
  compare('start to window shown, ms', ({ windowMs }) => windowMs);
  compare('start to first public answer, ms', ({ answerMs }) => answerMs);
  compare('idle memory of all processes, MB', ({ megabytes }) => megabytes);
  compare('idle processor time, percent of one', ({ idleCpu }) => idleCpu, 2);
}

async function live(dataDir: string): Promise<Life> {
  const began = performance.now();
  const args = ['--secrets', 'file', '--me', 'https://owner.example/'];
  const child = spawn(electronBinary, desktopArguments(dataDir, args), {
    env: desktopEnvironment(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pid = child.pid ?? 0;
  try {
    const [answerMs, windowMs] = await Promise.all([
      answered(child).then(() => performance.now() - began),
      shown().then(() => performance.now() - began),
    ]);
    await setTimeout(settleMs);
    const cpu = async () => (await processesOf(pid)).reduce((sum, { seconds }) => sum + seconds, 0);
    const before = await cpu();
    await setTimeout(idleMs);
    const idleCpu = ((await cpu()) - before) / (idleMs / 1000);
    const shared = (await processesOf(pid)).reduce((sum, one) => sum + one.shared, 0);
    return { windowMs, answerMs, idleCpu: idleCpu * 100, megabytes: shared / 1e6 };
  } finally {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }
}

/** Resolves when the public side has answered for the first time. */
async function answered(child: ChildProcess): Promise<void> {
  if (!child.stdout) throw new Error('no stdout');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { baseUrl } = JSON.parse(line) as { baseUrl: string };
  await (await fetch(`${baseUrl}/.well-known/oauth-authorization-server`)).arrayBuffer();
}

/** Resolves when its window is on the screen. */
async function shown(): Promise<void> {
  // xdotool ends with 1 while there is none.
  while (
    !(await run('xdotool', ['search', '--onlyvisible', '--name', 'Porchlight$']).then(
      () => true,
      () => false,
    ))
  )
    await setTimeout(lookEveryMs);
}

async function whyNoWindows(): Promise<string | undefined> {
  return run('xdotool', ['version']).then(
    () => undefined,
    () => 'xdotool is not installed, and nothing else tells when a window is shown',
  );
}
