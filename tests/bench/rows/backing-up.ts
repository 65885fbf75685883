import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { headlessProgram } from '../../support/headless-process.ts';
import { startProbed, type ProbedProcess } from '../../support/probed-process.ts';
import { fill, type Checkout } from '../folders.ts';
import type { Values } from '../measure.ts';
import type { BenchOptions } from '../options.ts';
import { serverArguments } from '../servers.ts';
import type { Line } from '../targets.ts';
import { megabytesOf } from '../usage.ts';
import { unlessEarlier } from './scene.ts';

const probeEveryMs = 200;
const mostPosts = 10_000;
const mentions = 100;

/**
 * Measures a backup while the server runs: how long it takes, for how long it stops the main thread, and how much memory
 * the server has at most meanwhile, and after a rest.
 */
export async function measureBackups(
  folder: string,
  those: readonly Checkout[],
  { posts: wanted, restSeconds }: Pick<BenchOptions, 'posts' | 'restSeconds'>,
): Promise<Line[]> {
  const posts = Math.min(wanted, mostPosts);
  console.log(`backup of ${posts} posts ...`);
  const [time, blocked, peak, before, after]: Values[] = [{}, {}, {}, {}, {}];
  for (const { name, root } of those)
    await unlessEarlier(name, async () => {
      const dataDir = path.join(folder, `backed-up-${name}`);
      await fill({ root, dataDir, posts, mentions });
      const house = await startProbed({ dataDir, args: serverArguments, program: headlessProgram(root) });
      const keep = (values: Values | undefined, value: number) =>
        Object.assign(values ?? {}, { [name]: value });
      try {
        await house.call('posts.list', { limit: 1 });
        await rest(restSeconds * 1000);
        keep(before, megabytesOf(house.pid));
        await house.inside('glance'); // What was before doesn't count.
        const seen = await watchedBackup(house, path.join(folder, `backup-${name}.zip`));
        keep(time, seen.ms);
        keep(blocked, seen.blocked);
        keep(peak, seen.peak);
        await rest(restSeconds * 1000);
        keep(after, megabytesOf(house.pid));
      } finally {
        await house.stop();
      }
    });
  const title = `backup of ${posts} posts`;
  return [
    { name: 'backup', title, unit: 'ms', value: time ?? {} },
    { name: 'backup-blocked', title: `${title}, main thread blocked`, unit: 'ms', value: blocked ?? {} },
    { name: 'backup-peak', title: `${title}, peak memory`, unit: 'MB', value: peak ?? {} },
    {
      name: 'backup-memory',
      title: 'memory after it, over before',
      unit: 'MB',
      value: after ?? {},
      base: before ?? {},
    },
  ];
}

/** Makes a backup, and looks at the server meanwhile. */
async function watchedBackup(house: ProbedProcess, file: string) {
  const most = { blocked: 0, peak: 0, isMade: false };
  const began = performance.now();
  const making = house.call('data.backup', { path: file }).finally(() => (most.isMade = true));
  while (!most.isMade) {
    await Promise.race([rest(probeEveryMs), making]);
    most.blocked = Math.max(most.blocked, (await house.inside('glance')).blocked);
    most.peak = Math.max(most.peak, megabytesOf(house.pid));
  }
  await making;
  return { ms: performance.now() - began, blocked: most.blocked, peak: most.peak };
}
