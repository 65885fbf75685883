import { setTimeout as rest } from 'node:timers/promises';
import { headlessProgram, startHeadless, type HeadlessProcess } from '../../support/headless-process.ts';
import type { Values } from '../measure.ts';
import { profileOf, profileProbe } from '../profile.ts';
import { serverArguments, type Program } from '../servers.ts';
import type { Sources } from '../source-server.ts';
import type { Line } from '../targets.ts';
import { megabytesOf } from '../usage.ts';
import { unlessEarlier } from './scene.ts';

const sampleMs = 100;

/** Imports from a local server that responds as webmention.io does, into an empty folder of each program. */
export async function measureImports(
  programs: readonly Pick<Program, 'name' | 'root'>[],
  { aggregator }: Sources,
  profile: boolean,
): Promise<Line[]> {
  console.log('import ...');
  const rates: Values = {};
  const memory: Values = {};
  for (const { name, root } of programs)
    await unlessEarlier(name, async () => {
      const house = await startImporter(root, aggregator);
      let most = 0;
      const timer = setInterval(() => (most = Math.max(most, megabytesOf(house.child.pid ?? 0))), sampleMs);
      const began = performance.now();
      const imported = await importAll(house, aggregator.token).finally(() => clearInterval(timer));
      Object.assign(rates, { [name]: imported / ((performance.now() - began) / 1000) });
      Object.assign(memory, { [name]: most });
      await house.remove();
      // In a program of its own, because the profiler needs memory too.
      if (profile && name === 'now') console.log(await profiled(root, aggregator));
    });
  return [
    { name: 'import', title: 'import', unit: 'per second', value: rates },
    { name: 'import-memory', title: 'import, peak memory', unit: 'MB', value: memory },
  ];
}

/** Starts a program with an empty folder, which imports from this aggregator. */
async function startImporter(
  root: string,
  aggregator: Sources['aggregator'],
  probe?: string,
): Promise<HeadlessProcess> {
  const house = await startHeadless({
    args: serverArguments,
    program: headlessProgram(root),
    ...(probe !== undefined && { probe }),
  });
  await house.call('settings.update', { webmention: { aggregatorUrl: aggregator.origin } });
  return house;
}

async function profiled(root: string, aggregator: Sources['aggregator']): Promise<string> {
  const house = await startImporter(root, aggregator, profileProbe);
  try {
    return await profileOf({ house }, () => importAll(house, aggregator.token));
  } finally {
    await house.remove();
  }
}

/** Imports, and asks for the progress until the import is over, because a client may abandon a call after minutes. */
async function importAll(house: HeadlessProcess, aggregatorToken: string): Promise<number> {
  const refusals: Error[] = [];
  house
    .call('webmentions.import', { aggregatorToken })
    .catch((error: unknown) => refusals.push(error as Error));
  for (;;) {
    await rest(sampleMs);
    const { progress } = await house.call('webmentions.importState', {});
    if (progress?.state === 'done') return progress.done;
    if (progress?.state === 'failed') throw new Error(progress.words);
    const [refusal] = refusals;
    if (progress === null && refusal) throw refusal;
  }
}
