import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { costlyBackups } from '../support/costly-backups.ts';
import { startHeadless } from '../support/headless-process.ts';
import { hostileArchive, hostileArchives } from '../support/hostile-archives.ts';

/** Resolves with the most memory that a process has ever used, in MB; 0 without /proc. */
async function peakMegabytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid ?? 0}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1000;
}

/**
 * A built server that checks files in `folder`. `checked` asks for the home page again and again during a check, and
 * resolves with the result. `expectWell` expects that visitors got answers, and that the server used less memory than
 * `most`, in MB.
 */
async function scene() {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-hostile-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const house = await startHeadless({ args: ['--me', 'https://owner.example/', '--tunnel', 'off'] });
  onTestFinished(() => house.remove());
  const before = await peakMegabytes(house.child.pid);
  /** The number of answers that visitors got during each check. */
  const answers: number[] = [];
  return {
    folder,
    house,
    checked: async <T>(check: Promise<T>): Promise<T | string> => {
      const state = { isOver: false };
      const checking = check
        .catch((error: unknown) => (error as Error).message)
        .finally(() => (state.isOver = true));
      let count = 0;
      while (!state.isOver) {
        expect((await fetch(`${house.ready.baseUrl}/`)).status).toBe(200);
        count += 1;
      }
      answers.push(count);
      return checking;
    },
    expectWell: async (most: number): Promise<void> => {
      expect(Math.min(...answers)).toBeGreaterThan(5);
      expect(house.child.exitCode).toBeNull();
      expect((await peakMegabytes(house.child.pid)) - before).toBeLessThan(most);
    },
  };
}

test(
  'while costly backups are checked, the built server answers visitors, and its memory is limited',
  { timeout: 600_000 },
  async () => {
    const { folder, house, checked, expectWell } = await scene();
    const path = join(folder, 'bomb.zip');
    for (const { what, write, told } of costlyBackups) {
      await rm(path, { force: true });
      await write(path);
      const problems = await checked(
        house.call('data.restore', { path }).then((restore) => restore.problems.join('\n')),
      );
      expect(problems, what).toMatch(told);
    }
    await expectWell(600);
  },
);

test(
  'while hostile archives of each format are checked, the built server answers visitors, and its memory is limited',
  { timeout: 300_000 },
  async () => {
    const { folder, house, checked, expectWell } = await scene();
    for (const archive of hostileArchives) {
      const path = await hostileArchive(archive, folder);
      const found = await checked(
        house.call('posts.import', { path, format: 'auto', dryRun: true }).then((check) => check.found),
      );
      const { result } = archive;
      expect([archive.name, found]).toEqual([archive.name, 'error' in result ? result.error : result.found]);
    }
    await expectWell(300);
  },
);
