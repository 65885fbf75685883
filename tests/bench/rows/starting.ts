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

/** Measures the processor time from the start of the process to its first response. */
export async function measureStarts(programs: readonly Program[], rounds: number): Promise<Line> {
  console.log('start ...');
  const times = new Map<Name, number[]>();
  const add = (name: Name, ms: number) => times.set(name, [...(times.get(name) ?? []), ms]);
  for (let round = 0; round < rounds; round += 1) {
    const bare = await startBareAlone();
    add('bare', cpuMsOf(bare.pid));
    await bare.stop();
    for (const program of programs) add(program.name, await startOf(program));
  }
  return { name: 'start', title: 'start to first response', unit: 'ms', value: medians(times) };
}

async function startOf({ root, dataDir }: Program): Promise<number> {
  const house = await startHeadless({ dataDir, args: serverArguments, program: headlessProgram(root) });
  const metadata = `http://127.0.0.1:${house.ready.port}/.well-known/oauth-authorization-server`;
  await (await fetch(metadata)).arrayBuffer();
  const ms = cpuMsOf(house.child.pid ?? 0);
  await house.stop();
  return ms;
}
