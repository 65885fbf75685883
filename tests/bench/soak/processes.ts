import { readdir, readFile, readlink } from 'node:fs/promises';

/** A process and what it holds, as /proc tells. */
export interface ProcessReading {
  readonly pid: number;
  readonly name: string;
  /** With its arguments. */
  readonly command: string;
  /** It has ended, and nobody has taken note of that. */
  readonly isZombie: boolean;
  /** Bytes in memory; `shared`: what it shares with others counts in part, so that sums are right. */
  readonly resident: number;
  readonly shared: number;
  readonly handles: number;
  readonly threads: number;
  /** Seconds of processor time so far. */
  readonly seconds: number;
}

/** Whether this system reports what the soak measures. */
export const hasProc = process.platform === 'linux';

const ticksASecond = 100;
const kilobyte = 1024;

/** A process and all that it started, itself first. One that ends meanwhile is left out. */
export async function processesOf(root: number): Promise<ProcessReading[]> {
  const all = await Promise.all(
    (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((name) => statOf(Number(name))),
  );
  const stats = all.filter((stat) => stat !== undefined);
  const pids = [root];
  for (const parent of pids)
    pids.push(...stats.filter((stat) => stat.parent === parent).map(({ pid }) => pid));
  const found = pids.flatMap((pid) => stats.filter((stat) => stat.pid === pid));
  return Promise.all(found.map(readingOf));
}

/** What the handles of a process are, counted by kind. */
export async function handlesOf(pid: number): Promise<Record<string, number>> {
  const folder = `/proc/${pid}/fd`;
  const counts: Record<string, number> = {};
  for (const handle of await readdir(folder)) {
    const target = await readlink(`${folder}/${handle}`).catch(() => 'gone');
    const kind = target.replace(/:\[\d+\]$/, '');
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

interface Stat {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly seconds: number;
}

/** proc_pid_stat(5); the name may hold spaces and parentheses. */
async function statOf(pid: number): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  const [state = '', parent = ''] = fields;
  return {
    pid,
    name: text.slice(text.indexOf('(') + 1, end),
    state,
    parent: Number(parent),
    seconds: (Number(fields[11]) + Number(fields[12])) / ticksASecond,
  };
}

async function readingOf({ pid, name, state, seconds }: Stat): Promise<ProcessReading> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const numberIn = (text: string, field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return {
    pid,
    name,
    command: command.replaceAll('\0', ' '),
    isZombie: state === 'Z',
    resident: numberIn(status, 'VmRSS') * kilobyte,
    shared: numberIn(rollup, 'Pss') * kilobyte,
    handles: (await readdir(`/proc/${pid}/fd`).catch(() => [])).length,
    threads: numberIn(status, 'Threads'),
    seconds,
  };
}
