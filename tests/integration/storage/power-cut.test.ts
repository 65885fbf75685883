import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startPorchlight } from '../../support/porchlight.ts';

const unfinished = [
  'posts/2026/11/lost.json.tmp',
  'posts/2026/11/first.json.previous.tmp',
  'tunnel/lost.json.tmp',
];
// Porchlight doesn't read the folder of mentions any more.
const kept = [
  'mentions/2026/11.jsonl.tmp',
  'posts/2026/11/notes.tmp',
  'electron/state.json.tmp',
  'somebody/else.json.tmp',
];

/** The content of a lock file that a power cut left. */
const afterPowerCut = {
  'lost its content': '',
  'still names the process': JSON.stringify({ pid: 4_000_000 }),
};

test.each(Object.entries(afterPowerCut))(
  'a start after a power cut removes files that were not finished, if the lock %s',
  async (_, lock) => {
    const first = await startPorchlight();
    const { dataDir } = first;
    await first.stop();
    await writeFile(path.join(dataDir, 'lock.json'), lock);
    for (const file of [...unfinished, ...kept]) {
      await mkdir(path.dirname(path.join(dataDir, file)), { recursive: true });
      await writeFile(path.join(dataDir, file), '{"half');
    }

    const second = await startPorchlight({ dataDir });
    const files = await readdir(dataDir, { recursive: true });
    expect(files.filter((file) => unfinished.includes(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(kept));
    await second.remove();
  },
);
