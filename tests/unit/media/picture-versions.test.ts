import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PictureVersions } from '../../../src-main/media/picture-versions.ts';
import type { MediaFile } from '../../../src-main/media/media-store.ts';
import { mediaPathOf } from '../../../src-main/media/media-address.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import { notNow } from '../../../src-main/untrusted/pictures/pictures.ts';
import type { PictureVersion } from '../../../src-main/untrusted/pictures/picture-decoder.ts';
import type { Pictures } from '../../../src-main/untrusted/pictures/pictures.ts';
import { isKept } from '../../../src-main/storage/kept-paths.ts';
import { fileNameOf, month, newMediaStore, pngOf, streamOf } from '../../support/media-folder.ts';

const bytes = new Uint8Array([1, 2, 3]);
const twoVersions: PictureVersion[] = [
  { width: 480, ending: 'webp', bytes },
  { width: 1200, ending: 'jpg', bytes },
];

/** Opens a store whose pictures are 3000 by 2000 pixels, and converts them as `convert` says. */
async function scene(convert: Pictures['versions'] = () => Promise.resolve(twoVersions)) {
  const size = { width: 3000, height: 2000 };
  const pictures = {
    measure: () => Promise.resolve(size),
    thumbnail: () => Promise.resolve(null),
    jpeg: () => Promise.resolve(null),
  };
  const { dir, store } = await newMediaStore({ pictures });
  const made: [string, boolean][] = [];
  const open = (): PictureVersions => {
    const versions = new PictureVersions({
      dir,
      store,
      log: silentLog,
      againMs: 20,
      pictures: { versions: convert },
      made: ({ path }, isNew) => void made.push([path, isNew]),
    });
    onTestFinished(() => versions.stop());
    return versions;
  };
  const derived = async () => {
    const names = await readdir(join(dir, month, 'thumbnails')).catch(() => []);
    return names.sort();
  };
  const add = (versions: PictureVersions) => versions.store.add(streamOf(pngOf('x')), { name: 'Fog.png' });
  const idle = (versions: PictureVersions) => vi.waitFor(() => expect(versions.waiting()).toBe(0));
  return { dir, store, open, made, derived, add, idle };
}

const namesOf = (file: MediaFile, ...endings: string[]) =>
  endings.map((one) => `${fileNameOf(file)}.${one}`).sort();

test('a new picture is converted once, and its versions are known', async () => {
  const { open, made, derived, add, idle } = await scene();
  const versions = open();
  versions.start();
  const file = await add(versions);
  await idle(versions);
  expect(await versions.of(file)).toEqual(['480.webp', '1200.jpg']);
  expect(await versions.stateOf(file)).toBe('made');
  expect(made).toEqual([[file.path, true]]);
  expect(await derived()).toEqual(namesOf(file, '480.webp', '1200.jpg', 'made'));
});

test('a picture that was added before is converted after the next start, and none twice', async () => {
  const { store, open, made, idle } = await scene();
  const file = await store.add(streamOf(pngOf()), {});
  const first = open();
  expect(await first.stateOf(file)).toBe('waiting');
  first.start();
  await vi.waitFor(() => expect(made).toEqual([[file.path, false]]));
  await first.stop();
  const second = open();
  second.start();
  await idle(second);
  expect(await second.of(file)).toEqual(['480.webp', '1200.jpg']);
  expect(made).toHaveLength(1);
});

test('a kill between two versions leaves a picture that is converted again', async () => {
  const { dir, store, open, made, idle, derived } = await scene();
  const file = await store.add(streamOf(pngOf()), {});
  const killed = open();
  killed.start();
  await vi.waitFor(() => expect(made).toHaveLength(1));
  await killed.stop();
  const marker = join(dir, month, 'thumbnails', `${fileNameOf(file)}.made`);
  const { rm } = await import('node:fs/promises');
  await rm(marker);
  const next = open();
  next.start();
  await vi.waitFor(() => expect(made).toHaveLength(2));
  await idle(next);
  expect(await derived()).toEqual(namesOf(file, '480.webp', '1200.jpg', 'made'));
});

test('pictures are converted after all files that are being added', async () => {
  const { open, made, add, idle } = await scene();
  const versions = open();
  versions.start();
  let finish: (() => void) | undefined;
  const slow = versions.store.add(
    (async function* () {
      yield Buffer.from('Text that arrives ');
      await new Promise<void>((resolve) => (finish = resolve));
      yield Buffer.from('slowly.');
    })(),
    { name: 'slow.txt' },
  );
  await vi.waitFor(() => expect(finish).toBeDefined());
  const file = await add(versions);
  await add(versions);
  expect([versions.waiting(), made]).toEqual([2, []]);
  finish?.();
  await slow;
  await idle(versions);
  expect(await versions.stateOf(file)).toBe('made');
});

