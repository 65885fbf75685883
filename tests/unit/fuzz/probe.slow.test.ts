import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProbedInside } from '../../bench/soak/probe.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'porchlight-probe-'))));
afterAll(() => rm(folder, { recursive: true }));

/**
 * Runs a program with the probe in it. Once a second it uses the processor for so many ms in one piece, however long
 * other programs keep it waiting meanwhile.
 */
async function startProgram(workMs: number): Promise<ChildProcess> {
  const program = path.join(folder, `works-${workMs}.mjs`);
  const used = `const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };`;
  const work = `const end = used() + ${workMs}; while (used() < end);`;
  await writeFile(program, `${used} setInterval(() => { ${work} }, 1000);`);
  const probe = pathToFileURL(path.join(import.meta.dirname, '../../bench/soak/probe.ts')).href;
  return fork(program, { execArgv: ['--expose-gc', '--import', probe], stdio: 'ignore' });
}

async function probe(child: ChildProcess): Promise<ProbedInside> {
  const answer = once(child, 'message') as Promise<[ProbedInside]>;
  child.send('glance');
  return (await answer)[0];
}

test.each([
  ['that works for 700 ms in one piece', 700, 500, 700],
  ['that does nothing', 0, 0, 300],
])('a main thread %s is seen so from inside', async (_name, workMs, least, most) => {
  const child = await startProgram(workMs);
  await probe(child);
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const { blocked } = await probe(child);
  child.kill();
  await once(child, 'exit');
  expect(blocked).toBeGreaterThanOrEqual(least);
  expect(blocked).toBeLessThan(most + 300);
});
