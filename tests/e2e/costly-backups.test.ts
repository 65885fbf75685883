import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { costlyBackups } from '../support/costly-backups.ts';
import { startHeadless } from '../support/headless-process.ts';

/** Resolves with the most memory that a process has ever used, in MB; 0 without /proc. */
async function peakMegabytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid ?? 0}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1000;
}

test(
  'while costly backups are checked, the built server answers visitors, and its memory is limited',
  { timeout: 600_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'porchlight-costly-backups-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const house = await startHeadless({ args: ['--me', 'https://owner.example/', '--tunnel', 'off'] });
    onTestFinished(() => house.remove());
    const before = await peakMegabytes(house.child.pid);
    /** The number of answers that visitors got during each check. */
    const answers: number[] = [];
    for (const { what, write, told } of costlyBackups) {
      const path = join(folder, 'bomb.zip');
      await rm(path, { force: true });
      await write(path);
      const state = { isOver: false };
      const checking = house
        .call('data.restore', { path })
        .then(({ problems }) => problems.join('\n'))
        .catch((error: unknown) => (error as Error).message)
        .finally(() => (state.isOver = true));
      let count = 0;
      while (!state.isOver) {
        expect((await fetch(`${house.ready.baseUrl}/`)).status).toBe(200);
        count += 1;
      }
      answers.push(count);
      expect(await checking, what).toMatch(told);
    }
    expect(Math.min(...answers)).toBeGreaterThan(5);
    expect(house.child.exitCode).toBeNull();
    expect((await peakMegabytes(house.child.pid)) - before).toBeLessThan(600);
  },
);
