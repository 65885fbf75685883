import type { House } from './house.ts';
import type { Rest, Sample } from './judgement.ts';
import { processesOf } from './processes.ts';
import { rest } from './work.ts';

const columns = ['time', 'heap MB', 'RSS MB', 'handles', 'threads', 'processes', 'late ms', 'latest ms'];
const width = 11;

export const tableHead = () => columns.map((name) => name.padStart(width)).join('');

/** Looks once and prints a line of the table. */
export async function takeSample(house: House, began: number): Promise<Sample> {
  const { heap, late, latest } = await house.inside();
  const processes = await processesOf(house.pid);
  const resident = processes.reduce((sum, one) => sum + one.resident, 0);
  const at = (performance.now() - began) / 1000;
  const [server] = processes;
  const cells = [
    `${Math.floor(at / 60)}:${String(Math.floor(at % 60)).padStart(2, '0')}`,
    (heap / 1e6).toFixed(1),
    (resident / 1e6).toFixed(0),
    server?.handles ?? 0,
    server?.threads ?? 0,
    processes.length,
    late.toFixed(0),
    latest.toFixed(0),
  ];
  console.log(cells.map((cell) => String(cell).padStart(width)).join(''));
  return { at, heap, resident };
}

/** The server at rest, as it is now. */
export async function restOf(pid: number): Promise<Rest> {
  const processes = await processesOf(pid);
  const [server] = processes;
  return {
    handles: server?.handles ?? 0,
    threads: server?.threads ?? 0,
    processes: processes.length,
    zombies: processes.filter(({ isZombie }) => isZombie).length,
  };
}

/** The same, once it has come to rest: what is kept for the next request is closed after a while, at most in so many ms. */
export async function settledRest(
  pid: number,
  isRest: (now: Rest) => boolean,
  mostMs: number,
): Promise<Rest> {
  const latest = performance.now() + mostMs;
  let now = await restOf(pid);
  while (!isRest(now) && performance.now() < latest) {
    await rest(1_000);
    now = await restOf(pid);
  }
  return now;
}
