import { setTimeout as rest } from 'node:timers/promises';
import type { Values } from '../measure.ts';
import type { Server } from '../servers.ts';
import type { Line } from '../targets.ts';
import { megabytesOf } from '../usage.ts';
import { startBareAlone } from './starting.ts';

/** Measures the memory of servers that have just started, and later that after the load. */
export async function measureMemory(
  servers: readonly Server[],
  restSeconds: number,
): Promise<{ idle: Line; afterLoad(): Promise<Line> }> {
  console.log(`memory ${restSeconds} s after the start ...`);
  const bare = await startBareAlone();
  // A program releases memory only after it has been quiet for a while.
  await rest(restSeconds * 1000);
  const idle: Values = { bare: megabytesOf(bare.pid), ...memoryOf(servers) };
  await bare.stop();
  return {
    idle: { name: 'idle', title: 'idle memory', unit: 'MB', value: idle },
    async afterLoad() {
      console.log(`memory ${restSeconds} s after the load ...`);
      await rest(restSeconds * 1000);
      const title = 'memory after load, over idle';
      return { name: 'after-load', title, unit: 'MB', value: memoryOf(servers), base: idle };
    },
  };
}

const memoryOf = (servers: readonly Server[]): Values =>
  Object.fromEntries(servers.map(({ name, pid }) => [name, megabytesOf(pid)]));
