import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { headlessArguments } from '../../support/headless-process.ts';
import { unpack } from '../checkout.ts';
import type { Values } from '../measure.ts';
import type { Line } from '../targets.ts';
import { unlessEarlier } from './scene.ts';

/**
 * Measures `npm start -- --headless` in a folder with nothing but the files of a commit, until the server is ready, and
 * the size of what it installs. Uses the npm cache of this user. `before`: a commit, or `none`.
 */
export async function measureFreshClone(folder: string, before: string): Promise<Line[]> {
  console.log('npm start on a fresh clone ...');
  const time: Values = {};
  const size: Values = {};
  for (const [name, commit] of [
    ['before', before],
    ['now', 'HEAD'],
  ] as const) {
    if (commit === 'none') continue;
    await unlessEarlier(name, async () => {
      const clone = path.join(folder, `clone-${name}`);
      unpack(commit, clone);
      Object.assign(time, { [name]: await readyAfter(clone, path.join(folder, `clone-data-${name}`)) });
      const [kilobytes = ''] = execFileSync('du', ['-sk', path.join(clone, 'node_modules')], {
        encoding: 'utf8',
      }).split('\t');
      Object.assign(size, { [name]: (Number(kilobytes) * 1024) / 1e6 });
    });
  }
  return [
    { name: 'clone', title: 'npm start on a fresh clone', unit: 'ms', value: time },
    { name: 'clone-size', title: 'node_modules', unit: 'MB', value: size },
  ];
}

/** Starts a clone, and ends it when it is ready. Returns the ms that this took. */
async function readyAfter(clone: string, dataDir: string): Promise<number> {
  const began = performance.now();
  // In a group of its own, so that everything that npm starts ends.
  const child = spawn('npm', ['start', '--', '--headless', ...headlessArguments(dataDir)], {
    cwd: clone,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout }))
      if (line.startsWith('{"event":"ready"')) return performance.now() - began;
    throw new Error('npm start ended before the server was ready');
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await exited;
  }
}
