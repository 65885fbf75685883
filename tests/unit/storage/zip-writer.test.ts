import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { writeOut } from '../../../src-main/data/backup/sink.ts';
import { collectAll } from '../../../src-main/platform/own-process.ts';
import { readingZip, writeZip } from '../../../src-main/storage/zip.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const quiet = () => new AbortController().signal;

test('a file that is deleted while a zip is written is left out, and the rest is in it', async () => {
  const folder = await temporaryFolder();
  const zip = join(folder, 'all.zip');
  const [gone, there] = [join(folder, 'gone.txt'), join(folder, 'there.txt')];
  for (const file of [gone, there]) await writeFile(file, 'text');
  const found: boolean[] = [];
  await writeOut(zip, quiet(), async (sink) => {
    await rm(gone);
    for (const file of [gone, there])
      found.push(await sink.file(`files/${basename(file)}`, { file, bytes: 4 }));
    await sink.text('last.txt', 'the end');
  });
  expect(found).toEqual([false, true]);
  expect(await readingZip(zip, ({ entries }) => Promise.resolve([...entries.keys()]))).toEqual([
    'files/there.txt',
    'last.txt',
  ]);
});

test('a content that fails midway fails the whole, and leaves nothing', async () => {
  const folder = await temporaryFolder();
  async function* failing() {
    yield 'the beginning';
    await Promise.resolve();
    throw new Error('the disk is broken');
  }
  const written = writeZip(join(folder, 'all.zip'), quiet(), async (zip) => {
    await zip.addBytes('first.txt', Buffer.from('first'));
    await zip.addStream('second.txt', failing());
  });
  await expect(written).rejects.toMatchObject({ cause: { message: 'the disk is broken' } });
  expect(await readdir(folder)).toEqual([]);
});

test('a file that is shorter than it was fails the whole, and leaves nothing', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'short.txt');
  await writeFile(file, 'text');
  const written = writeZip(join(folder, 'all.zip'), quiet(), async (zip) => {
    await zip.addFile('short.txt', file, { bytes: 5 });
    await zip.addFile('again.txt', file, { bytes: 4 });
  });
  await expect(written).rejects.toMatchObject({ code: 'storage_unwritable' });
  expect(await readdir(folder)).toEqual(['short.txt']);
});

test('cancelling lets go of the file that is being read', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'large.bin');
  await writeFile(file, Buffer.alloc(5_000_000, 1));
  const owner = new AbortController();
  let reading: Promise<unknown> = Promise.resolve();
  const written = writeZip(join(folder, 'all.zip'), owner.signal, (zip) => {
    reading = zip.addFile('large.bin', file, { bytes: 5_000_000 });
    owner.abort();
    return reading;
  });
  await expect(written).rejects.toMatchObject({ code: 'cancelled' });
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  expect(await readdir(folder)).toEqual(['large.bin']);
});

test('many small and large entries come back unchanged, and each is in the zip once', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'all.zip');
  const contents = Array.from({ length: 100 }, (_, n) =>
    Buffer.alloc(n % 10 === 0 ? 70_000 : n * 7, `${n} `),
  );
  const names = contents.map((_, n) => `${n}.${n % 3 === 0 ? 'jpg' : 'txt'}`);
  await Promise.all(contents.map((content, n) => writeFile(join(folder, names[n] ?? ''), content)));
  await writeZip(file, quiet(), (zip) =>
    Promise.all(
      names.map((name, n) => zip.addFile(name, join(folder, name), { bytes: contents[n]?.length ?? 0 })),
    ),
  );
  await readingZip(file, async (zip) => {
    expect([...zip.entries.keys()].sort()).toEqual([...names].sort());
    for (const [n, name] of names.entries()) {
      const entry = zip.entries.get(name);
      expect(entry && (await zip.bytes(entry, 70_000))).toEqual(contents[n]);
    }
  });
});

test('an entry whose content is longer than the zip says can’t be read', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'all.zip');
  await writeZip(file, quiet(), (zip) => zip.addBytes('text.txt', Buffer.alloc(5000, 'x')));
  await readingZip(file, async (zip) => {
    const entry = zip.entries.get('text.txt');
    for (const uncompressedSize of [10, 6000])
      await expect(
        entry && zip.bytes(Object.assign(Object.create(entry) as typeof entry, { uncompressedSize }), 70_000),
      ).rejects.toMatchObject({ code: 'backup_broken' });
  });
});

test('a zip that is being written holds no content of the files that are in it', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'small.txt');
  await writeFile(file, 'text');
  const count = 500;
  const held = await writeZip(join(folder, 'all.zip'), quiet(), async (zip) => {
    collectAll();
    const before = process.memoryUsage().arrayBuffers;
    for (let number = 0; number < count; number += 1)
      await zip.addFile(`files/${number}.txt`, file, { bytes: 4 });
    collectAll();
    return process.memoryUsage().arrayBuffers - before;
  });
  expect(held / count).toBeLessThan(2000);
  const names = await readingZip(join(folder, 'all.zip'), ({ entries }) =>
    Promise.resolve([...entries.keys()]),
  );
  expect(names).toHaveLength(count);
});
