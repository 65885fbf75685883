import { setTimeout as rest } from 'node:timers/promises';
import type { Bare } from '../bare.ts';
import type { LoadGenerator } from '../load.ts';
import { measure, type Contender, type MeasureOptions, type Name } from '../measure.ts';
import { profileOf } from '../profile.ts';
import type { Server } from '../servers.ts';
import { lineText } from '../table.ts';
import type { Sources } from '../source-server.ts';
import type { Line } from '../targets.ts';
import { cpuMsOf } from '../usage.ts';

/** What the rows that need running servers share. */
export interface Scene extends Pick<MeasureOptions, 'seconds' | 'rounds'> {
  readonly bare: Bare;
  readonly servers: readonly Server[];
  readonly generator: LoadGenerator;
  readonly sources: Sources;
  /** Whether to print where the current program spends its time. */
  readonly profile: boolean;
}

/** What names an operation, and how often it is done. */
interface Operation extends Pick<MeasureOptions, 'most' | 'amount'> {
  readonly name: string;
  readonly title: string;
}

/**
 * Measures an operation on the baseline and on all servers. `of` makes the contender for each; undefined: this one isn't
 * measured.
 */
export async function measureOperation(
  { name, title, most, amount: fixed }: Operation,
  { bare, servers, seconds, rounds, profile }: Scene,
  of: (target: Bare | Server) => Promise<Contender | undefined>,
): Promise<Line> {
  console.log(`${title} ...`);
  await Promise.all(servers.map(quiet));
  const contenders: Contender[] = [];
  for (const target of [bare, ...servers]) {
    const contender = await unlessEarlier(target.name, async () => {
      const made = await of(target);
      if (target.name !== 'bare') await made?.run(fixed ?? 1);
      return made;
    });
    if (contender) contenders.push(contender);
  }
  const { cpuMs, perSecond } = await measure(contenders, { seconds, rounds, most, amount: fixed });
  const now = servers.find((server) => server.name === 'now');
  const contender = contenders.find((one) => one.name === 'now');
  if (profile && now && contender) {
    const amount = fixed ?? Math.max(1, Math.round((perSecond.now ?? 1) * seconds));
    console.log(await profileOf(now, () => contender.run(Math.min(amount, most ?? amount))));
  }
  return { name, title, unit: 'cpu', value: cpuMs, perSecond };
}

const quietMs = 100;
const mostQuietRounds = 300;
/** In a row, because work that goes on may wait for the disk meanwhile. */
const leastQuietRounds = 5;

/** Resolves when a server has nothing left to do from the previous row, or after 30 s. */
export async function quiet({ pid }: Pick<Server, 'pid'>): Promise<void> {
  let quietRounds = 0;
  for (let round = 0; round < mostQuietRounds && quietRounds < leastQuietRounds; round += 1) {
    const before = cpuMsOf(pid);
    await rest(quietMs);
    quietRounds = cpuMsOf(pid) - before > quietMs / 10 ? 0 : quietRounds + 1;
  }
}

/**
 * Returns what `work` returns. If it fails for the earlier version, which may not have what is measured, reports that and
 * returns undefined.
 */
export async function unlessEarlier<T>(name: Name, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!name.startsWith('before')) throw error;
    console.log(`${name} is not measured: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/**
 * Adds the lines of a row, and prints them, because a run may be interrupted. A row that fails is reported, and the
 * others go on.
 */
export async function attempt(
  lines: Line[],
  row: string,
  work: () => Promise<readonly Line[]>,
): Promise<void> {
  try {
    const measured = await work();
    lines.push(...measured);
    for (const line of measured) console.log(lineText(line));
  } catch (error) {
    console.log(`The row ${row} is not measured: ${error instanceof Error ? error.message : String(error)}`);
  }
}
