import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { startProbed, type ProbedProcess } from '../support/probed-process.ts';
import { residentOf } from './attack.ts';
import { fillWithMentions } from './mention-folder.ts';
import { fillWithPosts } from './post-folder.ts';
import { heading, row } from './report.ts';
import { publicUrl, serverArguments } from './servers.ts';

interface BackupOptions {
  /** Where the data and the backup go. */
  readonly folder: string;
  readonly posts: number;
  readonly mentions: number;
  /** How long the server is left alone before memory is measured, in seconds. */
  readonly restSeconds: number;
}

const probeEveryMs = 200;
const megabyte = 1e6;

/**
 * Runs `npm run bench -- backup`: how long a backup takes while the server runs, for how long it stops the event loop,
 * and how much memory the server has before, at most meanwhile, and after.
 */
export async function benchBackup({ folder, posts, mentions, restSeconds }: BackupOptions): Promise<void> {
  const dataDir = path.join(folder, 'backed-up');
  console.log(`${posts} posts and ${mentions} mentions ...`);
  const post = await fillWithPosts(dataDir, posts);
  await fillWithMentions(dataDir, mentions, `${publicUrl}${post}`);
  const house = await startProbed({ dataDir, args: serverArguments });
  try {
    await house.call('posts.list', { limit: 1 });
    await house.call('webmentions.list', { limit: 1 });
    await rest(restSeconds * 1000);
    const before = await residentOf(house.pid);
    await house.inside('glance'); // What was before doesn't count.
    const { counts, seconds, ...most } = await watchedBackup(house, path.join(folder, 'backup.zip'));
    await rest(restSeconds * 1000);
    const after = await residentOf(house.pid);
    heading(`A backup of ${counts.posts} posts and ${counts.mentions} mentions`);
    row('time, s', seconds.toFixed(1));
    row('size, MB', (counts.bytes / megabyte).toFixed(1));
    row('main thread not free at most, ms', most.blocked.toFixed(0));
    row('event loop late at most, with other programs, ms', most.latest.toFixed(0));
    row('memory before, MB', (before / megabyte).toFixed(0));
    row('memory at its peak, MB', (most.peak / megabyte).toFixed(0));
    row(`memory ${restSeconds} s after it, MB`, (after / megabyte).toFixed(0));
  } finally {
    await house.stop();
  }
}

/** Makes a backup, and looks at the server meanwhile. */
async function watchedBackup(house: ProbedProcess, file: string) {
  const most = { blocked: 0, latest: 0, peak: 0, isMade: false };
  const began = performance.now();
  const making = house.call('data.backup', { path: file }).finally(() => (most.isMade = true));
  while (!most.isMade) {
    await Promise.race([rest(probeEveryMs), making]);
    const inside = await house.inside('glance');
    most.blocked = Math.max(most.blocked, inside.blocked);
    most.latest = Math.max(most.latest, inside.latest);
    most.peak = Math.max(most.peak, await residentOf(house.pid));
  }
  const { counts } = await making;
  return { counts, seconds: (performance.now() - began) / 1000, ...most };
}
