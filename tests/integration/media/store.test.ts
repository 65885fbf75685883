import { execFile } from 'node:child_process';
import { appendFile, mkdir, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, type TestContext, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { checkMedia } from '../../../src-main/media/check-media.ts';
import { giveBack, takeBlock } from '../../../src-main/media/upload-file.ts';
import { putFileRow } from '../../../src-main/media/media-rows.ts';
import type { MediaFile, MediaFilter, MediaStore } from '../../../src-main/media/media-store.ts';
import { notNow } from '../../../src-main/untrusted/pictures/pictures.ts';
import { fileNameOf, month, newMediaStore, pngChunk, pngOf, streamOf } from '../../support/media-folder.ts';
import { drawing, withMetadata } from '../../support/picture-samples.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const run = promisify(execFile);
const filesBelow = async (dir: string) =>
  (await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => [])).filter((entry) =>
    entry.isFile(),
  );
const namesBelow = async (dir: string) => (await filesBelow(dir)).map(({ name }) => name);

async function every(store: MediaStore, limit: number, filter: MediaFilter = {}): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ limit, cursor, filter });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    names.push(...page.items.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}

describe('a file that comes in', () => {
  test('is kept whole, listed, and there after a restart', async () => {
    const { store, open, dataDir } = await newMediaStore();
    const png = pngOf('x'.repeat(100_000));
    const file = await store.add(streamOf(png.subarray(0, 7), png.subarray(7)), {
      name: '../My Photo.jpeg',
      claimedType: 'image/jpeg',
      copyOf: 'https://elsewhere.example/photo',
    });
    expect(file).toEqual({
      path: expect.stringMatching(/^\/media\/2026\/11\/[\w-]{22}-my-photo\.png$/) as string,
      name: 'My Photo.png',
      type: 'image/png',
      kind: 'image',
      bytes: png.length,
      width: 4,
      height: 3,
      uploadedAt: '2026-11-20T10:00:00.000Z',
      copyOf: 'https://elsewhere.example/photo',
    });
    for (const each of [store, open()]) {
      expect(await each.get(file.path)).toEqual(file);
      expect(await each.list({ limit: 10 })).toEqual({ items: [file] });
      expect(await each.copyOf('https://elsewhere.example/photo')).toEqual(file);
      expect(await each.copyOf('https://elsewhere.example/')).toBeUndefined();
      expect(await readFile(each.fileOf(file))).toEqual(png);
    }
    expect((await stat(store.fileOf(file))).mode & 0o777).toBe(0o600);
    expect(await checkMedia(dataDir)).toEqual({ files: 1, problems: [] });
  });

  test('loses its place and device if the owner wants that', async () => {
    const { store } = await newMediaStore({ removeMetadata: () => true });
    const text = pngChunk('tEXt', Buffer.from('Comment\0at home'));
    const withComment = Buffer.concat([pngOf().subarray(0, 33), text, pngOf().subarray(33)]);
    const file = await store.add(streamOf(withComment), { name: 'a.png' });
    const kept = await readFile(store.fileOf(file));
    expect(kept.includes('at home')).toBe(false);
    expect(kept.length).toBe(file.bytes);
  });

  test.each([
    ['a small one', 1000],
    ['one that just fits into memory', 1_048_576],
    ['one that is a byte too large for memory', 1_048_577],
    ['a large one', 2_500_000],
  ])('keeps its bytes and loses only its metadata: %s', async (_name, size) => {
    const { store, dir } = await newMediaStore({
      limitBytes: () => 10_000_000,
      removeMetadata: () => true,
    });
    const shell = pngOf().length + pngChunk('tEXt', Buffer.from('Comment\0at home')).length;
    const filling = pngChunk('IDAT', Buffer.alloc(size - shell - 12, 'pixel'));
    const clean = Buffer.concat([pngOf().subarray(0, 33), filling, pngOf().subarray(33)]);
    const text = pngChunk('tEXt', Buffer.from('Comment\0at home'));
    const sent = Buffer.concat([clean.subarray(0, 33), text, clean.subarray(33)]);
    expect(sent.length).toBe(size);
    const chunks = Array.from({ length: Math.ceil(size / 50_000) }, (_, at) =>
      sent.subarray(at * 50_000, (at + 1) * 50_000),
    );
    const file = await store.add(streamOf(...chunks), { name: 'a.png' });
    expect(await readFile(store.fileOf(file))).toEqual(clean);
    expect(await namesBelow(dir)).toEqual([fileNameOf(file)]);
  });

  test('is written only once, without its metadata, if it is small', async () => {
    const { store, dir } = await newMediaStore({ removeMetadata: () => true });
    const seen: string[] = [];
    const watched = (async function* () {
      const png = pngOf();
      yield png.subarray(0, 33);
      yield pngChunk('tEXt', Buffer.from('Comment\0at home'));
      yield png.subarray(33);
      seen.push(...(await namesBelow(dir)));
      await Promise.resolve();
    })();
    await store.add(watched, { name: 'a.png' });
    expect(seen).toEqual([]);
  });

  test('does not get the bytes of other uploads, neither simultaneous nor earlier ones', async () => {
    const { store } = await newMediaStore({ limitBytes: () => 2_000_000, removeMetadata: () => true });
    for (let round = 0; round < 2; round += 1) {
      const texts = Array.from({ length: 40 }, (_, at) => `${round}-${at} `.repeat(1 + at * 997));
      const files = await Promise.all(
        texts.map((text, at) => store.add(streamOf(text.slice(0, 7), text.slice(7)), { name: `${at}.txt` })),
      );
      for (const [at, file] of files.entries())
        expect(await readFile(store.fileOf(file), 'utf8')).toBe(texts[at]);
    }
  });

  test('hundreds of failed uploads take no memory from later ones', async () => {
    const { store } = await newMediaStore({ removeMetadata: () => true });
    for (let turn = 0; turn < 100; turn += 1) {
      const damaged = turn % 2 === 0 ? streamOf(pngOf().subarray(0, 30)) : broken(new Error('reset'));
      await expect(store.add(damaged, {})).rejects.toMatchObject({ status: 400 });
    }
    const block = takeBlock();
    expect(block).toBeDefined();
    if (block) giveBack(block);
  });

  test('is refused as soon as it is larger than the limit, even if it never ends', async () => {
    const { store, dir } = await newMediaStore();
    let sent = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      const chunk = Buffer.alloc(65_536, 'x');
      while (sent < 1e12) {
        sent += chunk.length;
        yield await Promise.resolve(chunk);
      }
    }
    await expect(store.add(endless(), {})).rejects.toMatchObject({ code: 'invalid_request', status: 413 });
    expect(sent).toBeLessThan(1_000_000 + 2 * 65_536);
    expect(await namesBelow(dir)).toEqual([]);
  });

  test('may be as large as the limit, and no byte larger', async () => {
    const { store } = await newMediaStore({ limitBytes: () => 1000 });
    expect(await store.add(streamOf('x'.repeat(1000)), {})).toMatchObject({ bytes: 1000 });
    await expect(store.add(streamOf('x'.repeat(1001)), {})).rejects.toMatchObject({ status: 413 });
  });

  test.each<[string, () => AsyncIterable<Uint8Array>, object]>([
    ['empty', () => streamOf(), { code: 'invalid_request', status: 400 }],
    ['empty in pieces', () => streamOf('', ''), { code: 'invalid_request', status: 400 }],
    ['of a type that is not taken', () => streamOf('PK\u0003\u0004\0\0'), { status: 415 }],
    ['broken off', () => broken(new Error('socket hang up')), { code: 'invalid_request', status: 400 }],
    [
      'refused by who reads it',
      () => broken(new PorchlightError('invalid_request', 'No.', 413)),
      { status: 413 },
    ],
  ])('and is %s leaves nothing behind', async (_name, content, refusal) => {
    const { store, dir } = await newMediaStore();
    await expect(store.add(content(), {})).rejects.toMatchObject(refusal);
    expect(await store.list({ limit: 10 })).toEqual({ items: [] });
    expect(await namesBelow(dir)).toEqual([]);
  });

  async function* broken(error: Error): AsyncGenerator<Uint8Array> {
    yield pngOf();
    await Promise.resolve();
    throw error;
  }

  test('MP-74 and is a page that claims to be a picture is refused', async () => {
    const { store, dir } = await newMediaStore();
    const page = streamOf('<!doctype html><script>alert(1)</script>');
    await expect(store.add(page, { name: 'a.png', claimedType: 'image/png' })).rejects.toMatchObject({
      status: 415,
    });
    expect(await namesBelow(dir)).toEqual([]);
  });

  test.each(['heic', 'heix', 'hevc', 'mif1', 'msf1'])(
    'and is a picture that neither browsers nor Porchlight can read (%s) is refused, and the sender learns what to send',
    async (brand) => {
      const { store, dir } = await newMediaStore();
      const photo = () => streamOf(`\0\0\0\u0018ftyp${brand}\0\0\0\0${brand}heic`);
      for (const about of [{ name: 'IMG_1.HEIC', claimedType: 'image/heic' }, { name: 'a.jpg' }])
        await expect(store.add(photo(), about)).rejects.toMatchObject({
          code: 'invalid_request',
          status: 415,
          message: expect.stringMatching(/as a JPEG.*Most Compatible/) as string,
        });
      expect(await store.list({ limit: 10 })).toEqual({ items: [] });
      expect(await namesBelow(dir)).toEqual([]);
    },
  );

  test.each([
    '../../../etc/cron.d/x',
    '照片 🌅.png',
    'a\u0000b\r\nc',
    'x'.repeat(10_000),
    '',
    '.',
    'CON',
    '-rf',
  ])('may be called %j', async (name) => {
    const { store, open, dir } = await newMediaStore();
    const file = await store.add(streamOf('words'), { name });
    expect(fileNameOf(file)).toMatch(/^[\w-]{22}-[a-z0-9-]{1,60}\.txt$/);
    expect(file.name).toMatch(/^[^\p{C}/\\]{1,100}\.txt$/u);
    expect(await open().get(file.path)).toEqual(file);
    expect(await namesBelow(dir)).toEqual([fileNameOf(file)]);
  });

  test('comes with many others at once, and each is kept', async () => {
    const { store, open } = await newMediaStore();
    const files = await Promise.all(
      Array.from({ length: 50 }, (_, index) => store.add(streamOf(`text ${index}`), { name: `n${index}` })),
    );
    expect(new Set(files.map(({ path }) => path)).size).toBe(50);
    expect((await every(open(), 7)).sort()).toEqual(files.map(({ name }) => name).sort());
  });
});

