import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { processNow } from '../../../src-main/storage/process-identity.ts';

describe.runIf(process.platform === 'linux')('the identity of a process', () => {
  test('stays the same while it runs, and differs from that of every other', async () => {
    const self = await processNow(process.pid);
    expect(self).toEqual({ pid: process.pid, started: expect.stringMatching(/^[\w-]+\/\d+$/) as string });
    expect(await processNow(process.pid)).toEqual(self);
    expect((await processNow(process.ppid)).started).not.toBe(self.started);
  });

  test('of one that has ended has no start', async () => {
    const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(child, 'exit');
    expect(await processNow(child.pid!)).toEqual({ pid: child.pid, started: null });
  });

  test('of one that was killed but not asked about by its parent yet says so', async () => {
    // The shell becomes `sleep`, which never asks about the child that the shell had.
    const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    const parentName = () => readFile(`/proc/${parent.pid}/comm`, 'utf8');
    await expect.poll(parentName).toBe('sleep\n');
    expect((await processNow(pid)).started).not.toBe('ended');
    process.kill(pid, 'SIGKILL');
    await expect.poll(async () => (await processNow(pid)).started).toBe('ended');
  });
});
