import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { costlyBackups } from '../../support/costly-backups.ts';
import { startPorchlight } from '../../support/porchlight.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

/** The longest that a visitor waits for this thread, in ms of its processor time: other programs don't count. */
const longestTurnMs = 300;
/** The thread's limit, what is outside of its JavaScript heap, and what this process does meanwhile. */
const mostBytes = 700_000_000;
const sampleMs = 5;

/** Measures this thread until `stop`: the processor time of its longest turn in ms, and the memory that was added. */
function measuring() {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const before = process.memoryUsage().rss;
  let last = used();
  let longest = 0;
  let bytes = 0;
  const timer = setInterval(() => {
    const now = used();
    longest = Math.max(longest, now - last);
    bytes = Math.max(bytes, process.memoryUsage().rss - before);
    last = now;
  }, sampleMs);
  return () => {
    clearInterval(timer);
    return { longest, bytes };
  };
}

test.each(costlyBackups)(
  'visitors are answered while a backup with $what is checked',
  async ({ write, told }) => {
    const home = await temporaryFolder();
    const dataDir = path.join(home, 'data');
    const file = path.join(home, 'bomb.zip');
    await mkdir(dataDir);
    await write(file);
    const porchlight = await startPorchlight({ dataDir });
    onTestFinished(() => porchlight.stop());
    await fetch(porchlight.base);
    const before = await porchlight.call('settings.get', {});
    // What writing the bomb took is not measured.
    await pause(100);
    const stop = measuring();
    const state = { isOver: false };
    let answers = 0;
    const visiting = (async () => {
      while (!state.isOver) {
        expect((await fetch(porchlight.base)).status).toBe(200);
        answers += 1;
        await pause(sampleMs);
      }
    })();
    const words = await porchlight.call('data.restore', { path: file }).then(
      ({ problems }) => problems.join('\n'),
      (error: unknown) => {
        expect(error).toMatchObject({ code: 'backup_broken' });
        return (error as Error).message;
      },
    );
    state.isOver = true;
    const { longest, bytes } = stop();
    await visiting;
    expect(words).toMatch(told);
    expect(answers).toBeGreaterThan(0);
    expect(longest).toBeLessThan(longestTurnMs);
    expect(bytes).toBeLessThan(mostBytes);
    await porchlight.call('data.cancel', {}).catch(() => undefined);
    expect(await porchlight.call('settings.get', {})).toEqual(before);
    expect((await readdir(home)).sort()).toEqual(['bomb.zip', 'data']);
  },
);