describe('a disk', () => {
  test('that is full refuses a file, keeps nothing of it, and takes files again once there is room', async (context) => {
    const dataDir = await smallDisk(context);
    const { store, dir, records } = await newMediaStore({ dataDir });
    const first = await store.add(streamOf('first'), {});
    await expect(store.add(streamOf('x'.repeat(600_000)), {})).rejects.toMatchObject({
      code: 'storage_full',
      status: 507,
    });
    expect(await namesBelow(dir)).toEqual([fileNameOf(first)]);
    const second = await store.add(streamOf('x'.repeat(300_000)), {});
    expect((await store.list({ limit: 10 })).items).toHaveLength(2);
    await fill(join(dataDir, 'filler'));
    await expect(store.add(streamOf('x'), {})).rejects.toMatchObject({ code: 'storage_full' });
    await rm(join(dataDir, 'filler'));
    await store.delete(second.path);
    expect(await checkMedia(dataDir)).toEqual({ files: 1, problems: [] });
    await store.close();
    await records.close(); // an open database keeps the disk busy
  });

  async function smallDisk({ skip }: TestContext): Promise<string> {
    const dir = join(await temporaryFolder(), 'disk');
    await mkdir(dir);
    try {
      await run('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', dir]);
    } catch (error) {
      skip(`a real full disk needs the right to mount: ${String(error)}`);
    }
    onTestFinished(async () => {
      await run('umount', [dir]);
    });
    return dir;
  }

  async function fill(path: string): Promise<void> {
    try {
      for (;;) await appendFile(path, Buffer.alloc(4096));
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
  }
});

