import { setTimeout as rest } from 'node:timers/promises';
import type { LoadGenerator } from '../load.ts';
import { measure, type Contender, type MeasureOptions } from '../measure.ts';
import type { Server } from '../servers.ts';
import type { Line } from '../targets.ts';
import { cpuMsOf } from '../usage.ts';
import { requestContender, startBareFor, type RequestRow } from './request-row.ts';

export interface RequestScene extends MeasureOptions {
  readonly servers: readonly Server[];
  readonly generator: LoadGenerator;
  /** For what the baseline writes. */
  readonly scratch: string;
}

/** Measures a row on all servers and a baseline. */
export async function measureRequests(row: RequestRow, scene: RequestScene): Promise<Line> {
  const now = scene.servers.find(({ name }) => name === 'now');
  if (!now) throw new Error('The current program does not run.');
  await Promise.all(scene.servers.map(quiet));
  const bare = await startBareFor(row, now, scene.scratch);
  try {
    const contenders: Contender[] = [];
    for (const one of [bare, ...scene.servers]) {
      const server = 'house' in one ? one : now;
      contenders.push(await requestContender(row, one, row.requests(server), scene.generator));
    }
    const { cpuMs, perSecond } = await measure(contenders, {
      ...{ seconds: scene.seconds, rounds: scene.rounds, most: row.most },
    });
    return { name: row.name, title: row.title, unit: 'cpu', value: cpuMs, perSecond };
  } finally {
    bare.stop();
  }
}

const quietMs = 500;
const mostQuietRounds = 40;

/** Resolves when a server has nothing left to do from the previous row, or after 20 s. */
async function quiet({ pid }: Server): Promise<void> {
  for (let round = 0; round < mostQuietRounds; round += 1) {
    const before = cpuMsOf(pid);
    await rest(quietMs);
    if (!(cpuMsOf(pid) - before > quietMs / 20)) return;
  }
}
