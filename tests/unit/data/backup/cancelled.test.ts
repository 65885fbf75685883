import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareMove } from '../../../../src-main/data/backup/move.ts';
import { readPending } from '../../../../src-main/data/backup/pending.ts';
import { writeOut } from '../../../../src-main/data/backup/sink.ts';
import { backUp, contentProof, noRecords, restore, writeTree } from '../../../support/backup-scene.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';

/** An owner who cancels when `prove` ends, or whenever it is said. */
function cancelling() {
  const owner = new AbortController();
  const signals: AbortSignal[] = [];
  return {
    work: { signal: owner.signal, progress: () => undefined },
    cancel: () => owner.abort(),
    signals,
    prove: (_dir: string, signal: AbortSignal) => {
      signals.push(signal);
      owner.abort();
      return contentProof();
    },
  };
}

async function scene() {
  const home = await temporaryFolder();
  const dataDir = join(home, 'data');
  await writeTree(dataDir, { 'settings.json': 'mine' });
  return { home, dataDir, file: join(home, 'backup.zip') };
}

test('a backup that is cancelled while it is tried out leaves no file', async () => {
  const { home, dataDir, file } = await scene();
  const { prove, work, signals } = cancelling();
  await expect(backUp({ dataDir, file, prove, work })).rejects.toMatchObject({ code: 'cancelled' });
  expect(signals).toEqual([work.signal]);
  expect(await readdir(home)).toEqual(['data']);
});

test('cancelling a restore during its trial does not wait for a start', async () => {
  const { home, dataDir, file } = await scene();
  await backUp({ dataDir, file });
  const { prove, work } = cancelling();
  await expect(restore({ dataDir, file, prove, work })).rejects.toMatchObject({ code: 'cancelled' });
  expect(await readPending(dataDir)).toBeUndefined();
  expect((await readdir(home)).sort()).toEqual(['backup.zip', 'data']);
});

test('a move and a way out that are cancelled at the very end leave nothing', async () => {
  const { home, dataDir } = await scene();
  const move = cancelling();
  // Told of the only file, which is copied then.
  const work = { ...move.work, progress: move.cancel };
  const [target, placeFile] = [join(home, 'moved'), join(home, 'place.json')];
  await expect(
    prepareMove({ dataDir, target, placeFile, now: 0, records: noRecords, work }),
  ).rejects.toMatchObject({
    code: 'cancelled',
  });
  for (const name of ['out', 'out.zip']) {
    const out = cancelling();
    const written = writeOut(join(home, name), out.work.signal, async (sink) => {
      await sink.text('a.txt', 'text');
      out.cancel();
    });
    await expect(written, name).rejects.toMatchObject({ code: 'cancelled' });
  }
  expect(await readdir(home)).toEqual(['data']);
});
