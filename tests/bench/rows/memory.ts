import { setTimeout as rest } from 'node:timers/promises';
import type { Name, Values } from '../measure.ts';
import type { Server } from '../servers.ts';
import type { Line } from '../targets.ts';
import { kilobytesWrittenBy, megabytesOf, wakeupsOf } from '../usage.ts';
import { startBareAlone } from './starting.ts';

/**
 * Measures servers that have just started and are left alone: their memory, how often they wake up, and what they write.
 * Later measures their memory after the load.
 */
export async function measureMemory(
  servers: readonly Server[],
  restSeconds: number,
): Promise<{ idle: Line[]; afterLoad(): Promise<Line> }> {
  console.log(`memory ${restSeconds} s after the start ...`);
  const bare = await startBareAlone();
  // A program releases memory only after it has been quiet for a while.
  await rest(restSeconds * 500);
  const all = [{ name: 'bare' as const, pid: bare.pid }, ...servers];
  const [wakeups, written] = [valuesOf(all, wakeupsOf), valuesOf(all, kilobytesWrittenBy)];
  await rest(restSeconds * 500);
  /** Returns how much `count` grew in the second half of the rest, for each `seconds`. */
  const perTime = (earlier: Values, count: (pid: number) => number, seconds: number) =>
    valuesOf(all, (pid, name) => ((count(pid) - (earlier[name] ?? 0)) * seconds * 2) / restSeconds);
  const idle = valuesOf(all, megabytesOf);
  const lines: Line[] = [
    { name: 'idle', title: 'idle memory', unit: 'MB', value: idle },
    { name: 'wakeups', title: 'wakeups at rest', unit: 'wakeups', value: perTime(wakeups, wakeupsOf, 1) },
    { name: 'disk', title: 'writes at rest', unit: 'KB', value: perTime(written, kilobytesWrittenBy, 60) },
  ];
  await bare.stop();
  return {
    idle: lines,
    async afterLoad() {
      console.log(`memory ${restSeconds} s after the load ...`);
      await rest(restSeconds * 1000);
      const title = 'memory after load, over idle';
      return { name: 'after-load', title, unit: 'MB', value: valuesOf(servers, megabytesOf), base: idle };
    },
  };
}

const valuesOf = (
  all: readonly { readonly name: Name; readonly pid: number }[],
  of: (pid: number, name: Name) => number,
): Values => Object.fromEntries(all.map(({ name, pid }) => [name, of(pid, name)]));
