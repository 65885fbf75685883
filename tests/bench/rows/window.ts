import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  desktopArguments,
  desktopEnvironment,
  electronBinary,
  sandboxArguments,
  whyNoDesktop,
} from '../../support/electron-app.ts';
import { medians, type Name, type Values } from '../measure.ts';
import { serverArguments, type Program } from '../servers.ts';
import { processesOf } from '../soak/processes.ts';
import type { Line } from '../targets.ts';
import { unlessEarlier } from './scene.ts';

const run = promisify(execFile);
const emptyWindow = path.join(import.meta.dirname, '../empty-window.mjs');
const checkEveryMs = 50;
/** Porchlight closes a window ten minutes after it was hidden. */
const windowGoneMs = 11 * 60_000;

/**
 * Measures the time until the window of each program is shown.
 * @throws Error if this computer cannot show one, or cannot tell when it is shown
 */
export async function measureWindows(programs: readonly Program[], rounds: number): Promise<Line[]> {
  const whyNot = whyNoDesktop() ?? (await whyNoWindow());
  if (whyNot !== undefined) throw new Error(whyNot);
  console.log('Electron window ...');
  const times = new Map<Name, number[]>();
  const add = (name: Name, ms: number) => times.set(name, [...(times.get(name) ?? []), ms]);
  for (let round = 0; round < rounds; round += 1) {
    add('bare', await shownAfter([...sandboxArguments, emptyWindow]));
    for (const { name, root, dataDir } of programs)
      add(name, await shownAfter(desktopArguments(dataDir, [...serverArguments, '--secrets', 'file'], root)));
  }
  return [{ name: 'window', title: 'Electron window shown', unit: 'ms', value: medians(times) }];
}

/**
 * Measures the memory of each program in the tray, as after a start at login, and of Electron with an empty hidden window.
 * One program after the other, because they would share memory.
 * @throws Error if this computer has no desktop
 */
export async function measureHidden(programs: readonly Program[], restSeconds: number): Promise<Line[]> {
  const whyNot = whyNoDesktop();
  if (whyNot !== undefined) throw new Error(whyNot);
  console.log('hidden window ...');
  const value: Values = {
    bare: await hiddenMemory([...sandboxArguments, emptyWindow, '--hidden'], restSeconds),
  };
  for (const { name, root, dataDir } of programs) {
    if (name !== 'before' && name !== 'now') continue;
    const args = desktopArguments(dataDir, [...serverArguments, '--secrets', 'file', '--no-open'], root);
    await unlessEarlier(name, async () => {
      const waitMs = name === 'now' ? windowGoneMs : 0;
      Object.assign(value, { [name]: await hiddenMemory(args, restSeconds, waitMs) });
    });
  }
  return [{ name: 'hidden', title: 'desktop app in the tray', unit: 'MB', value }];
}

/** Starts Electron and returns the memory of its processes after a rest. `waitMs`: how long to wait for its window's end. */
async function hiddenMemory(args: readonly string[], restSeconds: number, waitMs = 0): Promise<number> {
  const child = spawn(electronBinary, args, { env: desktopEnvironment(), stdio: 'ignore' });
  const exited = once(child, 'exit');
  const processes = () => processesOf(child.pid ?? 0);
  try {
    await rest(restSeconds * 1000);
    const end = Date.now() + waitMs;
    while (Date.now() < end && (await processes()).some(({ command }) => command.includes('--type=renderer')))
      await rest(1000);
    if (child.exitCode !== null) throw new Error(`Electron ended with ${child.exitCode}.`);
    return (await processes()).reduce((sum, { shared }) => sum + shared, 0) / 1e6;
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

/** Starts Electron and returns the ms until a window whose name ends in Porchlight is on the screen. */
async function shownAfter(args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(electronBinary, args, { env: desktopEnvironment(), stdio: 'ignore' });
  const exited = once(child, 'exit');
  // xdotool ends with 1 while there is no such window.
  const findWindow = () => run('xdotool', ['search', '--onlyvisible', '--name', 'Porchlight$']);
  while (
    !(await findWindow().then(
      () => true,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`Electron ended with ${child.exitCode}.`);
    await rest(checkEveryMs);
  }
  const ms = performance.now() - began;
  child.kill('SIGTERM');
  await exited;
  return ms;
}

async function whyNoWindow(): Promise<string | undefined> {
  return run('xdotool', ['version']).then(
    () => undefined,
    () => 'xdotool is not installed, and nothing else shows when a window appears',
  );
}
