import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { headlessProgram, startHeadless, type HeadlessProcess } from '../../support/headless-process.ts';
import { forgetPosts, type Checkout } from '../folders.ts';
import type { Values } from '../measure.ts';
import { publicUrl, serverArguments, type Program } from '../servers.ts';
import type { Line } from '../targets.ts';
import { cpuMsOf } from '../usage.ts';
import { quiet, unlessEarlier } from './scene.ts';

const run = promisify(execFile);
const pollMs = 50;
/** How long a page may take to come, in ms. */
const patienceMs = 180_000;

/** Measures a start with much data that reads all posts, as after an update: when visitors see pages, and what it costs. */
export async function measureFirstStarts(programs: readonly Program[]): Promise<Line[]> {
  console.log('start that reads all posts ...');
  const home: Values = {};
  const complete: Values = {};
  for (const { name, root, dataDir } of programs) {
    const column = name === 'beforeMuch' ? 'before' : name === 'nowMuch' ? 'now' : undefined;
    if (column === undefined) continue;
    await unlessEarlier(column, async () => {
      await forgetPosts(dataDir);
      const began = performance.now();
      const house = await start(root, dataDir);
      try {
        await shown(house, '/', 1);
        Object.assign(home, { [column]: performance.now() - began });
        await Promise.all([shown(house, '/archive', 2), shown(house, '/search?q=light', 3)]);
        await house.call('posts.list', { limit: 1 });
        const pid = house.child.pid ?? 0;
        await quiet({ pid });
        Object.assign(complete, { [column]: cpuMsOf(pid) });
      } finally {
        await house.stop();
      }
    });
  }
  return [
    { name: 'first-home', title: 'start that reads all posts: front page', unit: 'ms', value: home },
    { name: 'first-complete', title: 'the same, processor time until complete', unit: 'ms', value: complete },
  ];
}

/** Waits until a visitor through the tunnel is shown a page. */
async function shown({ ready }: HeadlessProcess, address: string, visitor: number): Promise<void> {
  const headers = { host: new URL(publicUrl).host, 'cf-connecting-ip': `203.0.113.${visitor}` };
  const status = () =>
    new Promise<number>((resolve, reject) => {
      const url = `http://127.0.0.1:${ready.port}${address}`;
      get(url, { headers, timeout: patienceMs }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      }).once('error', reject);
    });
  const end = performance.now() + patienceMs;
  for (;;) {
    const answered = await status();
    if (answered === 200) return;
    if (performance.now() > end) throw new Error(`${address} still answers ${answered}.`);
    await rest(pollMs);
  }
}

const start = (root: string, dataDir: string): Promise<HeadlessProcess> =>
  startHeadless({ dataDir, args: serverArguments, program: headlessProgram(root) });

const filesInFolder = 1000;

/** Measures the first start of a folder that others can open, until the port is open. Each version gets the same files. */
export async function measureModes(
  folder: string,
  those: readonly Checkout[],
  files: number,
): Promise<Line[]> {
  console.log(`start of a folder of mode 755 with ${files} files ...`);
  const kept = path.join(folder, 'open-files');
  for (let first = 0; first < files; first += filesInFolder) {
    const within = path.join(kept, String(first));
    await mkdir(within, { recursive: true, mode: 0o755 });
    for (let file = first; file < Math.min(files, first + filesInFolder); file += 1)
      await writeFile(path.join(within, `${file}.txt`), '', { mode: 0o644 });
  }
  const value: Values = {};
  for (const { name, root } of those) {
    await run('chmod', ['-R', 'a+rX', kept]);
    const dataDir = path.join(folder, `open-${name}`);
    await mkdir(dataDir);
    const files = path.join(dataDir, 'files');
    await rename(kept, files);
    await chmod(dataDir, 0o755);
    await unlessEarlier(name, async () => {
      const began = performance.now();
      const house = await start(root, dataDir);
      Object.assign(value, { [name]: performance.now() - began });
      await house.stop();
    });
    await rename(files, kept);
  }
  await rm(kept, { recursive: true });
  return [{ name: 'modes', title: `start, mode 755, ${files} files: port open`, unit: 'ms', value }];
}
