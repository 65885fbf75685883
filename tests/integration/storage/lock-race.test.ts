import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../support/storage-folder.ts';
import { bundleProgram } from '../../support/writer-program.ts';

let writer: string;
beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'porchlight-'));
  writer = await bundleProgram('storage-writer', dir);
  return () => rm(dir, { recursive: true });
});

/** A process that tries to lock the folders it is told. */
async function taker() {
  const child = spawn(process.execPath, [writer, 'lock'], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => (await lines.next()).value;
  expect(await answer()).toBe('ready');
  return {
    child,
    lock(dir: string) {
      child.stdin.write(`${dir}\n`);
      return answer();
    },
  };
}

describe('processes that want the same data folder', () => {
  test('at the same moment, after its holder was killed: exactly one gets it, in each of 200 rounds', async () => {
    const root = await temporaryFolder();
    const holder = await taker();
    const folders = Array.from({ length: 200 }, (_, round) => join(root, `${round}`));
    for (const dir of folders) expect(await holder.lock(dir)).toBe('won');
    holder.child.kill('SIGKILL');
    await once(holder.child, 'exit');

    const takers = await Promise.all([taker(), taker(), taker()]);
    const winners = new Set<number>();
    for (const dir of folders) {
      const answers = await Promise.all(takers.map((one) => one.lock(dir)));
      expect(answers.toSorted()).toEqual(['folder_in_use', 'folder_in_use', 'won']);
      winners.add(answers.indexOf('won'));
    }
    // The race was one: more than one process was first at some time.
    expect(winners.size).toBeGreaterThan(1);
  });

  test('while another process has it are refused; they get it once that one is killed', async () => {
    const dir = await temporaryFolder();
    const [holder, next] = await Promise.all([taker(), taker()]);
    expect(await holder.lock(dir)).toBe('won');
    expect(await next.lock(dir)).toBe('folder_in_use');
    holder.child.kill('SIGKILL');
    await once(holder.child, 'exit');
    expect(await next.lock(dir)).toBe('won');
  });

  test.runIf(process.platform === 'linux')(
    'are not kept out by a number that another process has by now',
    async () => {
      const dir = await temporaryFolder();
      await mkdir(join(dir, 'lock'));
      await writeFile(
        join(dir, 'lock', '1.json'),
        JSON.stringify({ pid: process.pid, started: 'another-boot/1' }),
      );
      expect(await (await taker()).lock(dir)).toBe('won');
    },
  );
});
