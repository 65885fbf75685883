import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { whileNoted } from '../../../src-main/data/unfinished-copy.ts';
import { startPorchlight } from '../../support/porchlight.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

test('the next start removes what a killed backup or export left behind, and nothing else', async () => {
  const folder = await temporaryFolder();
  const [dataDir, beside] = [join(folder, 'data'), join(folder, 'disk')];
  const first = await startPorchlight({ dataDir });
  await first.stop();
  const target = join(beside, 'mine.zip');
  await mkdir(join(beside, 'mine.zip.89abcdef.part'), { recursive: true });
  await writeFile(join(beside, 'mine.zip.89abcdef.part', 'post.md'), 'half');
  for (const name of ['mine.zip', 'mine.zip.01234567.part', 'other.zip.01234567.part', 'mine.zip.part'])
    await writeFile(join(beside, name), name);
  // A killed process leaves the note.
  await new Promise<void>((resolve) => {
    void whileNoted(dataDir, target, () => {
      resolve();
      return new Promise(() => undefined);
    });
  });

  const second = await startPorchlight({ dataDir });
  await expect
    .poll(async () => (await readdir(beside)).toSorted())
    .toEqual(['mine.zip', 'mine.zip.part', 'other.zip.01234567.part']);
  await expect.poll(() => readdir(dataDir)).not.toContain('unfinished-copy.json');
  await second.call('data.backup', { path: join(beside, 'new.zip') });
  expect(await readdir(dataDir)).not.toContain('unfinished-copy.json');
  await second.stop();
});

test('after a start with a damaged secrets.json, the status explains how to recover', async () => {
  const dataDir = join(await temporaryFolder(), 'data');
  const first = await startPorchlight({ dataDir });
  await first.stop();
  await writeFile(join(dataDir, 'secrets.json'), '{"format":1,"secr');
  const second = await startPorchlight({ dataDir });
  const { problems } = await second.call('status.get', {});
  const problem = problems.find(({ code }) => code === 'secrets_lost');
  expect(problem?.message).toContain('copy of secrets.json');
  expect(problem?.message).toContain('restore a backup with a passphrase');
  const kept = (await readdir(dataDir)).filter((name) => name.startsWith('secrets.json.broken-'));
  expect(kept).toHaveLength(1);
  expect(problem?.message).toContain(kept[0]);
  await second.stop();
});
