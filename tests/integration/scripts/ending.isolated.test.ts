import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const scripts = path.join(import.meta.dirname, '../../../scripts');
const moduleOf = (name: string) => JSON.stringify(pathToFileURL(path.join(scripts, name)).href);

/** Programs as a run of the tests starts them. Each tells its number and what it is. `stubborn`: refuses to be ended. */
const started = (stubborn: boolean) => `
  tell() { echo "$1 $2"; }
  sleep 300 & tell child $!
  setsid sleep 300 & tell session $!
  (setsid bash -c 'echo daemon $$; exec sleep 300' &)
  bash -c '${stubborn ? 'trap "" TERM;' : ''} echo other $$; while true; do sleep 300; done' &
  env -i sleep 300 & tell bare $!
  wait
`;

/** A script that starts these programs, and does something else when they have ended. */
const program = (stubborn: boolean) => `
  import { runChild } from ${moduleOf('child.ts')};
  import { endWithEverything } from ${moduleOf('ending.ts')};
  endWithEverything();
  await runChild('bash', ['-c', ${JSON.stringify(started(stubborn))}]);
  console.log('next 0');
  await runChild('sleep', ['300']);
`;

/** Returns whether a process runs. One that nobody waits for stays in the list when it has ended. */
function runs(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

test.skipIf(process.platform !== 'linux').each([
  ['SIGTERM', 143, true],
  ['SIGINT', 130, false],
  ['SIGHUP', 129, false],
] as const)(
  'a script that %s ends takes along everything that it started',
  async (signal, exitCode, stubborn) => {
    const script = spawn(process.execPath, ['--input-type=module', '-e', program(stubborn)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pids = new Map<string, number>();
    onTestFinished(() => {
      for (const pid of pids.values()) if (pid > 0 && runs(pid)) process.kill(pid, 'SIGKILL');
    });
    createInterface({ input: script.stdout }).on('line', (line) => {
      const [name = '', pid = ''] = line.split(' ');
      pids.set(name, Number(pid));
    });
    await expect.poll(() => pids.size).toBe(5);
    script.kill(signal);
    const [code] = (await once(script, 'exit')) as [number];
    expect(code).toBe(exitCode);
    expect([...pids].filter(([, pid]) => runs(pid))).toEqual([]);
    expect(pids.has('next')).toBe(false);
  },
);
