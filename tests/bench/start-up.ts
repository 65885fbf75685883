import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { headlessArguments, type Ready } from '../support/headless-process.ts';
import { bareProgram } from './bare.ts';
import { median } from './load.ts';
import { heading, ratio, row } from './report.ts';

const headless = path.join(import.meta.dirname, '../../out/main/headless.js');
const starts = 7;

interface Start {
  /** From the start of the process to its first answer. */
  readonly ms: number;
  /** Resident memory after that answer, in MB (10^6 bytes); NaN where the system does not tell. */
  readonly megabytes: number;
  /** From the start of the process until the lists of posts, files and mentions were answered; NaN where not asked for. */
  readonly listsMs: number;
}

/** What a start costs over a bare Fastify process, with an empty folder and with `filled`, one that holds `what`. */
export async function benchStartUp(filled: string, what: string): Promise<void> {
  const empty = await mkdtemp(path.join(tmpdir(), 'porchlight-bench-'));
  const addressOf = (line: string) =>
    `${(JSON.parse(line) as Ready).baseUrl}/.well-known/oauth-authorization-server`;
  const measured: Record<'bare' | 'empty' | 'filled' | 'killed', Start[]> = {
    ...{ bare: [], empty: [], filled: [], killed: [] },
  };
  const ours = [headless, ...headlessArguments(filled)];
  // The index of what was filed for the benchmark is made once.
  const made = await measureStart(ours, addressOf, { asksForLists: true });
  for (let round = 0; round < starts; round += 1) {
    measured.bare.push(await measureStart([bareProgram], (line) => line));
    measured.empty.push(await measureStart([headless, ...headlessArguments(empty)], addressOf));
    measured.filled.push(await measureStart(ours, addressOf, { asksForLists: true, signal: 'SIGKILL' }));
    measured.killed.push(await measureStart(ours, addressOf, { asksForLists: true }));
  }
  const ms = (name: keyof typeof measured) => median(measured[name].map((start) => start.ms));
  const megabytes = (name: keyof typeof measured) => median(measured[name].map((start) => start.megabytes));
  heading('Start, from the process to its first answer (median)');
  row('bare Fastify, ms', ms('bare').toFixed(0));
  row(
    'headless, ms',
    ms('empty').toFixed(0),
    `${ratio(ms('empty'), ms('bare'))} of bare (aim: under 600 ms)`,
  );
  row(
    `headless with ${what}, ms`,
    ms('filled').toFixed(0),
    `${ratio(ms('filled'), ms('empty'))} of an empty folder (aim: within 1.3)`,
  );
  row(
    'the same after SIGKILL, ms',
    ms('killed').toFixed(0),
    `${ratio(ms('killed'), ms('filled'))} of a clean start (aim: within 2)`,
  );
  const listsMs = (name: keyof typeof measured) => median(measured[name].map((start) => start.listsMs));
  row('until its lists are answered, ms', listsMs('filled').toFixed(0));
  row('until they are after SIGKILL, ms', listsMs('killed').toFixed(0), '(aim: under 5,000)');
  row('until they are without an index, ms', made.listsMs.toFixed(0));
  row('bare Fastify, MB', megabytes('bare').toFixed(0));
  row(
    'headless, MB',
    megabytes('empty').toFixed(0),
    `${ratio(megabytes('empty'), megabytes('bare'))} of bare (aim: under 120 MB)`,
  );
  row(
    `headless with ${what}, MB`,
    megabytes('filled').toFixed(0),
    `${ratio(megabytes('filled'), megabytes('empty'))} of an empty folder`,
  );
  await rm(empty, { recursive: true, force: true });
}

/**
 * Starts a program that prints its address, and ends it with `signal`; `addressOf` reads the address from a line of
 * stdout.
 */
async function measureStart(
  args: readonly string[],
  addressOf: (line: string) => string,
  { asksForLists = false, signal = 'SIGTERM' }: { asksForLists?: boolean; signal?: NodeJS.Signals } = {},
): Promise<Start> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  const line = chunk.toString().trim();
  const response = await fetch(addressOf(line));
  await response.arrayBuffer();
  const ms = performance.now() - began;
  const megabytes = await residentMegabytes(child.pid ?? 0);
  if (asksForLists) await askForLists(JSON.parse(line) as Ready);
  const listsMs = asksForLists ? performance.now() - began : Number.NaN;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
  return { ms, megabytes, listsMs };
}

async function askForLists({ consoleUrl, ownerKey }: Ready): Promise<void> {
  const headers = { authorization: `Bearer ${ownerKey}`, 'content-type': 'application/json' };
  for (const method of ['posts.list', 'media.list', 'webmentions.list']) {
    const response = await fetch(`${consoleUrl}/api/${method}`, { method: 'POST', headers, body: '{}' });
    if (!response.ok) throw new Error(`${method} was answered with ${response.status}.`);
    await response.arrayBuffer();
  }
}

/** Resident memory of a process, where /proc tells. */
export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? Number.NaN : (Number(kilobytes) * 1024) / 1e6;
}
