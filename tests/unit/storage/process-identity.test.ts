import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isRunning, thisProcess } from '../../../src-main/storage/process-identity.ts';

const onLinux = process.platform === 'linux';

/** The number of a process that has ended. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid!;
}

describe('a process', () => {
  test('runs while it runs', async () => {
    const self = await thisProcess();
    expect(self.pid).toBe(process.pid);
    expect(await isRunning(self)).toBe(true);
  });

  test('that has ended does not run, whether its start is known or not', async () => {
    const pid = await endedPid();
    const { started } = await thisProcess();
    expect(await isRunning({ pid, started })).toBe(false);
    expect(await isRunning({ pid, started: null })).toBe(false);
  });

  test('without a known start counts as running while its number is in use', async () => {
    expect(await isRunning({ pid: process.pid, started: null })).toBe(true);
  });

  test.runIf(onLinux)('whose number another process has got since does not run', async () => {
    const { started } = await thisProcess();
    const [boot, start] = started!.split('/');
    expect(await isRunning({ pid: process.pid, started: `${boot!}/${Number(start) - 1}` })).toBe(false);
    expect(await isRunning({ pid: process.pid, started: `an-earlier-boot/${start!}` })).toBe(false);
  });

  test.runIf(onLinux)('that was killed but not asked about by its parent yet does not run', async () => {
    // The shell becomes `sleep`, which never asks about the child that the shell had.
    const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    const { readFile } = await import('node:fs/promises');
    const stateOf = async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]![0];
    const startedAt = async () => {
      const stat = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
      return `${(await thisProcess()).started!.split('/')[0]!}/${stat[19]!}`;
    };
    const child = { pid, started: await startedAt() };
    expect(await isRunning(child)).toBe(true);
    process.kill(pid, 'SIGKILL');
    while ((await stateOf()) !== 'Z') await new Promise(setImmediate);
    expect(await isRunning(child)).toBe(false);
  });
});