test('a file that takes long to arrive doesn’t keep pictures from being converted', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { open, made, add } = await scene();
  const versions = open();
  versions.start();
  const ending = new AbortController();
  const endless = versions.store.add(
    (async function* () {
      yield Buffer.from('x');
      await new Promise((resolve) => ending.signal.addEventListener('abort', resolve));
      throw new Error('reset');
    })(),
    {},
  );
  const file = await add(versions);
  expect(made).toEqual([]);
  await vi.advanceTimersByTimeAsync(5000);
  vi.useRealTimers();
  await vi.waitFor(() => expect(made).toEqual([[file.path, true]]));
  ending.abort();
  await expect(endless).rejects.toMatchObject({ status: 400 });
});

test('a picture whose upload takes longer than that is converted when it has arrived', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { open, made } = await scene();
  const versions = open();
  versions.start();
  let arrive: (() => void) | undefined;
  const photo = versions.store.add(
    (async function* () {
      const bytes = pngOf('x');
      yield bytes.subarray(0, 20);
      await new Promise<void>((resolve) => (arrive = resolve));
      yield bytes.subarray(20);
    })(),
    { name: 'Fog.png' },
  );
  await vi.advanceTimersByTimeAsync(8000);
  vi.useRealTimers();
  await vi.waitFor(() => expect(arrive).toBeDefined());
  arrive?.();
  const file = await photo;
  await vi.waitFor(() => expect(made).toEqual([[file.path, true]]));
});

test('a picture that can’t be converted says so, also after a restart', async () => {
  const { open, add, idle } = await scene(() => Promise.resolve(null));
  const versions = open();
  versions.start();
  const file = await add(versions);
  await idle(versions);
  expect([await versions.stateOf(file), await versions.of(file)]).toEqual(['failed', []]);
  expect(await open().stateOf(file)).toBe('failed');
});

test('a picture that can’t be converted now is tried again later', async () => {
  let tries = 0;
  const { open, add, idle } = await scene(() => {
    tries += 1;
    return Promise.resolve(tries > 2 ? twoVersions : notNow);
  });
  const versions = open();
  versions.start();
  const file = await add(versions);
  await idle(versions);
  expect([tries, await versions.stateOf(file)]).toEqual([3, 'made']);
});

test('a picture that is deleted while it is converted leaves no version behind', async () => {
  let finish: (() => void) | undefined;
  const { open, add, derived, made } = await scene(
    () => new Promise((resolve) => (finish = () => resolve(twoVersions))),
  );
  const versions = open();
  versions.start();
  const { path } = await add(versions);
  await vi.waitFor(() => expect(finish).toBeDefined());
  await versions.store.delete(path);
  expect(versions.waiting()).toBe(0);
  finish?.();
  await versions.stop();
  expect([await derived(), made]).toEqual([[], []]);
});

test('a deleted picture has lost its versions when the deletion resolves', async () => {
  const { open, add, idle, derived } = await scene();
  const versions = open();
  versions.start();
  const [file, other] = [await add(versions), await add(versions)];
  await idle(versions);
  await versions.store.delete(file.path);
  expect(await derived()).toEqual(namesOf(other, '480.webp', '1200.jpg', 'made'));
  expect(await versions.of(file)).toEqual([]);
});

test('versions whose original is gone are removed at the next start', async () => {
  const { dir, store, open, derived } = await scene();
  await store.add(streamOf(pngOf()), {});
  const versions = open();
  versions.start();
  await vi.waitFor(async () => expect(await derived()).toHaveLength(3));
  await versions.stop();
  const lost = 'AbCdEfGhIjKlMnOpQrStUv-lost.jpg';
  for (const one of ['480.webp', 'made'])
    await writeFile(join(dir, month, 'thumbnails', `${lost}.${one}`), 'x');
  open().start();
  await vi.waitFor(async () => expect(await derived()).toHaveLength(3));
});

test('the URL of a version names the original, and no backup contains a version', () => {
  const path = '/media/2026/11/AbCdEfGhIjKlMnOpQrStUv-fog.jpg';
  expect(mediaPathOf(`https://a.example${path}.960.webp`)).toBe(path);
  expect(mediaPathOf(`https://a.example${path}.1200.jpg`)).toBe(path);
  expect(mediaPathOf(`https://a.example${path}.500.webp`)).not.toBe(path);
  expect(isKept(`media/2026/11/thumbnails/AbCdEfGhIjKlMnOpQrStUv-fog.jpg.960.webp`)).toBe(false);
});
