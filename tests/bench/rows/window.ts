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
import { medians, type Name } from '../measure.ts';
import { serverArguments, type Program } from '../servers.ts';
import type { Line } from '../targets.ts';

const run = promisify(execFile);
const emptyWindow = path.join(import.meta.dirname, '../empty-window.mjs');
const checkEveryMs = 50;

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
