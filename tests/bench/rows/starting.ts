import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startHeadless, headlessProgram } from '../../support/headless-process.ts';
import { medians, type Name } from '../measure.ts';
import { serverArguments, type Program } from '../servers.ts';
import type { Line } from '../targets.ts';
import { cpuMsOf } from '../usage.ts';

const bareProgram = path.join(import.meta.dirname, '../bare-start.mjs');

/** Starts the smallest server and waits for its first response. */
export async function startBareAlone(): Promise<{ pid: number; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [bareProgram], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [address] = (await once(child.stdout, 'data')) as [Buffer];
  await (await fetch(address.toString().trim())).arrayBuffer();
  const exited = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.kill();
      await exited;
    },
  };
}

/** What starts cost, by program, in ms. */
type Times = Map<Name, number[]>;

/**
 * Measures the processor time from the start of the process to its first response and, with much data after SIGKILL,
 * also the time until the lists of posts, files and mentions are there.
 */
export async function measureStarts(programs: readonly Program[], rounds: number): Promise<Line[]> {
  console.log('start ...');
  const clean: Times = new Map();
  const much: Times = new Map();
  const killed: Times = new Map();
  const lists: Times = new Map();
  const add = (times: Times, name: Name, ms: number) => times.set(name, [...(times.get(name) ?? []), ms]);
  for (let round = 0; round < rounds; round += 1) {
    const bare = await startBareAlone();
    add(clean, 'bare', cpuMsOf(bare.pid));
    await bare.stop();
    for (const program of programs) {
      const { name } = program;
      const kind = name === 'beforeMuch' ? 'before' : name === 'nowMuch' ? 'now' : undefined;
      const { cpuMs } = await startOf(program, kind === undefined ? 'SIGTERM' : 'SIGKILL');
      add(clean, name, cpuMs);
      if (kind === undefined) continue;
      add(much, kind, cpuMs);
      const again = await startOf(program, 'SIGTERM');
      add(killed, kind, again.cpuMs);
      add(lists, kind, again.listsMs);
    }
  }
  const line = (name: string, title: string, times: Times): Line => ({
    name,
    title,
    unit: 'ms',
    value: medians(times),
  });
  return [
    line('start', 'start to first response', clean),
    {
      ...line('start-killed', 'the same after SIGKILL, much data', killed),
      base: medians(much),
    },
    line('lists-killed', 'lists after SIGKILL, much data', lists),
  ];
}

/** Starts a program, asks for its lists, and ends it with a signal. `listsMs`: from the start of the process. */
async function startOf(
  { root, dataDir }: Program,
  signal: NodeJS.Signals,
): Promise<{ cpuMs: number; listsMs: number }> {
  const began = performance.now();
  const house = await startHeadless({ dataDir, args: serverArguments, program: headlessProgram(root) });
  const metadata = `http://127.0.0.1:${house.ready.port}/.well-known/oauth-authorization-server`;
  await (await fetch(metadata)).arrayBuffer();
  const cpuMs = cpuMsOf(house.child.pid ?? 0);
  for (const method of ['posts.list', 'media.list', 'webmentions.list'] as const)
    await house.call(method, {});
  const listsMs = performance.now() - began;
  await house.stop(signal);
  return { cpuMs, listsMs };
}
