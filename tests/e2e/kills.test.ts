import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { whyNoPower } from '../bench/kills/power.ts';
import { summaryOf } from '../bench/kills/outcome.ts';
import { runRounds } from '../bench/kills/rounds.ts';
import { faultsOf } from '../bench/kills/run.ts';
import type { PowerMode } from '../bench/kills/surviving-content.ts';

const seed = 20261122;

async function outcomeOf(rounds: number, power?: readonly PowerMode[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'porchlight-kills-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const outcome = await runRounds({ folder, rounds, seed, ...(power && { power }), print: () => undefined });
  expect(faultsOf(outcome)).toEqual([]);
  // Preparing the folder takes two changes.
  const acknowledged = [...outcome.acknowledged.values()].reduce((sum, count) => sum + count, 0);
  expect(acknowledged).toBeGreaterThan(2);
  return outcome;
}

const whyNoPowerLoss = whyNoPower();
if (whyNoPowerLoss) console.log(`The power-loss test is skipped: ${whyNoPowerLoss}.`);
// Other systems have no site on 127.0.0.2 without a setting.
const isLinux = process.platform === 'linux';
if (!isLinux) console.log('The kill test is skipped: it needs Linux.');

test.skipIf(!isLinux)(
  'the built server loses nothing in three kills under mixed load',
  { timeout: 360_000 },
  async () => {
    expect(summaryOf(await outcomeOf(3), 'kill')).toBe('3 kills: 0 lost, 0 resurrected, 0 lists wrong');
  },
);

test.skipIf(whyNoPowerLoss)(
  'the built server loses nothing in four power losses under mixed load',
  { timeout: 360_000 },
  async () => {
    const outcome = await outcomeOf(4, ['strict', 'random']);
    expect(summaryOf(outcome, 'power loss')).toBe('4 power losses: 0 lost, 0 resurrected, 0 lists wrong');
  },
);
