import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import type { SoakOptions } from '../soak/options.ts';
import { whyNoPower } from './power.ts';
import { sumOf, summaryOf, type Outcome } from './outcome.ts';
import { runRounds } from './rounds.ts';

/** How many faults of each kind are printed. */
const mostPrinted = 50;
/**
 * The most rounds in one data folder. Each round checks everything that was acknowledged there, so that the time for
 * many rounds in one folder would grow with the square of their number.
 */
const mostRounds = 100;

/** Runs `--kills` or `--power`, and prints what it finds. Returns the exit code. */
export async function runKills({ kills, powerLosses, seed = randomInt(1e9) }: SoakOptions): Promise<number> {
  const why = powerLosses === undefined ? undefined : whyNoPower();
  if (why !== undefined) {
    console.log(`Power losses cannot be simulated here: ${why}.`);
    return 1;
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'porchlight-kills-'));
  console.log(`Seed ${seed}, in ${folder}`);
  const rounds = kills ?? powerLosses ?? 0;
  const starts = Array.from({ length: Math.ceil(rounds / mostRounds) }, (_, at) => at * mostRounds);
  const outcomes: Outcome[] = [];
  const lane = async () => {
    for (let from = starts.shift(); from !== undefined; from = starts.shift()) {
      const part = path.join(folder, String(from));
      await mkdir(part);
      outcomes.push(
        await runRounds({
          folder: part,
          seed: seed + from,
          rounds: Math.min(mostRounds, rounds - from),
          print: (line) => console.log(`From ${from}: ${line}`),
          ...(powerLosses !== undefined && { power: ['strict', 'random'] as const }),
        }),
      );
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  const outcome = sumOf(outcomes);
  const isGood = faultsOf(outcome).length === 0;
  const counts = [...outcome.acknowledged].map(([kind, count]) => `${kind} ${count}`);
  console.log(`Acknowledged changes by kind: ${counts.join(', ')}`);
  const { begun, cutOff } = outcome.checkpoints;
  console.log(`Checkpoints of the database under load: ${begun}, of which ${cutOff} were cut off`);
  for (const words of faultsOf(outcome)) console.log(words);
  console.log(summaryOf(outcome, powerLosses === undefined ? 'kill' : 'power loss'));
  if (isGood) await rm(folder, { recursive: true, force: true });
  else console.log(`The data folder is kept in ${folder}. --seed ${seed} repeats the plan.`);
  return isGood ? 0 : 1;
}

/** Returns the faults in words, each with its kind. */
export function faultsOf({ lost, resurrected, wrongLists, trouble }: Outcome): string[] {
  const some = (kind: string, faults: readonly string[]) =>
    faults.slice(0, mostPrinted).map((words) => `${kind}: ${words}`);
  return [
    ...some('Lost', lost),
    ...some('Resurrected', resurrected),
    ...some('Wrong list', wrongLists),
    ...some('Other', trouble),
  ];
}
