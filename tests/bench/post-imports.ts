/**
 * Imports posts from an archive of each format into the built server, and prints time, peak memory and what was
 * skipped: `node tests/bench/post-imports.ts [COUNT] [FORMAT]`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHeadless } from '../support/headless-process.ts';
import { largeArchive } from '../support/large-archives.ts';
import { megabytesOf } from './usage.ts';

const formats = ['mastodon', 'twitter', 'wxr', 'microblog', 'markdown'] as const;
const count = Number(process.argv[2] ?? 10_000);
const only = process.argv[3];
const sampleMs = 100;

const folder = await mkdtemp(join(tmpdir(), 'porchlight-post-imports-'));
try {
  for (const format of formats.filter((name) => only === undefined || name === only)) {
    const path = await largeArchive(format, count, folder);
    const house = await startHeadless({ args: ['--me', 'https://owner.example/', '--tunnel', 'off'] });
    const rest = megabytesOf(house.child.pid ?? 0);
    let most = rest;
    const timer = setInterval(() => (most = Math.max(most, megabytesOf(house.child.pid ?? 0))), sampleMs);
    const timed = async <T>(work: () => Promise<T>) => {
      const began = performance.now();
      const result = await work();
      return { result, seconds: ((performance.now() - began) / 1000).toFixed(1) };
    };
    const check = await timed(() => house.call('posts.import', { path, format: 'auto', dryRun: true }));
    const run = await timed(() => house.call('posts.import', { path, format: 'auto' }));
    const again = await timed(() => house.call('posts.import', { path, format: 'auto' }));
    const undo = await timed(() => house.call('posts.undoImport', { id: run.result.id }));
    clearInterval(timer);
    const skipped =
      run.result.reasons.map(({ why, count: times }) => `${times} ${why}`).join('; ') || 'nothing';
    console.log(
      `${format}: checked in ${check.seconds} s, imported ${run.result.imported} in ${run.seconds} s, again ${again.result.imported} in ${again.seconds} s, undone ${undo.result.deleted} in ${undo.seconds} s; ${rest} MB at rest, ${most} MB at most; skipped: ${skipped}`,
    );
    await house.remove();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
