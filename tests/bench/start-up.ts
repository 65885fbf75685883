import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

export interface Start {
  /** From the start of the process to its first answer. */
  readonly ms: number;
  /** Resident memory after that answer, in MB (10^6 bytes); NaN where the system does not tell. */
  readonly megabytes: number;
}

/** Starts a program that prints its address and ends on SIGTERM; `addressOf` reads it from a line of stdout. */
export async function measureStart(
  args: readonly string[],
  addressOf: (line: string) => string,
): Promise<Start> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  const response = await fetch(addressOf(chunk.toString().trim()));
  await response.arrayBuffer();
  const ms = performance.now() - began;
  const megabytes = await residentMegabytes(child.pid ?? 0);
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
  return { ms, megabytes };
}

/** Resident memory of a process, where /proc tells. */
export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? Number.NaN : (Number(kilobytes) * 1024) / 1e6;
}