describe('a deleted file', () => {
  test('is gone with its thumbnail, for good, and known to have been there', async () => {
    const { store, open, dir, dataDir } = await newMediaStore();
    const file = await store.add(streamOf(pngOf()), {});
    expect(await store.thumbnail(file.path)).not.toBeNull();
    expect(await store.isDeleted(file.path)).toBe(false);
    expect(await store.delete(file.path)).toEqual(file);
    expect(await namesBelow(dir)).toEqual([]);
    for (const each of [store, open()]) {
      expect(await each.get(file.path)).toBeUndefined();
      expect(await each.isDeleted(file.path)).toBe(true);
      expect(await each.list({ limit: 10 })).toEqual({ items: [] });
      expect(await each.thumbnail(file.path)).toBeNull();
      await expect(each.delete(file.path)).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
    }
    expect(await checkMedia(dataDir)).toEqual({ files: 0, problems: [] });
  });

  test('is deleted once, even if two requests delete it at the same time', async () => {
    const { store } = await newMediaStore();
    const { path } = await store.add(streamOf('words'), {});
    const answers = await Promise.allSettled([store.delete(path), store.delete(path), store.delete(path)]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('by hand is left out', async () => {
    const { store, open } = await newMediaStore();
    const file = await store.add(streamOf('words'), {});
    await rm(store.fileOf(file));
    const next = open();
    expect(await next.list({ limit: 10 })).toEqual({ items: [] });
    expect(await next.isDeleted(file.path)).toBe(true);
  });

  test('and a path that a stranger made up are two things', async () => {
    const { store } = await newMediaStore();
    for (const path of ['/media/2026/11/index.jsonl', '/media/1999/01/x', '/media/../x', ''])
      expect([await store.get(path), await store.isDeleted(path)], path).toEqual([undefined, false]);
  });
});

describe('a folder that a kill or a person left in disorder', () => {
  test('gives its files back after their records were lost', async () => {
    const { store, open, records, dataDir, clock } = await newMediaStore();
    const picture = await store.add(streamOf(pngOf()), { name: 'Sunrise' });
    clock.now += 1000;
    const text = await store.add(streamOf('words'), { name: 'Words' });
    const sound = await store.add(
      streamOf(Buffer.from('1a45dfa3a34286810142f7810142f2810442f381084282847765626d', 'hex')),
      {
        claimedType: 'audio/webm',
      },
    );
    await records.write(({ run }) => run('DELETE FROM media'));
    await utimes(store.fileOf(picture), 0, 0);
    expect((await checkMedia(dataDir)).problems).toHaveLength(3);

    const next = open();
    const lost = { uploadedAt: expect.any(String) as string };
    expect(await next.get(text.path)).toEqual({ ...text, ...lost, name: 'words.txt' });
    expect(await next.get(sound.path)).toEqual({ ...sound, ...lost });
    expect(await next.get(picture.path)).toEqual({
      ...picture,
      name: 'sunrise.png',
      uploadedAt: '2026-11-01T00:00:00.000Z',
    });
    expect(await checkMedia(dataDir)).toEqual({ files: 3, problems: [] });
    expect(await open().list({ limit: 10 })).toEqual(await next.list({ limit: 10 }));
  });

  test('loses uploads that were cut off', async () => {
    const { open, dir } = await newMediaStore();
    await mkdir(join(dir, 'incoming'), { recursive: true });
    await writeFile(join(dir, 'incoming', 'abc.part'), 'half a fi');
    await open().list({ limit: 1 });
    expect(await namesBelow(dir)).toEqual([]);
  });

  test('leaves alone a file that a person put there under another name, and does not show it', async () => {
    const { store, open, dir } = await newMediaStore();
    await store.add(streamOf('words'), {});
    await writeFile(join(dir, month, 'holiday.html'), '<script>alert(1)</script>');
    await writeFile(join(dir, month, `${'a'.repeat(22)}-not.png`), '<script>alert(1)</script>');
    expect((await open().list({ limit: 10 })).items).toHaveLength(1);
    expect(await namesBelow(dir)).toContain('holiday.html');
  });
});

describe('a list', () => {
  test('tells 10,000 files of many months, newest first, in pages that stay good while files come and go', async () => {
    const { open, dir, records } = await newMediaStore();
    const names: string[] = [];
    for (let at = 0; at < 10; at += 1) {
      const folder = `2026/${String(at + 1).padStart(2, '0')}`;
      await mkdir(join(dir, folder), { recursive: true });
      const files: MediaFile[] = [];
      for (let index = 0; index < 1000; index += 1) {
        const number = at * 1000 + index;
        const file = `${String(number).padStart(22, '0')}-n.txt`;
        const moment = `${folder.replace('/', '-')}-15T00:00:${String(Math.floor(index / 20)).padStart(2, '0')}.000Z`;
        const kind = { type: 'text/plain', kind: 'document', bytes: 1, width: null, height: null } as const;
        files.push({
          path: `/media/${folder}/${file}`,
          name: `${number}.txt`,
          ...kind,
          uploadedAt: moment,
          copyOf: null,
        });
        names.unshift(`${number}.txt`);
        await writeFile(join(dir, folder, file), 'x');
      }
      await records.write((transaction) => files.forEach((file) => putFileRow(transaction, file)));
    }
    const store = open();
    expect(await every(store, 333)).toEqual(names);
    const page = async (options: object) =>
      (await store.list({ limit: 3, ...options })).items.map(({ name }) => name);
    expect(await page({ offset: 4500 })).toEqual(names.slice(4500, 4503));
    expect(await page({ offset: 10_000 })).toEqual([]);
    expect(await page({ filter: { text: '123.TXT' } })).toEqual(['9123.txt', '8123.txt', '7123.txt']);

    const first = await store.list({ limit: 10 });
    await store.delete(first.items[9]!.path);
    await store.add(streamOf('new'), { name: 'new' });
    const second = await store.list({ limit: 10, cursor: first.nextCursor });
    expect(second.items.map(({ name }) => name)).toEqual(names.slice(10, 20));
    expect(await page({ filter: { kind: 'image' } })).toEqual([]);
  });

  test('is asked for by kind, by type and by a part of the type', async () => {
    const { store } = await newMediaStore();
    await store.add(streamOf(pngOf()), { name: 'Éa' });
    await store.add(streamOf('GIF89a\u0001'), { name: 'b' });
    await store.add(streamOf('words'), { name: 'c' });
    expect((await every(store, 5, { kind: 'image' })).sort()).toEqual(['b.gif', 'Éa.png']);
    expect((await every(store, 5, { type: 'image' })).sort()).toEqual(['b.gif', 'Éa.png']);
    expect(await every(store, 5, { type: 'image/png' })).toEqual(['Éa.png']);
    expect(await every(store, 5, { type: 'text/plain' })).toEqual(['c.txt']);
    expect(await every(store, 5, { text: 'éA' })).toEqual(['Éa.png']);
  });

  test('refuses a cursor that it did not give', async () => {
    const { store } = await newMediaStore();
    for (const cursor of ['x', '', Buffer.from('1 /media/2026/11/../../x').toString('base64url')])
      await expect(store.list({ limit: 1, cursor }), cursor).rejects.toMatchObject({
        code: 'invalid_request',
      });
  });
});

describe('a thumbnail', () => {
  test('is made once, kept beside the file, and made again when it is lost', async () => {
    const { store, open, dir, pictures } = await newMediaStore();
    const file = await store.add(streamOf(pngOf()), {});
    const answers = await Promise.all([1, 2, 3].map(() => store.thumbnail(file.path)));
    for (const answer of answers) expect(answer?.type).toBe('image/webp');
    expect(Buffer.from((await open().thumbnail(file.path))!.bytes).toString()).toBe('ok');
    expect(pictures.made).toHaveLength(1);
    await rm(join(dir, month, 'thumbnails'), { recursive: true });
    expect(await store.thumbnail(file.path)).not.toBeNull();
    expect(pictures.made).toHaveLength(2);
  });

  test('exists for pictures only', async () => {
    const { store, pictures } = await newMediaStore();
    const file = await store.add(streamOf('words'), {});
    expect(await store.thumbnail(file.path)).toBeNull();
    expect(await store.thumbnail('/media/2026/11/none')).toBeNull();
    expect(pictures.made).toEqual([]);
  });

  test('of the owner in JPEG is not decoded for its size, and one of a stranger is', async () => {
    const measure = vi.fn(() => Promise.resolve(null));
    const pictures = { measure, thumbnail: () => Promise.resolve(null), jpeg: () => Promise.resolve(null) };
    const { store } = await newMediaStore({ pictures, removeMetadata: () => true });
    const jpeg = await withMetadata(drawing(), 6).jpeg().toBuffer();
    const own = await store.add(streamOf(jpeg), {});
    expect(own).toMatchObject({ width: 16, height: 24 });
    expect(await store.get(own.path)).toEqual(own);
    expect(measure).not.toHaveBeenCalled();
    const copyOf = 'https://elsewhere.example/photo';
    expect(await store.add(streamOf(jpeg), { copyOf })).toMatchObject({ width: null, height: null });
    expect(measure).toHaveBeenCalledOnce();
  });

  test('a thumbnail that cannot be made is not retried', async () => {
    let tries = 0;
    const pictures = {
      measure: () => Promise.resolve(null),
      thumbnail: () => {
        tries += 1;
        return Promise.resolve(null);
      },
      jpeg: () => Promise.resolve(null),
    };
    const { store } = await newMediaStore({ pictures });
    const file = await store.add(streamOf(pngOf()), {});
    expect(file).toMatchObject({ width: null, height: null });
    expect([await store.thumbnail(file.path), await store.thumbnail(file.path)]).toEqual([null, null]);
    expect(tries).toBe(1);
  });

  test('that had to wait for others is made the next time', async () => {
    let isCrowded = true;
    const pictures = {
      measure: () => Promise.resolve(null),
      thumbnail: () => Promise.resolve(isCrowded ? notNow : Buffer.from('ok')),
      jpeg: () => Promise.resolve(null),
    };
    const { store } = await newMediaStore({ pictures });
    const file = await store.add(streamOf(pngOf()), {});
    expect(await store.thumbnail(file.path)).toBeNull();
    isCrowded = false;
    expect(await store.thumbnail(file.path)).not.toBeNull();
  });
});
