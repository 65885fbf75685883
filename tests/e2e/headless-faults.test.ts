import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startHeadless } from '../support/headless-process.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'porchlight-e2e-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

test('a data folder of a newer version is refused with words that say what to do', async () => {
  const dir = await folder();
  await writeFile(join(dir, 'settings.json'), '{"format":99}');
  await expect(startHeadless({ dataDir: dir })).rejects.toThrow(
    /Porchlight could not start: .*newer Porchlight.*Install the newer Porchlight again/s,
  );
});

test('a data folder that may only be read is refused with words that say which and why', async (context) => {
  const disk = await mountSmallDisk(context, '1m');
  onTestFinished(() => disk.remove());
  await disk.setWritable(false);
  await expect(startHeadless({ dataDir: disk.dir })).rejects.toThrow(
    /Porchlight could not start: .*could not be saved \(EROFS\)\. Check that the disk/s,
  );
});
